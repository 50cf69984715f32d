import Foundation
import Testing

/// Builds of packages that depend on this one, as a user's do.
enum PackageBuild {
  /// Builds a package in the debug configuration, and requires that this succeeds. The information for
  /// debuggers and editors is left out, which saves a fifth of the time.
  ///
  /// - Parameters:
  ///   - options: further options of `swift build`.
  ///   - directory: the package; `nil` if the options name it.
  static func build(
    _ options: [String] = [], in directory: URL? = nil
  ) async throws {
    let result = try await Executable(path: "/usr/bin/env").run(
      ["swift", "build", "--jobs", "2", "--disable-index-store", "-debug-info-format", "none"] + options,
      // A user doesn't build this package with the settings of its tests.
      environment: ["TENON_STRICT": ""], in: directory)
    try #require(result.status == 0, "\(result.output)\n\(result.errors)")
  }
}
