import Foundation
import TenonTestSupport
import Testing

/// An application that enables the trait OpenCombine, which the tests of this package don't.
@Suite(.limited(to: .seconds(1_800), of: .processes), .deep) struct CombineTests {
  #if !canImport(Combine)
    @Test(.python) func publishersKeepTheirPromisesWithOpenCombine() async throws {
      try await withTemporaryDirectory { directory in
        let readme = try String(
          contentsOf: packageRoot.appending(path: "Products/StoreCombine/README.md"), encoding: .utf8)
        let sample = try #require(readme.firstMatch(of: /```swift\n(import[\s\S]*?)```/)?.1)
        let output = try #require(readme.firstMatch(of: /```text\n([\s\S]*?)```/)?.1)
        let comments = CommentSampleTests.programs.first { $0.folder == "Products/StoreCombine" }
        try write(
          [
            "Package.swift": """
            // swift-tools-version: 6.2
            import PackageDescription
            let products = ["TenonAuth", "TenonCore", "TenonStorage", "TenonStore", "TenonStoreCombine"].map {
              Target.Dependency.product(name: $0, package: "tenon")
            }
            let package = Package(
              name: "consumer", platforms: [.macOS(.v15)],
              dependencies: [.package(name: "tenon", path: "\(packageRoot.path)", traits: ["OpenCombine"])],
              targets: ["Behaviour", "Comments", "Sample"].map { .executableTarget(name: $0, dependencies: products) })
            """,
            "Sources/Sample/main.swift": String(sample),
            "Sources/Comments/Comments.swift": try #require(comments).source,
            "Sources/Behaviour/main.swift": try String(
              contentsOf: packageRoot.appending(path: "Integration/Combine/main.swift"), encoding: .utf8),
          ], in: directory)
        try await PackageBuild.build(in: directory)

        let run = try await executable("Sample", in: directory).run()
        #expect(run.status == 0 && run.output == output, "\(run.output)\(run.errors)")
        let checks = try await executable("Behaviour", in: directory).run()
        #expect(checks.status == 0 && checks.lines == Self.promises, "\(checks.output)\(checks.errors)")
        let api = try await PublicAPI.check(
          "TenonStoreCombine", in: directory.appending(path: ".build/debug"))
        #expect(api.status == 0, "\(api.output)\(api.errors)")
      }
    }
  #endif

  /// The lines that the program in `Integration/Combine` prints.
  private static let promises = [
    "without demand, nothing is delivered",
    "a demand of one is one value",
    "a slow subscriber receives the newest state",
    "the demand that a subscriber returns counts",
    "nothing is delivered after cancelling during a delivery",
    "cancelling isn't a completion",
    "cancelling before the first value releases the subscriber",
    "the owner of a subscription can be released",
    "a failure completes the publisher",
    "a query delivers its changes",
    "operators can end the publisher",
    "Auth's state is published",
    "a transfer's state is published",
    "a transfer's failure completes the publisher",
    "closing the database finishes the publisher",
  ]

  private func executable(_ name: String, in directory: URL) -> Executable {
    Executable(path: directory.appending(path: ".build/debug/\(name)").path)
  }

  /// Writes files with their directories.
  private func write(_ files: [String: String], in directory: URL) throws {
    for (path, text) in files {
      let file = directory.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
  }
}
