import Foundation
import TenonTestSupport
import Testing

@testable import NotesText

@Suite(.limited) struct MarkdownNoteTests {
  private func note(_ text: String) throws -> MarkdownNote {
    try MarkdownNote(content: Data(text.utf8), fileName: "file")
  }

  @Test func frontMatterNamesTitleAndTags() throws {
    let note = try note("---\ntitle: \"Tea: green\"\ntags: [hot, '#green']\n---\n# Heading\nText #leaf\n")
    #expect(note.title == "Tea: green")
    #expect(note.tags == ["hot", "green", "leaf"])
    #expect(note.headings == [.init(level: 1, text: "Heading")])
  }

  @Test(
    arguments: [
      ("# First\n## Second", "First"), ("text only", "file"), ("Under\n=====", "Under"), ("", "file"),
      ("---\ntags: x\n---\ntext", "file"), ("\u{FEFF}# With a mark", "With a mark"), ("---\nno end", "file"),
    ])
  func theTitleIsTheFirstHeadingOrTheFileName(text: String, title: String) throws {
    #expect(try note(text).title == title)
  }

  @Test func headingsHaveLevelsAndAreNotFoundInCode() throws {
    let text = """
      # One
      ## Two ##
      Three
      -----
      ####### seven
      #no heading
      ```swift
      # code
      ```
      ~~~
      # code
      ```
      ~~~

          # indented code
      ###### Six # with
      """
    #expect(
      try note(text).headings == [
        .init(level: 1, text: "One"), .init(level: 2, text: "Two"), .init(level: 2, text: "Three"),
        .init(level: 6, text: "Six # with"),
      ]
    )
  }

  @Test func linksOfEveryFormAreFoundOnce() throws {
    let text = """
      [a](one.md "title") and [b](<two words.md>) and ![c](pic.png) [d][ref] [[Wiki Page|label]] <https://x.org/y>
      [[again]](one.md) [![badge](badge.svg)](https://ci.org) [paren](a_(b).md) \\[no](no.md) `[code](no.md)`
      <doc:Topic> <b>no</b> ![[shown.png]]
      [ref]: https://ref.org/x "Title"
      """
    let links = try note(text).links
    #expect(
      links.map(\.target) == [
        "one.md", "two words.md", "pic.png", "Wiki Page", "https://x.org/y", "again", "https://ci.org",
        "badge.svg", "a_(b).md",
        "doc:Topic", "shown.png", "https://ref.org/x",
      ]
    )
    #expect(links.filter(\.isImage).map(\.target) == ["pic.png", "badge.svg", "shown.png"])
  }

  @Test(
    arguments: [
      ("#tag and #Tag-2/sub", ["tag", "Tag-2/sub"]), ("a#b C#", []), ("(#in) #1 #é", ["in", "é"]),
      ("`#code` \\#escaped", []),
      ("#tag #tag", ["tag"]), ("[x](page.md#anchor)", []),
    ])
  func hashtagsAreSeparateWords(text: String, tags: [String]) throws {
    #expect(try note(text).tags == tags)
  }

  /// The destination of a link isn't text (CommonMark 0.31, section 6.3).
  @Test(
    arguments: [
      ("- [A](#alpha-one)", []), ("[A]( #alpha-one )", []), ("![A](#alpha)", []), ("[A](<#alpha one>)", []),
      ("[A](#alpha \"a #title\") #after", ["after"]), ("[A](#a 'b #c') [B](#d (e #f)) #g", ["g"]),
      ("[two\nlines](#alpha)", []), ("[A](#open", []), ("[A](#no link #tag)", ["tag"]),
      ("[[#alpha]] [a]: #b", ["b"]), ("[a]: #alpha", []), ("[`](`](#code)", []),
      ("[![b](#c)](#d)", []), ("[a #tag](#alpha)", ["tag"]), ("[a](b.md) (#tag)", ["tag"]),
      ("[a] (#tag)", ["tag"]), ("\\[a\\](#tag)", ["tag"]), ("[a](b_(c) #d", ["d"]),
    ])
  func linkDestinationsContainNoTags(text: String, tags: [String]) throws {
    #expect(try note(text).tags == tags)
  }

  @Test(
    arguments: [
      ("[a](#alpha-one)", ["#alpha-one"]), ("[a]( b.md )", ["b.md"]), ("[a](b.md \"title\")", ["b.md"]),
      ("[a](<b c.md> 'd')", ["b c.md"]), ("[a]()", []), ("[a](b", []), ("[a](<b)", []),
      ("[a](b_(c).md)", ["b_(c).md"]),
    ])
  func aLinkHasItsDestination(text: String, targets: [String]) throws {
    #expect(try note(text).links.map(\.target) == targets)
  }

  @Test(arguments: ["tags: one, two", "tags: one two", "tags:\n  - one\n  - two", "keywords: [one, two]"])
  func tagsAreListsOrText(yaml: String) throws {
    #expect(try note("---\n\(yaml)\n---\n").tags == ["one", "two"])
  }

  @Test(arguments: ["a\r\nb\r\n", "\u{FEFF}x", "no end", "\n\n", "---\r\ntitle: t\r\n---\r\nx"])
  func theTextIsTheFileByteForByte(text: String) throws {
    #expect(try Data(note(text).text.utf8) == Data(text.utf8))
  }

  @Test(arguments: [("", 0), (" \n ", 0), ("one", 1), ("one  two\nthree\tfour ", 4), ("東京 é", 2)])
  func wordsAreCounted(text: String, count: Int) throws {
    #expect(try note(text).wordCount == count)
  }

  @Test func invalidUTF8IsReportedWithItsLine() {
    let content = Data("fine\nstill\n".utf8) + Data([0xFF, 0xFE])
    #expect(throws: NoteError(line: 3, reason: "isn't valid UTF-8")) {
      try MarkdownNote(content: content, fileName: "x")
    }
  }

  @Test(
    arguments: [
      ("---\ntitle: [open\n---\n", "isn't YAML"), ("---\n- a\n- b\n---\n", "without names"),
      ("---\na: 'b\n---\n", "isn't YAML"),
    ])
  func malformedFrontMatterIsAnError(text: String, reason: String) {
    let thrown = #expect(throws: NoteError.self) { try note(text) }
    #expect(thrown?.reason.contains(reason) == true)
    #expect((thrown?.line ?? 0) > 1)
  }

  /// Without a limit on the text between brackets, each marker would be scanned to the end of the line.
  @Test(arguments: ["[", "![", "[[", "`", "<", "[a](", "](", "](<", "](a ", "#", "*[x] "])
  func unclosedMarkersDoNotMakeScanningSlow(marker: String) throws {
    // The limit is 500 characters; with fewer markers, each is scanned to the end.
    let growth = try CPUTime.growth(from: 500, by: 8) { count in
      let text = String(repeating: marker, count: count)
      let parsed = try note(text)
      #expect(parsed.text == text)
    }
    #expect(growth < CPUTime.limit(ofLinear: 8))
  }
}
