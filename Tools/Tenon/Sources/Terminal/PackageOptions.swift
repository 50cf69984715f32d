import ArgumentParser
import Foundation

/// The option that names a package, spelled as `swift build` and SwiftPM's other commands spell it.
struct PackageOptions: ParsableArguments {
  @Option(
    name: .customLong("package-path"),
    help: ArgumentHelp("The package's folder; the current one by default.", valueName: "path"),
    completion: .directory)
  var path: String?

  /// The package's folder.
  var folder: String { path ?? "." }

  func validate() throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
      throw ValidationError("There is no folder \(folder). Name that of a package with --package-path.")
    }
  }
}
