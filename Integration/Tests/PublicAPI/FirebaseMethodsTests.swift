import Foundation
import TenonTestSupport
import Testing

/// The table of Firebase's methods of Auth: what it says that this library has is public.
@Suite(.limited) struct FirebaseMethodsTests {
  private static let page = "Products/Auth/Sources/TenonAuth.docc/FirebaseMethods.md"

  /// A member that a row with *has* names, for example `signIn(withEmail:password:)`.
  private struct Member {
    let text: Substring
    var type: Substring?
    let name: Substring
    /// The labels of a function; `nil` for a property, a type and a function whose labels are left out.
    var labels: [Substring]?

    init(_ text: Substring) {
      self.text = text
      let head = text.prefix { $0 != "(" }
      let path = head.split(separator: ".")
      type = path.count > 1 ? path.first : nil
      name = path.last ?? head
      guard head.endIndex < text.endIndex, !text.contains("…") else { return }
      labels = text[head.endIndex...].split { "():".contains($0) }
    }
  }

  /// Returns the members that a table names, except the ends of longer forms, which begin with an ellipsis.
  private static func members(in text: String) -> [Member] {
    text.split(separator: "\n").flatMap { line -> [Member] in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard line.hasPrefix("|"), cells.count > 1, cells[1] == "has" else { return [] }
      return cells[0].matches(of: /`([^`]+)`/).map { Substring($0.output.1) }
        .filter { !$0.hasPrefix("…") }.map { Member($0) }
    }
  }

  /// Returns the members that aren't among the public ones.
  private static func missing(in text: String) throws -> [Substring] {
    let pages = try APIPages(root: packageRoot)
    let listing = try String(
      contentsOf: packageRoot.appending(path: "Products/Auth/api.txt"), encoding: .utf8)
    let words = Set(listing.split { !$0.isLetter && !$0.isNumber && $0 != "_" })
    return members(in: text).filter { member in
      guard let labels = member.labels else { return !words.contains(member.name) }
      return !pages.haveCall(member.name, of: member.type, labels: labels)
    }.map(\.text)
  }

  @Test func whatTheTableHasIsPublic() throws {
    let text = try String(contentsOf: packageRoot.appending(path: Self.page), encoding: .utf8)
    #expect(Self.members(in: text).count > 60)
    #expect(try Self.missing(in: text) == [])
  }

  @Test func aMemberThatDoesNotExistIsNoticed() throws {
    let text = """
      | in Firebase | here | |
      | --- | --- | --- |
      | `currentUser`, `signIn(withEmail:password:)`, `MultiFactor.session()`, `noSuchProperty` | has | |
      | `signIn(withName:)`, `…other:)`, `User.signOut()` | has | |
      | `noSuchFunction()` | won't | |
      """
    #expect(try Self.missing(in: text) == ["noSuchProperty", "signIn(withName:)", "User.signOut()"])
  }
}
