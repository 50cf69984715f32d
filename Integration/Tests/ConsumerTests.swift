import Foundation
import TenonTestSupport
import Testing

/// Zero packages: a consumer of one library of this package fetches only this package.
@Suite(.limited(to: DeepTests.areIncluded ? .seconds(1_800) : .seconds(60), of: .processes))
struct ConsumerTests {
  private static let libraries = [
    "TenonCore", "TenonRules", "TenonTesting", "TenonTransport", "TenonAdminInterop",
    "TenonAppCheckInterop", "TenonAuthInterop",
    "TenonObservabilityInterop", "TenonStorageInterop", "TenonStoreInterop", "TenonTransportInterop",
    "TenonAuth", "TenonAppCheck", "TenonFunctions", "TenonStorage", "TenonStore", "TenonStoreSync",
    "TenonEmbedded", "TenonAdmin", "TenonStoreCombine",
  ]

  /// Writes a package with one target per library, each of which imports that library only.
  private func writeConsumer(_ directory: URL) throws {
    func write(_ path: String, _ text: String) throws {
      let file = directory.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data(text.utf8).write(to: file)
    }
    let targets = Self.libraries.map { library in
      """
      .target(name: "Uses\(library)", dependencies: [.product(name: "\(library)", package: "tenon")])
      """
    }
    try write(
      "Package.swift",
      """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "consumer", platforms: [.macOS(.v15)],
        products: [.library(name: "Consumer", targets: [\(Self.libraries.map { "\"Uses\($0)\"" }.joined(separator: ", "))])],
        dependencies: [.package(name: "tenon", path: "\(packageRoot.path)")],
        targets: [\(targets.joined(separator: ",\n"))])
      """
    )
    for library in Self.libraries { try write("Sources/Uses\(library)/Use.swift", "import \(library)\n") }
  }

  /// Swift Build rejects a dependency whose manifest turns warnings into errors.
  @Test(.deep, arguments: ["native", "swiftbuild"])
  func everyLibraryIsUsedWithoutAThirdPartyPackage(buildSystem: String) async throws {
    try await withTemporaryDirectory { directory in
      try writeConsumer(directory)
      try await PackageBuild.build(["--build-system", buildSystem], in: directory)
      try await expectNoOtherPackage(in: directory)
    }
  }

  /// The same without a build, which takes minutes.
  @Test func noLibraryFetchesAThirdPartyPackage() async throws {
    try await withTemporaryDirectory { directory in
      try writeConsumer(directory)
      try await expectNoOtherPackage(in: directory)
    }
  }

  /// Expects that a package has resolved this package and no other one.
  private func expectNoOtherPackage(in directory: URL) async throws {
    let dependencies = try await Executable(path: "/usr/bin/env").run(
      ["swift", "package", "show-dependencies", "--format", "flatlist"], in: directory)
    // A package that is found by its path is listed under the name of its folder.
    #expect(dependencies.lines == [packageRoot.lastPathComponent.lowercased()])
    // A pin or a checkout would belong to a package that was fetched.
    #expect(!FileManager.default.fileExists(atPath: directory.appending(path: "Package.resolved").path))
    let checkouts = directory.appending(path: ".build/checkouts").path
    #expect((try? FileManager.default.contentsOfDirectory(atPath: checkouts)) ?? [] == [])
  }

  /// The manifest, as SwiftPM has read it.
  private struct Description: Decodable {
    struct Product: Decodable { let name: String, type: [String: [String]?] }
    struct Target: Decodable {
      let name: String
      let targetDependencies: [String]?
      let productDependencies: [String]?
    }
    let products: [Product]
    let targets: [Target]
  }

  private func description() async throws -> Description {
    // The build folder is locked while the tests run.
    let scratch = FileManager.default.temporaryDirectory.appending(path: "tenon-describe-\(UUID())")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let package = try await Executable(path: "/usr/bin/env").run(
      ["swift", "package", "--scratch-path", scratch.path, "describe", "--type", "json"],
      in: packageRoot
    )
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Description.self, from: Data(package.output.utf8))
  }

  @Test func theListOfLibrariesIsComplete() async throws {
    let libraries = try await description().products.filter { $0.type.keys.contains("library") }.map(\.name)
    #expect(Set(libraries) == Set(Self.libraries))
  }

  /// `swift run Notes` builds only what Notes is made of.
  @Test func onlyTheServerIsBuiltWithNIO() async throws {
    let targets = try await description().targets
    func packages(of name: String) -> Set<String> {
      var (open, seen, packages) = ([name], Set<String>(), Set<String>())
      while let next = open.popLast() {
        guard seen.insert(next).inserted, let target = targets.first(where: { $0.name == next }) else {
          continue
        }
        open += target.targetDependencies ?? []
        packages.formUnion(target.productDependencies ?? [])
      }
      return packages
    }
    #expect(packages(of: "tenon-server").contains("NIOHTTP2"))
    let others = targets.filter { $0.name != "tenon-server" }.flatMap { packages(of: $0.name) }
    #expect(others.contains("ArgumentParser") && !others.contains { $0.hasPrefix("NIO") })
  }
}
