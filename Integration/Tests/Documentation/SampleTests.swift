import Foundation
import TenonTestSupport
import Testing

/// The code of the documentation is compiled, and prints what the documentation states.
///
/// A comment above a block says what it is:
/// - `sample: File.region` a region of a compiled file
/// - `output: File.region` what that sample prints
/// - `manifest` part of a package manifest
/// - `compiled by: Suite` code that another test of this package compiles
@Suite(.limited) struct SampleTests {
  private let samples: Samples

  init() throws { samples = try Samples(root: packageRoot) }

  static let pages: [Page] = (try? Page.all(root: packageRoot)) ?? []

  @Test func thePagesAreFound() {
    let paths = Set(Self.pages.map(\.path))
    #expect(
      paths.isSuperset(of: ["README.md", "Documentation/Tenon.docc/Tenon.md", "Core/Components/README.md"]))
  }

  @Test(arguments: pages) func everyBlockOfSwiftIsCompiled(page: Page) async throws {
    for fence in page.fences where fence.language == "swift" {
      let place: Comment = "\(page.path):\(fence.line)"
      if let name = fence.marker.wholeMatch(of: /sample: (.*)/)?.output.1 {
        #expect(samples.texts[String(name)] == fence.text, place)
      } else if let suite = fence.marker.wholeMatch(of: /compiled by: (.*)/)?.output.1 {
        let file = try Page.files(
          in: packageRoot.appending(path: "Integration/Tests"), named: "\(suite).swift")
        #expect(file.count == 1, place)
      } else if fence.marker == "manifest" {
        let errors = try await ManifestCompiler.errors(of: fence.text)
        #expect(errors == "", place)
      } else {
        Issue.record("\(place.rawValue): No comment above this block says what compiles it.")
      }
    }
  }

  /// The file for a container is that of the example server.
  @Test(arguments: pages) func aContainerFileIsThatOfTheExample(page: Page) throws {
    for fence in page.fences where fence.language == "dockerfile" {
      let file = packageRoot.appending(path: "Integration/NotesServer/Containerfile")
      #expect(try String(contentsOf: file, encoding: .utf8) == fence.text, "\(page.path):\(fence.line)")
    }
  }

  /// Languages that aren't compiled.
  @Test(arguments: pages) func otherBlocksAreOfAKnownLanguage(page: Page) {
    for fence in page.fences where fence.language != "swift" {
      #expect(
        ["sh", "json", "text", "dockerfile", ""].contains(fence.language), "\(page.path):\(fence.line)")
    }
  }

  @Test(arguments: pages) func everyOutputIsThatOfItsSample(page: Page) async throws {
    for fence in page.fences {
      guard let name = fence.marker.wholeMatch(of: /output: (.*)/)?.output.1 else { continue }
      let result = try await Executable("doc-samples").run([String(name)])
      #expect(result.status == 0, "\(page.path):\(fence.line)\n\(result.errors)")
      #expect(result.output == fence.text, "\(page.path):\(fence.line)")
    }
  }

  /// Samples without a stated output run, too.
  @Test func everyProgramRuns() async throws {
    let names = try await Executable("doc-samples").run().lines.dropFirst()
    try #require(names.count >= 20)
    for name in names {
      let result = try await Executable("doc-samples").run([name])
      #expect(result.status == 0, "\(name)\n\(result.errors)")
      #expect(samples.texts[name] != nil, "\(name) is no region.")
    }
  }

  @Test func everySampleIsShown() {
    let shown = Self.pages.flatMap(\.fences).compactMap { $0.marker.wholeMatch(of: /sample: (.*)/)?.output.1 }
    #expect(Set(samples.texts.keys).subtracting(shown.map(String.init)) == [])
  }

  @Test(arguments: pages) func linksToFilesLeadToThem(page: Page) {
    for link in page.relativeLinks where !page.path.contains(".docc/") {
      let path = link.split(separator: "#").first.map(String.init) ?? link
      let target = page.url.deletingLastPathComponent().appending(path: path)
      #expect(FileManager.default.fileExists(atPath: target.path), "\(page.path): \(link)")
    }
  }

  @Test func partsOfASampleAreJoinedAndOutdented() {
    let source = """
      // sample: a, b
      import A
      // sample: end
      func f() {
        // sample: a
        g()
        // sample: end
      }

      """
    #expect(Samples.regions(of: source) == ["a": "import A\n\ng()\n", "b": "import A\n"])
  }
}
