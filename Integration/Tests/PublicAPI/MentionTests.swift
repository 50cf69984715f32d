import Foundation
import TenonTestSupport
import TenonTesting
import Testing

/// What is public is there for users, so an article or a guide mentions it; the rest is `package`. Tests
/// verify this for types. For members, it is what a reviewer asks of a change of `api.txt`.
@Suite(.limited) struct MentionTests {
  /// The names in the code of the pages that users read: those of the documentation but the roads, which are
  /// about the implementation.
  private static func mentionedNames() throws -> Set<Substring> {
    try Page.all(root: packageRoot).filter { !$0.path.hasPrefix("Documentation/Roads/") }
      .reduce(into: []) { $0.formUnion($1.namesInCode) }
  }

  @Test func everyPublicTypeIsMentioned() throws {
    let types = try APIPages(root: packageRoot).declaredTypes
    let names = try Self.mentionedNames()
    #expect(types.count > 200)
    for type in types.sorted() {
      let name = type.split(separator: ".").last ?? ""
      // The iterators of sequences have the name that the standard library requires.
      guard name != "AsyncIterator" else { continue }
      #expect(
        names.contains(name),
        "No page mentions \(type). Say what it is for in an article of its library, or make it `package`.")
    }
  }

  @Test func namesAreThoseOfCodeOutsideOfTopics() {
    let page = Page(
      url: packageRoot, path: "A.md",
      text: """
        # ``TenonSample``

        A ``Box`` has a `Lid.Kind`, but no Handle.

        ```swift
        let crate = Crate(of: 2)
        ```

        ## Topics

        - ``Shelf``
        """)
    #expect(page.namesInCode == ["TenonSample", "Box", "Lid", "Kind", "let", "crate", "Crate", "of", "2"])
  }

  @Test func typesAreThoseThatPagesDeclare() {
    let pages = APIPages(
      text: """
        Sample: 3 public symbols

        @MainActor final class Box: Sendable
          func close()

        enum Box.Kind
          case small

        extension Swift.String: Boxed
          func boxed() -> Box
        """)
    #expect(pages.declaredTypes == ["Box", "Box.Kind"])
  }
}

extension Page {
  /// The words of the code on the page, without the lists of links in the Topics of an article.
  fileprivate var namesInCode: Set<Substring> {
    let article = text.prefix(upTo: text.firstRange(of: "\n## Topics\n")?.lowerBound ?? text.endIndex)
    var (names, isInBlock) = (Set<Substring>(), false)
    for line in article.split(separator: "\n") {
      if line.hasPrefix("```") {
        isInBlock.toggle()
      } else {
        let code = isInBlock ? [line] : line.matches(of: /`+([^`]+)`+/).map(\.output.1)
        for text in code { names.formUnion(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }) }
      }
    }
    return names
  }
}
