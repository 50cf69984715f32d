import TenonDocuments
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Excerpts of what was found, with the matches marked.
@Suite(.limited) struct TextSnippetTests {
  private func snippets(
    _ text: String, in title: String, length: Int = 120, tokenizer: TextIndex.Tokenizer = .words
  ) throws -> [TextSnippet] {
    let index = TextIndex("notes", "title", tokenizer: tokenizer)
    let result = TextSearchResult(index: index, text: try TextQuery(text, for: tokenizer))
    return TextHighlighter(result).highlights(of: ["title": .string(title)]).compactMap {
      TextSnippet($0.field, of: $0.text, $0.places, length: length)
    }
  }

  @Test(arguments: [
    ("tea", "Green tea", "Green [tea]"), ("tea", "TEA, tea; Tea", "[TEA], [tea]; [Tea]"),
    ("cafe", "Café cafe\u{301} cafés", "[Café] [cafe\u{301}] cafés"),
    ("gre*", "Green greens agree", "[Green] [greens] agree"),
    ("\"green tea\"", "green tea green, tea tea", "[green tea] [green, tea] tea"),
    ("\"green te\"*", "green teapot", "[green teapot]"), ("tea OR milk", "milk tea", "[milk] [tea]"),
    ("tea -milk", "milk tea", "milk [tea]"), ("tea", "tea\u{0}tea", "[tea] [tea]"),
    ("it's", "it's", "[it's]"),
    ("tea", "👩‍👩‍👧tea👩‍👩‍👧", "👩‍👩‍👧[tea]👩‍👩‍👧"), ("tea", "[tea]", "[[tea]]"),
    ("tea", "tea\u{20DD}x", "[tea\u{20DD}]x"), ("tea", "\u{1}tea\u{2}Tea", "\u{1}[tea]\u{2}[Tea]"),
    (
      "tea tea", "\u{1}tea\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8} tea",
      "\u{1}[tea]\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8} [tea]"
    ),
    ("tea", "\u{301}tea \u{0}\u{301}tea", "\u{301}[tea]  \u{301}[tea]"),
  ])
  func wordsAreMarked(text: String, title: String, marked: String) throws {
    #expect(try snippets(text, in: title).map(\.description) == [marked])
  }

  @Test(arguments: [
    ("茶", "緑茶と紅茶", "緑[茶]と紅[茶]"), ("EA", "Tea please", "T[ea] pl[ea]se"), ("aba", "ababa", "[ababa]"),
    ("ab bc", "xabcx", "x[abc]x"), ("aa", "aaa", "[aaa]"), ("\"a b\"", "A B", "[A B]"),
  ])
  func partsAreMarked(text: String, title: String, marked: String) throws {
    #expect(try snippets(text, in: title, tokenizer: .trigrams).map(\.description) == [marked])
  }

  @Test func aFieldWithoutAMatchHasNoSnippet() throws {
    #expect(try snippets("tea", in: "coffee").isEmpty)
    #expect(try snippets("-tea", in: "tea").isEmpty)
    #expect(try snippets("", in: "tea").isEmpty)
  }

  @Test func snippetsAreInTheOrderOfTheIndexAndNameTheirFields() async throws {
    let store = try await TextSearchTests.makeNotes()
    let found = try await store.collection("notes").search("green tea").getDocuments()
    let green = try #require(found.first { $0.document.documentID == "green" })
    #expect(green.snippets().map(\.field) == ["title", "body"])
    #expect(green.snippets()[0].marked("<b>", "</b>") == "<b>Green</b> <b>tea</b>")
    #expect(green.snippets()[1].marked("**") == "Leaves of the **tea** plant that are not oxidized.")
    let matcha = try #require(found.first { $0.document.documentID == "matcha" })
    #expect(matcha.snippets().map(\.field) == ["body"])
  }

  @Test(arguments: [
    (10, "…[tea]…"), (20, "…three [tea] four…"), (40, "…one two three [tea] four five six…"),
    (1, "…[tea]…"), (Int.max, "zero one two three [tea] four five six seven"), (0, "…[tea]…"),
    (-5, "…[tea]…"),
  ])
  func anExcerptIsAboutAsLongAsRequestedAndEndsBetweenWords(length: Int, text: String) async throws {
    let store = makeStore(settings: TextSearchTests.settings)
    try await store.document("notes/a").setData(["title": "zero one two three tea four five six seven"])
    let found = try await store.collection("notes").search("tea").getDocuments()
    #expect(found.first?.snippets(length: length).map(\.description) == [text])
  }

  @Test func anExcerptContainsAsManyMatchesAsPossible() throws {
    let filler = String(repeating: "filler ", count: 40)
    let text = "tea \(filler) milk and tea with honey \(filler) honey"
    let snippet = try #require(try snippets("tea OR milk OR honey", in: text, length: 40).first)
    #expect(snippet.matches.map { String(snippet.text[$0]) } == ["milk", "tea", "honey"])
    #expect(snippet.text.hasPrefix("…") && snippet.text.hasSuffix("…") && snippet.text.count <= 42)
  }

  /// A text without spaces is divided between whole characters.
  @Test func anExcerptDividesNoCharacter() throws {
    let family = "👩‍👩‍👧"
    let text = String(repeating: family, count: 50) + "茶" + String(repeating: "e\u{301}", count: 50)
    let snippet = try #require(try snippets("茶", in: text, length: 9, tokenizer: .trigrams).first)
    #expect(
      snippet.description
        == "…" + String(repeating: family, count: 4) + "[茶]" + String(repeating: "e\u{301}", count: 4) + "…")
  }

  /// A match within a character marks all of it.
  @Test func aMatchMarksWholeCharacters() throws {
    #expect(
      try snippets("茶", in: "緑茶\u{FE0F}と", tokenizer: .trigrams).map(\.description) == ["緑[茶\u{FE0F}]と"])
  }

  @Test(arguments: [1, 2, 3, 4])
  func everyMatchIsMarkedWhereAPlainSearchFindsIt(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      func letters(_ count: ClosedRange<Int>) -> [Character] {
        (0..<Int.random(in: count, using: &random)).map { _ in
          ["a", "b"].randomElement(using: &random) ?? "a"
        }
      }
      let (text, term) = (letters(0...30), letters(1...4))
      let plain = text.indices.filter { text[$0...].starts(with: term) }
      #expect(TextHighlighter.positions(of: term, in: text) == plain, "\(String(term)) in \(String(text))")
    }
  }
}
