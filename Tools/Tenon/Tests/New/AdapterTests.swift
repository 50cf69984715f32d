import Foundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import tenon

/// `tenon new adapter`. That the adapters compile and work is shown by NotesServerTests (`TENON_ADAPTERS=1`).
@Suite(.limited) struct AdapterTests {
  private static let folder = LintFixture.packageRoot.appending(path: "Tools/Tenon/Sources/Adapters")

  private func withPackage(targets: String, _ body: (URL) throws -> Void) throws {
    let manifest = """
      // swift-tools-version: 6.2
      import PackageDescription

      let package = Package(
        name: "shop",
        dependencies: [.package(name: "tenon", path: "\(LintFixture.packageRoot.path)")],
        targets: [\(targets)]
      )

      """
    let root = try LintFixture.folder([
      "Package.swift": manifest, "Sources/Shop/main.swift": "print()\n", "Sources/Goods/Goods.swift": "\n",
      "Tests/ShopTests/Tests.swift": "\n",
    ])
    defer { try? FileManager.default.removeItem(at: root) }
    try body(root)
  }

  private static let targets = """
    .executableTarget(name: "Shop", dependencies: [.product(name: "TenonCore", package: "tenon")]),
    .target(name: "Goods"), .testTarget(name: "ShopTests"),
    """

  @Test func whatIsWrittenIsTheFileThatIsCompiledHere() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
    #expect(files == Adapter.all.map(\.fileName).sorted())
    for adapter in Adapter.all {
      let text = try String(contentsOf: Self.folder.appending(path: adapter.fileName), encoding: .utf8)
      #expect(adapter.text == text, "\(adapter.fileName)")
      #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 80, "\(adapter.name)")
      let imports = adapter.requirements.map(\.product) + adapter.libraries
      #expect(Set(text.matches(of: /import (\w+)\n/).map { String($0.1) }) == Set(imports), "\(adapter.name)")
    }
  }

  /// The versions that `tenon new adapter` names are those with which this repository tests.
  @Test func theVersionsAreThoseOfTheTests() throws {
    let manifest = try String(
      contentsOf: LintFixture.packageRoot.appending(path: "Package.swift"), encoding: .utf8)
    for adapter in Adapter.all where adapter.isCompiled {
      for package in adapter.requirements.map(\.package) {
        #expect(
          manifest.contains("url: \"\(package.url)\", exact: \"\(package.version)\""), "\(package.name)")
      }
    }
  }

  @Test func theOnlyExecutableGetsTheFileAndTheCommandsForItsDependencies() throws {
    try withPackage(targets: Self.targets) { root in
      let plan = try NewAdapter(root: root).plan(try Adapter.named("swift-metrics"), target: nil)
      #expect(plan.changes.map(\.path) == ["Sources/Shop/MetricsObservability.swift"])
      #expect(
        plan.notes.dropFirst() == [
          "  swift package add-dependency https://github.com/apple/swift-metrics --from 2.13.0",
          "  swift package add-target-dependency Metrics Shop --package swift-metrics",
          "  swift package add-target-dependency TenonObservabilityInterop Shop --package tenon",
        ])
      try plan.write(to: root) {}
      let written = root.appending(path: "Sources/Shop/MetricsObservability.swift")
      #expect(try Data(contentsOf: written) == Data(Adapter.named("Metrics").bytes))
      let error = #expect(throws: CommandError.self) { try plan.write(to: root) {} }
      #expect(error?.description.contains("exists already") == true)
    }
  }

  @Test func aTargetCanBeNamed() throws {
    try withPackage(
      targets: Self.targets.replacing("name: \"Goods\"", with: "name: \"Goods\", path: \"Sources/Goods\"")
    ) {
      root in
      let plan = try NewAdapter(root: root).plan(try Adapter.named("vapor"), target: "Goods")
      #expect(plan.changes.map(\.path) == ["Sources/Goods/VaporUser.swift"])
      #expect(plan.notes.last?.contains("isn't compiled") == true)
    }
  }

  @Test(arguments: [
    (nil, "Name the target that gets the file with --target: Goods, Shop."),
    ("Shoop", "There is no target Shoop that can have an adapter. There are: Goods, Shop."),
    ("ShopTests", "There is no target ShopTests that can have an adapter. There are: Goods, Shop."),
  ])
  func aTargetThatIsNotClearIsRefused(name: String?, message: String) throws {
    try withPackage(targets: Self.targets.replacing("executableTarget", with: "target")) { root in
      let error = #expect(throws: CommandError.self) {
        try NewAdapter(root: root).plan(try Adapter.named("swift-log"), target: name)
      }
      #expect(error?.description == message)
    }
  }

  @Test func aMisspelledNameIsExplained() {
    let error = #expect(throws: CommandError.self) { try Adapter.named("swift-logs") }
    #expect(error?.description.contains("There is no adapter swift-logs. Did you mean swift-log") == true)
    #expect(error?.description.contains("hummingbird, vapor.") == true)
  }

  @Test func thisPackageRefusesItsOwnAdapters() {
    let error = #expect(throws: CommandError.self) { try NewAdapter(root: LintFixture.packageRoot) }
    #expect(error?.description.contains("Tools/Tenon/Sources/Adapters") == true)
  }
}
