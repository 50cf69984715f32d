import Foundation
import TenonDocuments
import TenonSQLite
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Documents are found by the words that they contain.
@Suite(.limited) struct TextSearchTests {
  static let settings = StoreSettings(textIndexes: [TextIndex("notes", "title", "body")])

  /// Returns a database with notes whose text is indexed.
  static func makeNotes(
    _ directory: TestDirectory? = nil, remote: FakeStoreRemote? = nil
  ) async throws -> Store {
    let store = makeStore(directory, remote: remote, settings: settings)
    try await write(
      [
        "green": [
          "title": "Green tea", "body": "Leaves of the tea plant that are not oxidized.", "rating": 3,
        ],
        "black": [
          "title": "Black tea", "body": "Strong, with milk; not green at all. Tea for two.", "rating": 5,
        ],
        "matcha": ["title": "Matcha", "body": "Powder of green tea leaves, whisked.", "rating": 4],
        "coffee": [
          "title": "Coffee", "body": "Caffè, crème and Käsekuchen — it's a café thing.", "rating": 5,
        ],
      ], to: store)
    return store
  }

  static func write(_ documents: [String: Fields], to store: Store) async throws {
    let batch = store.batch()
    for (id, fields) in documents { try batch.setData(fields, forDocument: store.document("notes/\(id)")) }
    try await batch.commit()
  }

  @Test(arguments: [
    ("green", ["black", "green", "matcha"]),
    ("GREEN Tea", ["black", "green", "matcha"]),
    ("green AND tea", ["black", "green", "matcha"]),
    ("\"green tea\"", ["green", "matcha"]),
    ("\"tea green\"", []),
    ("gre", []),
    ("gre*", ["black", "green", "matcha"]),
    ("\"green te\"*", ["green", "matcha"]),
    ("cof* OR matcha", ["coffee", "matcha"]),
    ("tea NOT matcha", ["black", "green"]),
    ("tea -matcha -milk", ["green"]),
    ("tea -(matcha OR milk)", ["green"]),
    ("tea -\"tea plant\"", ["black", "matcha"]),
    ("(coffee OR matcha) café", ["coffee"]),
    ("coffee OR matcha whisked", ["coffee", "matcha"]),
    ("cafe caffe creme kasekuchen", ["coffee"]),
    ("CAFÉ", ["coffee"]),
    ("it's", ["coffee"]),
    ("not-green", ["black"]),
    ("milk;", ["black"]),
    ("oxidized.", ["green"]),
    ("nothing", []),
    ("3", []),
    ("and", ["coffee"]),
    ("NEAR(green tea)", []),
    ("title:green", []),
  ])
  func wordsPhrasesPrefixesAndOperators(text: String, ids: [String]) async throws {
    let store = try await Self.makeNotes()
    let found = try await store.collection("notes").search(text).getDocuments()
    #expect(found.map(\.document.documentID).sorted() == ids)
  }

  /// A text is searched for while it is being typed.
  @Test(arguments: [
    ("", 0), (" ", 0), ("\"", 0), ("\"\"", 0), ("*", 0), ("-", 0), ("- tea", 3), ("--", 0), ("(", 0),
    (")", 0),
    ("()", 0), ("AND", 0), ("OR", 0), ("NOT", 0), ("NOT tea", 0), ("-tea", 0), ("tea OR", 3), ("OR tea", 3),
    ("tea AND", 3), ("tea NOT", 3), ("tea -", 3), ("tea (", 3), ("(tea", 3), ("tea)", 3), ("\"tea", 3),
    ("tea \"", 3), ("tea ...", 3), ("tea*)(*", 3), ("tea AND OR NOT green", 3), ("tea OR -", 3),
    ("((((tea))))", 3), ("\u{0}tea\u{0}", 3), ("tea\"", 3), ("a\"b", 0), ("💚", 0), ("tea 💚", 3),
    ("tea :^{}+$'\\%_;--/**/", 3), ("tea (-matcha)", 2), ("tea (-matcha -(-milk))", 1),
    ("tea (-matcha OR -milk)", 3), ("tea OR (-matcha)", 3), ("(-tea)", 0), ("-(-tea)", 3),
    ("coffee OR -tea", 1), ("tea 🥳", 3), ("tea🥳", 3), ("tea🥳*", 3),
  ])
  func whatIsIncompleteOrSaysNothingIsIgnored(text: String, count: Int) async throws {
    let store = try await Self.makeNotes()
    #expect(try await store.collection("notes").search(text).getDocuments().count == count, "\(text)")
  }

  @Test(arguments: TextIndex.Tokenizer.allCases)
  func textsBeyondTheLimitsAreRefused(tokenizer: TextIndex.Tokenizer) async throws {
    let store = makeStore(
      settings: StoreSettings(textIndexes: [TextIndex("notes", "title", tokenizer: tokenizer)]))
    try await store.document("notes/a").setData(["title": "abc x"])
    let allowed = [
      String(repeating: "a", count: 4_096), Array(repeating: "abc", count: 128).joined(separator: " "),
      Array(repeating: "abc", count: 128).joined(separator: " OR "),
      String(repeating: "(", count: 16) + "abc" + String(repeating: ")", count: 16),
      String(repeating: "(abc) ", count: 100), String(repeating: "NOT ", count: 1_000),
      Array(repeating: "-abc", count: 127).joined(separator: " ") + " x",
    ]
    for text in allowed { _ = try await store.collection("notes").search(text).getDocuments() }
    let refused = [
      (String(repeating: "a", count: 4_097), "4097 bytes"),
      (Array(repeating: "abc", count: 129).joined(separator: " "), "128 words and phrases"),
      (String(repeating: "(", count: 17) + "abc", "16 open parentheses"),
    ]
    for (text, part) in refused {
      let error = await #expect(throws: StoreError.self) {
        try await store.collection("notes").search(text).getDocuments()
      }
      #expect(
        error?.code == .invalidArgument && error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
  }

  /// FTS5's parser allows 100 places on its stack.
  @Test(arguments: TextIndex.Tokenizer.allCases)
  func theDeepestNestingIsAllowedInEachPosition(tokenizer: TextIndex.Tokenizer) async throws {
    let store = makeStore(
      settings: StoreSettings(textIndexes: [TextIndex("notes", "title", tokenizer: tokenizer)]))
    try await store.document("notes/a").setData(["title": "abc"])
    for level in [
      "abc -(def OR ", "abc -ghi -(def OR jkl OR ", "abc abc (abc OR ",
      "def OR abc -def -ghi -(jkl OR def ghi ",
      "(", "abc OR abc (", "abc -(def ghi OR def -ghi OR ", "-(", "abc -def -(ghi (jkl OR ",
    ] {
      let open = level.count { $0 == "(" }
      let text = String(repeating: level, count: 16 / open) + "abc"
      let found = try await store.collection("notes").search(text).getDocuments()
      #expect(found.count <= 1, "\(level)")
    }
  }

  /// The tables of SQLite treat emoji that are newer than Unicode 6.1 like letters.
  @Test(arguments: ["tea🥳", "🫖tea", "my tea🥳🫖!", "💚tea", "tea👩🏽‍🚀", "tea\u{1F1E9}\u{1F1EA}"])
  func aWordBesideEmojiIsFound(title: String) async throws {
    let store = makeStore(settings: Self.settings)
    let note = store.document("notes/a")
    try await note.setData(["title": .string(title)])
    let found = try await store.collection("notes").search("tea").getDocuments()
    #expect(found.map { $0.snippets().map { $0.matches.map { _ in "tea" } } } == [[["tea"]]])
    #expect(found.first?.snippets().first?.text == title)
    try await note.setData(["title": "🥳"])
    #expect(try await store.collection("notes").search("tea").getDocuments().isEmpty)
  }

  @Test func withoutAnOrderTheBestMatchComesFirst() async throws {
    let store = try await Self.makeNotes()
    let found = try await store.collection("notes").search("tea").getDocuments()
    // Twice, twice in a longer text, once.
    #expect(found.map(\.document.documentID) == ["green", "black", "matcha"])
    #expect(found.map(\.rank) == found.map(\.rank).sorted() && Set(found.map(\.rank)).count == 3)
    let best = try await store.collection("notes").limit(to: 2).search("tea").getDocuments()
    #expect(best.map(\.document.documentID) == ["green", "black"])
  }

  @Test func conditionsOrdersCursorsAndLimitsAreThoseOfTheQuery() async throws {
    let store = try await Self.makeNotes()
    let notes = store.collection("notes")
    func ids(_ query: some Queryable) async throws -> [String] {
      try await query.search("tea OR coffee").getDocuments().map(\.document.documentID)
    }
    let ordered = notes.order(by: "rating", descending: true).order(by: "title")
    #expect(try await ids(ordered) == ["black", "coffee", "matcha", "green"])
    #expect(try await ids(ordered.limit(to: 3)) == ["black", "coffee", "matcha"])
    #expect(try await ids(ordered.limit(toLast: 2)) == ["matcha", "green"])
    #expect(try await ids(ordered.start(after: 5, "Black tea").limit(to: 2)) == ["coffee", "matcha"])
    #expect(
      try await ids(notes.whereField("rating", isGreaterThan: 3).limit(to: 5)).sorted() == [
        "black", "coffee", "matcha",
      ])
    #expect(try await ids(notes.whereField("rating", isEqualTo: 4)) == ["matcha"])
    #expect(try await ids(notes.order(by: "missing")) == [])
    // A cursor at a document makes the order of the query explicit.
    let green = try await store.document("notes/green").getDocument()
    #expect(try await ids(notes.start(atDocument: green)) == ["green", "matcha"])
    await #expect(throws: StoreError.self) { try await notes.limit(to: 0).search("tea").getDocuments() }
  }

  /// More documents than are kept while they are sorted.
  @Test func anOrderedResultWithALimitIsThatOfASort() async throws {
    let store = makeStore(settings: Self.settings)
    for part in 0..<8 {
      try await Self.write(
        Dictionary(
          uniqueKeysWithValues: (0..<400).map {
            let number = part * 400 + $0
            return ("\(number)", ["title": "tea", "n": .integer(Int64(number * 7_919 % 3_200))])
          }), to: store)
    }
    let notes = store.collection("notes").order(by: "n")
    let found = try await notes.limit(to: 10).search("tea").getDocuments()
    #expect(found.map { $0.document.fields["n"] } == (0..<10).map { .integer($0) })
    #expect(
      try await notes.search("tea").getDocuments().map { $0.document.fields["n"] }
        == (0..<3_200).map { .integer($0) })
  }

  @Test func aSearchIsOfTheQuerysCollections() async throws {
    let store = makeStore(settings: Self.settings)
    for path in ["notes/a", "users/1/notes/b", "users/2/notes/c", "others/d"] {
      try await store.document(path).setData(["title": "tea"])
    }
    func paths(_ query: some Queryable) async throws -> [String] {
      try await query.search("tea").getDocuments().map(\.document.reference.path).sorted()
    }
    #expect(try await paths(store.collection("notes")) == ["notes/a"])
    #expect(try await paths(store.collection("users/2/notes")) == ["users/2/notes/c"])
    #expect(
      try await paths(store.collectionGroup("notes")) == ["notes/a", "users/1/notes/b", "users/2/notes/c"])
    #expect(try await paths(store.collection("users/3/notes")) == [])
  }

  @Test func stringsInArraysAndMapsAreSearchedAndOtherValuesAreNot() async throws {
    let store = makeStore(settings: StoreSettings(textIndexes: [TextIndex("notes", "tags", "author.name")]))
    try await store.document("notes/a").setData(
      [
        "tags": ["herbal", ["kind": "mint"], 7, ["deep": ["fen\u{0}nel"]]],
        "author": ["name": "Ann", "mail": "post"],
      ] as Fields)
    for (text, count) in [("herbal mint fen nel ann", 1), ("post", 0), ("7", 0), ("kind", 0)] {
      #expect(try await store.collection("notes").search(text).getDocuments().count == count, "\(text)")
    }
  }

  @Test func aWriteIsFoundWhenItHasReturned() async throws {
    let store = try await Self.makeNotes()
    let note = store.document("notes/new")
    func find(_ text: String) async throws -> [String] {
      try await store.collection("notes").search(text).getDocuments().map(\.document.documentID)
    }
    try await note.setData(["title": "Rooibos"])
    #expect(try await find("rooibos") == ["new"])
    try await note.updateData(["title": "Honeybush"])
    #expect(try await find("rooibos") == [])
    #expect(try await find("honeybush") == ["new"])
    try await note.updateData(["title": FieldValue.delete()])
    #expect(try await find("honeybush") == [])
    try await note.updateData(["title": ["Honeybush", "Rooibos"]])
    #expect(try await find("rooibos") == ["new"])
    try await note.delete()
    #expect(try await find("rooibos OR honeybush") == [])
    try await store.document("notes/other").setData(["title": "Honeybush"])
    #expect(try await find("rooibos OR honeybush") == ["other"])
    try await store.deleteCollection("notes")
    #expect(try await find("tea OR honeybush") == [])
  }

  /// Texts that Swift's `==` considers equal consist of other words, or trigrams.
  @Test(arguments: TextIndex.Tokenizer.allCases)
  func aTextIsReplacedByACanonicallyEquivalentOne(tokenizer: TextIndex.Tokenizer) async throws {
    let store = makeStore(
      settings: StoreSettings(textIndexes: [TextIndex("notes", "title", tokenizer: tokenizer)]))
    let note = store.document("notes/a")
    let (composed, decomposed) = (
      "\u{D55C}\u{AD6D}\u{C5B4}", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}\u{110B}\u{1165}"
    )
    #expect(composed == decomposed)
    func count(_ text: String) async throws -> Int {
      try await store.collection("notes").search(text).getDocuments().count
    }
    try await note.setData(["title": .init(composed)])
    #expect(try await [count(composed), count(decomposed)] == [1, 0])
    try await note.setData(["title": .init(decomposed)])
    #expect(try await [count(composed), count(decomposed)] == [0, 1])
    try await note.delete()
    try await store.document("notes/b").setData(["title": "other"])
    #expect(try await [count(composed), count(decomposed)] == [0, 0])
  }

  @Test func aCollectionWithoutATextIndexCannotBeSearched() async throws {
    let store = try await Self.makeNotes()
    let error = await #expect(throws: StoreError.self) {
      try await store.collection("others").search("tea").getDocuments()
    }
    #expect(error?.code == .failedPrecondition)
    #expect(error?.message.contains("StoreSettings(textIndexes: [TextIndex(\"others\", \"field\")])") == true)
    var snapshots = store.collection("others").search("tea").snapshots.makeAsyncIterator()
    await #expect(throws: StoreError.self) { try await snapshots.next() }
  }

  // MARK: - Trigrams

  @Test(arguments: [
    ("茶", ["cn", "ja"]), ("緑茶", ["ja"]), ("茶が好", ["ja"]), ("を飲", ["jb"]), ("绿 茶", ["cn"]), ("茶 -緑", ["cn"]),
    ("み", ["jb"]), ("飲みます", ["jb"]), ("ชา", ["th"]), ("ดื่มชา", ["th"]), ("TEA", ["en"]), ("ea", ["en"]),
    ("E", ["en"]),
    ("reen te", ["en"]), ("reen -te", []), ("\"reen te\"", ["en"]), ("\"n \"", ["en"]), ("x", []), ("茶茶", []),
    ("。", ["ja"]),
    ("", []),
  ])
  func partsOfATextAreFoundInLanguagesWithoutSpaces(text: String, ids: [String]) async throws {
    let store = makeStore(
      settings: StoreSettings(textIndexes: [TextIndex("notes", "text", tokenizer: .trigrams)]))
    try await Self.write(
      [
        "ja": ["text": "緑茶が好きです。"], "jb": ["text": "コーヒーを飲みます"], "cn": ["text": "我喜欢绿茶"],
        "th": ["text": "ฉันดื่มชาทุกวัน"], "en": ["text": "Green Tea"],
      ], to: store)
    let found = try await store.collection("notes").search(text).getDocuments()
    #expect(found.map(\.document.documentID).sorted() == ids)
    for document in found where !text.contains("-") {
      #expect(document.snippets().first?.matches.isEmpty == false, "\(document.snippets())")
    }
  }

  @Test func aShortTermMayContinueInManyWays() async throws {
    let store = makeStore(
      settings: StoreSettings(textIndexes: [TextIndex("notes", "text", tokenizer: .trigrams)]))
    let scalars = (0..<2_001).compactMap { Unicode.Scalar(0x4E00 + $0) }
    try await Self.write(
      [
        "many": ["text": .string(scalars.map { "x\($0)" }.joined())], "one": ["text": "yx\u{10FFFF}z"],
        "none": ["text": "y"],
      ], to: store)
    func ids(_ text: String) async throws -> [String] {
      try await store.collection("notes").search(text).getDocuments().map(\.document.documentID)
    }
    // Best first.
    #expect(try await ids("x") == ["many", "one"])
    #expect(try await ids("x\u{4E00}") == ["many"])
    #expect(try await ids("y -x") == ["none"])
  }

  /// The more often a short term occurs, and the fewer documents contain it, the better.
  @Test func shortTermsAreRanked() async throws {
    let store = makeStore(
      settings: StoreSettings(textIndexes: [TextIndex("notes", "text", tokenizer: .trigrams)]))
    try await Self.write(
      [
        "a": ["text": "茶"], "b": ["text": "茶茶茶"], "c": ["text": "茶茶"], "d": ["text": "酒"], "e": ["text": "水"],
        "f": ["text": "水"], "g": ["text": "水"],
      ], to: store)
    let found = try await store.collection("notes").search("茶 OR 酒").getDocuments()
    #expect(
      found.map(\.document.documentID) == ["b", "d", "c", "a"] || found.first?.document.documentID == "d")
    let ranks = Dictionary(uniqueKeysWithValues: found.map { ($0.document.documentID, $0.rank) })
    #expect(found.map(\.rank) == found.map(\.rank).sorted() && found.allSatisfy { $0.rank < 0 })
    #expect(try #require(ranks["b"]) < #require(ranks["c"]) && #require(ranks["c"]) < #require(ranks["a"]))
    #expect(try #require(ranks["d"]) < #require(ranks["a"]))
  }

  /// Characters that differ only in case according to SQLite are equal, also those that Swift's lower case
  /// leaves different.
  @Test(arguments: [
    ("λόγος", ["ος", "ΟΣ", "οσ", "όγος", "ΌΓΟΣ", "ς"]), ("µm", ["\u{3BC}m", "µM", "µ"]),
    ("ſt", ["ST", "s"]), ("ԨԪԬ", ["ԨԪ", "ԨԪԬ"]), ("ᎠᎡᎢ", ["ᎠᎡᎢ", "Ꭱ"]), ("İx", ["İ", "İX"]),
  ])
  func caseIsIgnoredInTermsOfAnyLength(title: String, texts: [String]) async throws {
    let store = makeStore(
      settings: StoreSettings(textIndexes: [TextIndex("notes", "title", tokenizer: .trigrams)]))
    try await store.document("notes/a").setData(["title": .string(title)])
    for text in texts {
      let found = try await store.collection("notes").search(text).getDocuments()
      #expect(found.count == 1, "\(text)")
      #expect(found.first?.snippets().first?.matches.isEmpty == false, "\(text)")
    }
  }

  /// The tokenizer ends at a zero.
  @Test func textBehindAZeroIsFoundAndRemoved() async throws {
    let store = makeStore(
      settings: StoreSettings(textIndexes: [TextIndex("notes", "title", "tags", tokenizer: .trigrams)]))
    let note = store.document("notes/a")
    try await note.setData(["title": "abc\u{0}defg", "tags": ["\u{0}", "xyz\u{0}"]] as Fields)
    func count(_ text: String) async throws -> Int {
      try await store.collection("notes").search(text).getDocuments().count
    }
    for text in ["abc", "defg", "fg", "xyz", "\"c\u{0}d\"", "\"abc def\""] {
      #expect(try await count(text) == 1, "\(text)")
    }
    try await note.setData(["title": "other"])
    for text in ["abc", "defg", "fg", "xyz"] { #expect(try await count(text) == 0, "\(text)") }
  }

  /// What is being typed, where every character is compared.
  @Test(arguments: [
    ("tea -", 1), ("- tea", 1), ("tea - milk", 0), ("tea -m", 1), ("\"-\"", 0), ("tea \"", 1), ("*", 0),
    ("tea OR -", 1), ("-", 0), ("tea (", 1), ("te -ea", 0), ("(te OR xy) gre", 1), ("te -(gr OR xy)", 0),
    ("te gr -(xy OR xyz)", 1), ("te (-xy)", 1), ("te (-gr)", 0), ("xyz OR (te -gr) OR gre", 1),
  ])
  func incompleteTextsFindPartsAsWell(text: String, count: Int) async throws {
    let store = makeStore(
      settings: StoreSettings(textIndexes: [TextIndex("notes", "title", tokenizer: .trigrams)]))
    try await store.document("notes/a").setData(["title": "Green tea"])
    #expect(try await store.collection("notes").search(text).getDocuments().count == count, "\(text)")
  }

  @Test func aSearchEndsWhenItsTaskIsCancelled() async throws {
    for tokenizer in TextIndex.Tokenizer.allCases {
      let store = makeStore(
        settings: StoreSettings(textIndexes: [TextIndex("notes", "title", tokenizer: tokenizer)]))
      try await store.document("notes/a").setData(["title": "tea"])
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await store.collection("notes").search("tea OR a").getDocuments().count
      }
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  // MARK: - Against a plain implementation

  /// After random writes, every search finds what comparing the words of all documents finds.
  @Test(arguments: DeepTests.few(1, of: [1, 2, 3]))
  func searchesFindWhatComparingAllDocumentsFinds(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let store = makeStore(settings: Self.settings)
    let words = ["tea", "green", "black", "milk", "honey", "teapot"]
    func text(_ random: inout SeededGenerator) -> [String] {
      (0..<Int.random(in: 0...5, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
    }
    var expected: [String: Set<String>] = [:]
    for round in 0..<40 {
      let batch = store.batch()
      var written: Set<String> = []
      for _ in 0..<10 {
        let id = "\(Int.random(in: 0..<60, using: &random))"
        guard written.insert(id).inserted else { continue }
        if Int.random(in: 0..<4, using: &random) == 0 {
          try batch.deleteDocument(store.document("notes/\(id)"))
          expected[id] = nil
        } else {
          let (title, body) = (text(&random), text(&random))
          try batch.setData(
            ["title": .string(title.joined(separator: " ")), "body": .string(body.joined(separator: ", "))],
            forDocument: store.document("notes/\(id)"))
          expected[id] = Set(title + body)
        }
      }
      try await batch.commit()
      let (first, second) = (words[round % 6], words[(round / 6) % 6])
      let searches: [(String, (Set<String>) -> Bool)] = [
        ("\(first) \(second)", { $0.contains(first) && $0.contains(second) }),
        ("\(first) OR \(second)", { $0.contains(first) || $0.contains(second) }),
        ("\(first) -\(second)", { $0.contains(first) && !$0.contains(second) }),
        ("tea*", { !$0.isDisjoint(with: ["tea", "teapot"]) }),
      ]
      for (text, matches) in searches {
        let found = try await store.collection("notes").search(text).getDocuments()
        #expect(
          found.map(\.document.documentID).sorted() == expected.filter { matches($0.value) }.keys.sorted(),
          "round \(round): \(text)")
        #expect(found.allSatisfy { !$0.snippets().isEmpty }, "round \(round): \(text)")
      }
    }
  }

  /// Terms of any length, in any combination, find the documents that contain them.
  @Test(arguments: [1, 2, 3])
  func partsAreFoundWhereComparingAllTextsFindsThem(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let store = makeStore(
      settings: StoreSettings(textIndexes: [TextIndex("notes", "title", tokenizer: .trigrams)]))
    func letters(_ count: ClosedRange<Int>, _ random: inout SeededGenerator) -> String {
      String(
        (0..<Int.random(in: count, using: &random)).map { _ in "abc茶".randomElement(using: &random) ?? "a" })
    }
    var texts: [String: String] = [:]
    for number in 0..<60 { texts["\(number)"] = letters(1...8, &random) }
    try await Self.write(texts.mapValues { ["title": .string($0)] }, to: store)
    for number in 0..<20 { texts["\(number)"] = letters(1...8, &random) }
    try await Self.write(texts.mapValues { ["title": .string($0)] }, to: store)

    /// Returns a search text, and whether it finds a title.
    func make(_ depth: Int, _ random: inout SeededGenerator) -> (String, (String) -> Bool) {
      guard depth > 0, Int.random(in: 0..<4, using: &random) > 0 else {
        let term = letters(1...4, &random)
        return (term, { $0.contains(term) })
      }
      let (first, second) = (make(depth - 1, &random), make(depth - 1, &random))
      switch Int.random(in: 0..<3, using: &random) {
      case 0: return ("(\(first.0) \(second.0))", { first.1($0) && second.1($0) })
      case 1: return ("(\(first.0) OR \(second.0))", { first.1($0) || second.1($0) })
      default: return ("(\(first.0) -\(second.0))", { first.1($0) && !second.1($0) })
      }
    }
    for _ in 0..<150 {
      let (text, matches) = make(4, &random)
      let found = try await store.collection("notes").search(text).getDocuments()
      #expect(
        found.map(\.document.documentID).sorted() == texts.filter { matches($0.value) }.keys.sorted(),
        "\(text)")
    }
  }

  /// Whatever is typed, and whatever the documents contain: nothing is an error within the limits, and what
  /// is found is marked.
  @Test(arguments: TextIndex.Tokenizer.allCases, DeepTests.few(1, of: [1, 2, 3] as [UInt64]))
  func noTextIsAnError(tokenizer: TextIndex.Tokenizer, seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let store = makeStore(
      settings: StoreSettings(textIndexes: [TextIndex("notes", "title", "body", tokenizer: tokenizer)]))
    let parts = [
      "(", ")", "(", ")", "\"", "*", "-", " ", " ", " ", " ", " AND ", " OR ", " NOT ", "NEAR(", "tea",
      "teas", "te", "t", "茶", "紅茶",
      "\u{0}", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{202E}", "🥳", "💚", "'", ":", "^", "{", "}", "+", "title",
      "f0:", "\\", "\u{FFFD}",
      "\u{10FFFF}", "É", "é", "ß", "ẞ", "İ", "ı", "ς", "Σ", "\n", "\t", "1", "½", "ﷺ", "ดื่ม", "한",
      "\u{1112}\u{1161}",
    ]
    func text(_ count: ClosedRange<Int>) -> String {
      (0..<Int.random(in: count, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
        .joined()
    }
    var documents: [String: Fields] = [:]
    for number in 0..<80 {
      documents["\(number)"] = [
        "title": .string(text(0...6)), "body": [.string(text(0...30)), 7, .string(text(0...3))],
      ]
    }
    try await Self.write(documents, to: store)
    var total = 0
    for _ in 0..<400 {
      let search = text(0...12)
      let found = try await store.collection("notes").search(search).getDocuments()
      total += found.count
      for document in found {
        let length = [Int.min, -1, 0, 1, 2, 7, 120, Int.max].randomElement(using: &random) ?? 1
        let snippets = document.snippets(length: length)
        let (id, fields) = (document.document.documentID, document.document.fields)
        #expect(!snippets.isEmpty, "\(search.debugDescription) in \(id): \(fields)")
        for snippet in snippets {
          #expect(!snippet.matches.isEmpty && snippet.matches.allSatisfy { !$0.isEmpty })
          #expect(snippet.marked("", "") == snippet.text)
        }
      }
    }
    #expect(total > 300)
    // Nothing is left of what is deleted.
    try await store.deleteCollection("notes")
    #expect(try await store.engine.use { try $0.connection.isEmptyTextIndex() })
  }

  // MARK: - The remote

  /// Drafts exist only on this device, so nothing newer can exist elsewhere.
  @Test(arguments: ["notes", "drafts"])
  func documentsAreFromTheCacheUnlessTheyExistOnlyOnThisDevice(collection: String) async throws {
    let settings = StoreSettings(
      textIndexes: [TextIndex(collection, "title")], localCollections: ["drafts"])
    let store = makeStore(remote: FakeStoreRemote(), settings: settings)
    try await store.document("\(collection)/a").setData(["title": "tea"])
    let found = try await store.collection(collection).search("tea").getDocuments()
    #expect(found.map(\.document.metadata.isFromCache) == [collection == "notes"])
    await store.terminate()
  }

  @Test func pendingWritesAreFoundAndThoseThatAreRejectedAreNot() async throws {
    let remote = FakeStoreRemote()
    let store = try await Self.makeNotes(remote: remote)
    try await store.waitForPendingWrites()
    try await store.disableNetwork()
    let write = try await store.document("notes/green").updateData(["title": "Rooibos"])
    let found = try await store.collection("notes").search("rooibos").getDocuments()
    #expect(found.map(\.document.documentID) == ["green"])
    #expect(found.first?.document.metadata == SnapshotMetadata(hasPendingWrites: true, isFromCache: true))
    let queued = try #require(try await store.queuedWrites.first)
    #expect(try await store.cancelQueuedWrite(queued.id))
    await #expect(throws: (any Error).self) { try await write.confirmed() }
    #expect(try await store.collection("notes").search("rooibos").getDocuments().isEmpty)
    #expect(try await store.collection("notes").search("\"green tea\"").getDocuments().count == 2)
    await store.terminate()
  }
}

extension Connection {
  /// Whether no word or trigram is left in the only text index.
  fileprivate func isEmptyTextIndex() throws -> Bool {
    let table = try first("SELECT 'text_' || id FROM indexes WHERE kind = 5") { $0.text(0) } ?? ""
    // FTS5 compares nothing with a table that has no content; merging drops the entries of deleted rows.
    try run("INSERT INTO \(table) (\(table)) VALUES ('optimize')")
    try execute("CREATE VIRTUAL TABLE temp.left_terms USING fts5vocab(main, \(table), row)")
    defer { try? execute("DROP TABLE temp.left_terms") }
    return try first("SELECT count(*) FROM temp.left_terms") { $0.integer(0) } == 0
  }
}
