import Foundation
import TenonProcesses

/// What SwiftPM reads in a manifest.
struct PackageManifest {
  let name: String
  let targets: Set<String>
  /// The targets with what `tenon new adapter` asks about them.
  let details: [Target]
  /// The names by which targets refer to the packages that it depends on.
  let dependencies: [String]

  /// A target of the package.
  struct Target {
    let name: String
    /// For example `executable`, `regular` or `test`.
    let type: String
    /// The folder, unless it is that of SwiftPM's convention.
    let path: String?
    /// The products of other packages on which it depends.
    let products: Set<String>
  }

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
    details = dump.targets.map { target in
      Target(
        name: target.name, type: target.type, path: target.path,
        products: Set(target.dependencies.compactMap { $0.product?.first?.name }))
    }
    dependencies = dump.dependencies.flatMap { $0.values.flatMap { $0 } }.map {
      $0.nameForTargetDependencyResolutionOnly ?? $0.identity
    }
  }

  private struct Dump: Decodable {
    struct Target: Decodable {
      let name: String
      let type: String
      let path: String?
      let dependencies: [TargetDependency]
    }
    struct TargetDependency: Decodable {
      /// The product's name, that of its package, aliases and conditions; `nil` for a target.
      let product: [Element]?
    }
    /// The name if it is one, among other values of a list.
    struct Element: Decodable {
      let name: String?
      init(from decoder: any Decoder) throws {
        name = try? decoder.singleValueContainer().decode(String.self)
      }
    }
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
