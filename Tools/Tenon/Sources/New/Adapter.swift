import Foundation
import TenonCore

/// A file that connects Tenon with another package. Users copy it, so that Tenon depends on no package.
///
/// The files are in Tools/Tenon/Sources/Adapters, and embedded in this command as they are.
struct Adapter {
  /// A module that a file imports from another package.
  struct Requirement {
    let package: Package
    let product: String
  }

  /// A package, and the version with which the adapter was tested.
  struct Package {
    let url: String
    let version: String
    /// The name by which targets refer to it.
    var name: String { String(url.split(separator: "/").last ?? "") }
  }

  /// The name on the command line, which is that of the package.
  let name: String
  /// What it is for, without a period.
  let summary: String
  let fileName: String
  let bytes: [UInt8]
  /// The products of Tenon that the file imports.
  let libraries: [String]
  let requirements: [Requirement]
  /// Whether the file is compiled and tested in Tenon's repository.
  var isCompiled = true

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// All adapters.
  static let all: [Adapter] = [
    Adapter(
      name: "swift-log", summary: "the log of the products", fileName: "LoggingObservability.swift",
      bytes: PackageResources.LoggingObservability_swift, libraries: ["TenonObservabilityInterop"],
      requirements: [apple("swift-log", "1.16.2", "Logging")]),
    Adapter(
      name: "swift-metrics", summary: "their metrics", fileName: "MetricsObservability.swift",
      bytes: PackageResources.MetricsObservability_swift,
      libraries: ["TenonCore", "TenonObservabilityInterop"],
      requirements: [apple("swift-metrics", "2.13.0", "Metrics")]),
    Adapter(
      name: "swift-distributed-tracing", summary: "their spans", fileName: "TracingObservability.swift",
      bytes: PackageResources.TracingObservability_swift,
      libraries: ["TenonCore", "TenonObservabilityInterop"],
      requirements: [apple("swift-distributed-tracing", "1.7.3", "Tracing")]),
    Adapter(
      name: "swift-service-lifecycle",
      summary: "an app that starts with the process and sends pending writes before it ends",
      fileName: "AppService.swift", bytes: PackageResources.AppService_swift,
      libraries: ["TenonCore", "TenonStore"],
      requirements: [
        requirement("https://github.com/swift-server/swift-service-lifecycle", "2.13.0", "ServiceLifecycle"),
        apple("swift-log", "1.16.2", "Logging"),
      ]),
    Adapter(
      name: "swift-configuration", summary: "the options of an app",
      fileName: "ConfiguredAppOptions.swift", bytes: PackageResources.ConfiguredAppOptions_swift,
      libraries: ["TenonCore"],
      requirements: [apple("swift-configuration", "1.4.0", "Configuration")]),
    Adapter(
      name: "hummingbird", summary: "the signed-in user of a request, with a container",
      fileName: "HummingbirdUser.swift", bytes: PackageResources.HummingbirdUser_swift,
      libraries: ["TenonCore", "TenonAdmin"],
      requirements: [
        requirement("https://github.com/hummingbird-project/hummingbird", "2.28.1", "Hummingbird")
      ]),
    Adapter(
      name: "vapor", summary: "the same for Vapor, not compiled in Tenon's repository",
      fileName: "VaporUser.swift", bytes: PackageResources.VaporUser_swift,
      libraries: ["TenonCore", "TenonAdmin"],
      requirements: [requirement("https://github.com/vapor/vapor", "4.100.0", "Vapor")],
      isCompiled: false),
  ]

  private static func requirement(_ url: String, _ version: String, _ product: String) -> Requirement {
    Requirement(package: Package(url: url, version: version), product: product)
  }

  private static func apple(_ name: String, _ version: String, _ product: String) -> Requirement {
    requirement("https://github.com/apple/\(name)", version, product)
  }

  /// Returns the adapter of a name, which may also be that of its product, such as `Logging`.
  ///
  /// - Throws: ``CommandError`` that lists all adapters.
  static func named(_ name: String) throws -> Adapter {
    let isNamed = { (adapter: Adapter) in
      [adapter.name, adapter.requirements[0].product.lowercased()].contains(name.lowercased())
    }
    if let adapter = all.first(where: isNamed) { return adapter }
    let names = all.map(\.name)
    let near = NearMisses.names(near: name, among: names)
    let question = near.isEmpty ? "" : " Did you mean \(near.joined(separator: " or "))?"
    throw CommandError(
      "There is no adapter \(name).\(question) There are \(names.joined(separator: ", ")).")
  }
}

/// Writes an adapter into a target of a package.
struct NewAdapter {
  private let manifest: PackageManifest
  private let root: URL

  /// Reads a package.
  ///
  /// - Throws: ``CommandError`` if it isn't one that uses Tenon.
  init(root: URL) throws {
    self.root = root
    manifest = try PackageManifest(root: root)
    guard manifest.name != "tenon" else {
      throw CommandError(
        "The adapters of this package are in Tools/Tenon/Sources/Adapters. Name another package with --package-path."
      )
    }
    let text = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
    _ = try PlainManifestEditor(manifest: manifest, text: text)
  }

  /// Returns the file, and the commands that add what it imports to the manifest.
  ///
  /// - Parameters:
  ///   - adapter: the adapter.
  ///   - targetName: the target that gets the file; the only executable, or else the only one that isn't a
  ///     test, if `nil`.
  /// - Throws: ``CommandError`` if there is no such target.
  func plan(_ adapter: Adapter, target targetName: String?) throws -> NewPlan {
    let target = try target(targetName)
    var plan = NewPlan()
    plan.add("\(folder(of: target))/\(adapter.fileName)", adapter.text)
    var commands: [String] = []
    for requirement in adapter.requirements {
      let package = requirement.package
      if !manifest.dependencies.contains(where: { $0.lowercased() == package.name }) {
        commands.append("add-dependency \(package.url) --from \(package.version)")
      }
    }
    let needed =
      adapter.requirements.map { ($0.product, $0.package.name) } + adapter.libraries.map { ($0, "tenon") }
    commands += needed.filter { !target.products.contains($0.0) }.map {
      "add-target-dependency \($0.0) \(target.name) --package \($0.1)"
    }
    if !commands.isEmpty {
      plan.notes.append("The target \(target.name) needs more dependencies. Add them with:")
      plan.notes += commands.map { "  swift package \($0)" }
    }
    if !adapter.isCompiled {
      plan.notes.append(
        "This file isn't compiled in Tenon's repository, so it may need changes for your version of the package."
      )
    }
    return plan
  }

  private func target(_ name: String?) throws -> PackageManifest.Target {
    let candidates = manifest.details.filter { ["executable", "regular"].contains($0.type) }
    let names = candidates.map(\.name).sorted().joined(separator: ", ")
    if let name {
      if let target = candidates.first(where: { $0.name == name }) { return target }
      throw CommandError("There is no target \(name) that can have an adapter. There are: \(names).")
    }
    let executables = candidates.filter { $0.type == "executable" }
    for choice in [executables, candidates] where choice.count == 1 { return choice[0] }
    throw CommandError(
      candidates.isEmpty
        ? "Package.swift has no target for the file. Add one first."
        : "Name the target that gets the file with --target: \(names).")
  }

  /// Returns the folder of a target: the one that the manifest names, or that of SwiftPM's convention.
  private func folder(of target: PackageManifest.Target) -> String {
    if let path = target.path { return path }
    let conventional = "Sources/\(target.name)"
    let exists = FileManager.default.fileExists(atPath: root.appending(path: conventional).path)
    return exists ? conventional : "Sources"
  }
}
