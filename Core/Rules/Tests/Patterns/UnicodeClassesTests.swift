import TenonTestSupport
import Testing

@testable import TenonRules

@Suite(.limited)
struct UnicodeClassesTests {
  @Test(arguments: [
    ("L", "aÀ漢", "1 "), ("Lu", "AÀ", "a"), ("N", "1٣Ⅷ½", "a"), ("Cc", "\u{0}\u{1F}", "a"),
    ("C", "\u{200E}", "a"),
    ("Zs", " \u{A0}", "\n"), ("Greek", "αΩ", "a"), ("Han", "漢字", "あ"), ("Cyrillic", "дЖ", "a"),
    ("SignWriting", "\u{1D800}", "a"),
    ("Any", "a漢\u{10FFFF}", ""),
  ])
  func classContains(_ name: String, _ members: String, butNot others: String) throws {
    let set = try #require(UnicodeClasses.characters(named: name))
    #expect(members.unicodeScalars.allSatisfy { set.contains($0.value) })
    #expect(!others.unicodeScalars.contains { set.contains($0.value) })
  }

  @Test(arguments: ["", "greek", "Letter", "Cn", "LC", "Script=Greek", "Zzzz"])
  func unknownNameIsNoClass(_ name: String) { #expect(UnicodeClasses.characters(named: name) == nil) }

  /// Every script has ranges that are in order and don't overlap, as the search in them requires.
  @Test func scriptsAreInOrder() throws {
    for name in UnicodeScripts.names {
      let ranges = try #require(UnicodeScripts.ranges(of: name))
      #expect(!ranges.isEmpty)
      for (before, after) in zip(ranges, ranges.dropFirst()) { #expect(before.upperBound < after.lowerBound) }
    }
  }
}
