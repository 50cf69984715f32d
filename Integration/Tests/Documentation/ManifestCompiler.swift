import Foundation

/// Evaluates parts of package manifests.
enum ManifestCompiler {
  /// Returns what SwiftPM reports about a manifest that contains a dependency or a target; nothing if it is
  /// valid.
  static func errors(of fragment: String) async throws -> String {
    let isDependency = fragment.hasPrefix(".package")
    let package = ".package(url: \"https://github.com/OWNER/tenon\", from: \"0.2.0\")"
    // A target of a page may depend on one of another page.
    let interop = fragment.contains("name: \"WeatherInterop\"") ? "" : ".target(name: \"WeatherInterop\"),"
    return try await withTemporaryDirectory { directory in
      let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
          name: "sample",
          dependencies: [\(isDependency ? fragment : package)],
          targets: [\(isDependency ? "" : "\(interop) \(fragment)")]
        )
        """
      try Data(manifest.utf8).write(to: directory.appending(path: "Package.swift"))
      let result = try await Executable(path: "/usr/bin/env").run(
        ["swift", "package", "dump-package", "--package-path", directory.path])
      return result.status == 0 ? "" : result.errors
    }
  }
}
