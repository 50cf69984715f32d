import TenonBasics
package import TenonCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#elseif os(Windows)
  import ucrt
#endif

/// The launch of an integration executable.
package enum Launch {
  /// Configures the default app.
  ///
  /// With the argument `--linked`, the process then prints the names of the linked libraries and ends.
  /// `tenon-matrix` measures how long that takes.
  package static func app(_ options: AppOptions) throws -> App {
    let app = try App.configure(options: options)
    guard listsLibraries else { return app }
    for library in app.graph.libraries { print(library.name) }
    exit(0)
  }

  /// Whether the process only prints the names of the linked libraries.
  static var listsLibraries: Bool { CommandLine.arguments.dropFirst().first == "--linked" }

  /// Runs a closure with the path of a temporary directory, which doesn't exist yet, and deletes it
  /// afterwards.
  package static func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory.path)
  }

  /// Writes a line to standard error immediately, so that it isn't lost when the process is killed.
  package static func note(_ line: String) {
    let text = line + "\n"
    #if os(Windows)
      _ = _write(2, text, UInt32(text.utf8.count))
    #else
      _ = write(2, text, text.utf8.count)
    #endif
  }
}
