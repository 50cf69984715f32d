import Foundation
import TenonTestSupport
import TenonTesting
import Testing

/// `Documentation/Tour.md`, its roads and the forms of data: each step links to a file and names a
/// declaration, which the file has.
@Suite(.limited) struct TourTests {
  private static let folder = "Documentation/Roads/"

  static let pages: [Page] = (try? Page.all(root: packageRoot)) ?? []
  static let roads: [Page] = pages.filter { $0.path.hasPrefix(folder) }

  @Test func theTourLinksToEveryRoadAndTheForms() throws {
    #expect(Self.roads.count == 5)
    let tour = packageRoot.appending(path: "Documentation/Tour.md")
    let text = try String(contentsOf: tour, encoding: .utf8)
    for road in Self.roads { #expect(text.contains("](Roads/\(road.url.lastPathComponent))"), "\(road)") }
    #expect(text.contains("](Forms.md)"))
  }

  @Test(arguments: roads) func everyStepNamesADeclarationOfTheFileToWhichItLinks(road: Page) throws {
    let steps = road.text.matches(of: /^(\d+)\. (.*)$/.anchorsMatchLineEndings())
    #expect(steps.count >= 10)
    for (index, step) in steps.enumerated() {
      #expect(Int(step.1) == index + 1)
      #expect(step.2.contains(/^\[`[^`]+`\]\(\S+?\): ./), "\(road.path): \(step.0)")
    }
    try Self.checkLinks(of: road)
  }

  /// Each form is numbered, links to the file of its type, and names the boundary that asks for it. Between
  /// two forms of a document is one boundary, of which either way has eight at most.
  @Test func everyFormIsDeclaredAndABoundaryAsksForIt() throws {
    let page = try #require(Self.pages.first { $0.path == "Documentation/Forms.md" })
    let ways = page.text.components(separatedBy: "\n## ").dropFirst()
    #expect(ways.count == 3)
    for way in ways {
      let forms = way.matches(of: /^(\d+)\. (.*)$/.anchorsMatchLineEndings())
      #expect((1...9).contains(forms.count))
      for (index, form) in forms.enumerated() {
        #expect(Int(form.1) == index + 1)
        #expect(form.2.contains(/^\[`\w+`\]\(\S+?\): \*\*[\w -]+\.\*\*/), "\(form.0)")
      }
    }
    try Self.checkLinks(of: page)
  }

  /// Records an issue for each link of a page whose text is a name that the file doesn't declare.
  private static func checkLinks(of page: Page) throws {
    for link in page.text.matches(of: /\[`([^`]+)`\]\((\S+?)\)/) {
      let file = page.url.deletingLastPathComponent().appending(path: String(link.2)).standardizedFileURL
      let (name, source) = (String(link.1), try? String(contentsOf: file, encoding: .utf8))
      if let source, DeclaredNames.declare(name, in: source) { continue }
      let files = try files(declaring: name)
      Issue.record("\(page.path): \(link.2) doesn't declare \(name), but these do: \(files)")
    }
  }

  /// Returns the sources that declare a name, to which a link can lead.
  private static func files(declaring name: String) throws -> [String] {
    let files = try ["Core", "Interop", "Products"].flatMap { area in
      try Page.files(in: packageRoot.appending(path: area), named: ".swift")
    }
    return try files.map(\.path).filter { path in
      guard path.contains("/Sources/") else { return false }
      return DeclaredNames.declare(name, in: try String(contentsOfFile: path, encoding: .utf8))
    }
  }

  @Test(arguments: [
    ("Box", true), ("Box.open", true), ("Box.open(_:at:)", true), ("Box.init(_:)", true), ("Box.size", true),
    ("Lid", false), ("Box.open(_:)", false), ("Box.close", false), ("Lid.close", false), ("open", false),
  ])
  func declarationsAreFound(name: String, isDeclared: Bool) {
    let source = """
      struct Box<Value>: Sendable {
        var size: Int
        init?(_ value: Value) {}
        static func open<Key>(
          _ key: Key, at time: Int
        ) {}
      }
      extension Lid {}
      """
    #expect(DeclaredNames.declare(name, in: source) == isDeclared)
  }
}
