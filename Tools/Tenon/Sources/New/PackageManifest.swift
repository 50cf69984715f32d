import Foundation
import TenonProcesses

/// What SwiftPM reads in a manifest.
struct PackageManifest {
  let name: String
  let targets: Set<String>
  /// The names by which targets refer to the packages that it depends on.
  let dependencies: [String]

  /// Reads the manifest of a package with `swift package dump-package`.
  ///
  /// - Throws: ``CommandError`` if there is none, or SwiftPM rejects it.
  init(root: URL) throws {
    guard FileManager.default.fileExists(atPath: root.appending(path: "Package.swift").path) else {
      throw CommandError("\(root.path) has no Package.swift. Name the package's folder with --package-path.")
    }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["swift", "package", "--package-path", root.path, "dump-package"]
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-manifest-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    // Files, because a pipe that is read late would block the process. The build folder of the package may be
    // in use.
    process.arguments?.insert(
      contentsOf: ["--scratch-path", directory.appending(path: "scratch").path], at: 2)
    let (output, errors) = (directory.appending(path: "output"), directory.appending(path: "errors"))
    for file in [output, errors] { try Data().write(to: file) }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.start()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw CommandError("SwiftPM rejects Package.swift: \(try String(contentsOf: errors, encoding: .utf8))")
    }
    let dump = try JSONDecoder().decode(Dump.self, from: try Data(contentsOf: output))
    name = dump.name
    targets = Set(dump.targets.map(\.name))
    dependencies = dump.dependencies.flatMap { $0.values.flatMap { $0 } }.map {
      $0.nameForTargetDependencyResolutionOnly ?? $0.identity
    }
  }

  private struct Dump: Decodable {
    struct Target: Decodable { let name: String }
    struct Dependency: Decodable {
      let identity: String
      /// The name that the manifest gives to a package at a path.
      let nameForTargetDependencyResolutionOnly: String?
    }
    let name: String
    let targets: [Target]
    let dependencies: [[String: [Dependency]]]
  }
}
