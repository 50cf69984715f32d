import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import Testing

@Suite(.limited) struct RulesTests {
  @Test(
    arguments: [
      ("rooms", "rooms"), ("/rooms/", "rooms"), ("rooms/den/messages", "rooms/den/messages"),
      ("__id7__", "__id7__"),
    ])
  func collectionPathsHaveAnOddNumberOfSegments(text: String, expected: String) throws {
    #expect(try ResourcePath(collection: text).text == expected)
  }

  @Test(
    arguments: [
      ("", "is empty"), ("rooms/den", "segments"), ("rooms//den", "is empty"), ("a/b/.", "may not be"),
      ("a/b/..", "may not be"), ("__reserved__", "reserved"), (String(repeating: "x", count: 1501), "1,500"),
      (Array(repeating: "a", count: 201).joined(separator: "/"), "100 pairs"),
    ])
  func aBadPathIsNamed(text: String, expected: String) {
    let thrown = #expect(throws: DocumentError.self) { try ResourcePath(collection: text) }
    #expect(thrown?.code == .badPath)
    #expect(thrown?.message.contains(expected) == true, "\(thrown?.message ?? "")")
  }

  @Test func theErrorForAnInvalidPathCountsItsSegments() {
    let one = #expect(throws: DocumentError.self) { try ResourcePath(document: "rooms") }
    #expect(one?.message.hasSuffix("it has 1 segment, not an even number.") == true, "\(one?.message ?? "")")
    let three = #expect(throws: DocumentError.self) { try ResourcePath(document: "a/b/c") }
    #expect(three?.message.hasSuffix("it has 3 segments, not an even number.") == true)
    let two = #expect(throws: DocumentError.self) { try ResourcePath(collection: "a/b") }
    #expect(two?.message.hasSuffix("it has 2 segments, not an odd number.") == true)
    let checked = #expect(throws: DocumentError.self) { try ResourcePath(segments: ["a"]).checkDocument() }
    #expect(checked?.message.hasSuffix("it has 1 segment, not an even number.") == true)
  }

  @Test(
    arguments: [
      ("", "empty"), ("a..b", "empty"), (".a", "empty"), ("a[0]", "\"[\""), ("a*", "\"*\""),
      ("a.__b__", "reserved"),
    ])
  func anInvalidFieldPathIsNamed(text: String, expected: String) {
    let thrown = #expect(throws: DocumentError.self) { try FieldPath(dotted: text) }
    #expect(thrown?.code == .badField)
    #expect(thrown?.message.contains(expected) == true, "\(thrown?.message ?? "")")
  }

  @Test(arguments: [(["a", "b"], "a.b"), (["a b", "c`\\d"], "`a b`.`c\\`\\\\d`"), (["1a"], "`1a`")])
  func fieldPathsAreWrittenAsTheServerWritesThem(names: [String], expected: String) {
    #expect(FieldPath(names).text == expected)
  }

  @Test(
    arguments: [
      (["a": [[1]]], "a"), (["a": ["b": .timestamp(Timestamp(seconds: 253_402_300_800))]], "a.b"),
      (["a": .geoPoint(GeoPoint(latitude: 91, longitude: 0))], "a"),
      (["a": .geoPoint(GeoPoint(latitude: 0, longitude: .nan))], "a"), (["__a__": 1], "__a__"),
      (["": 1], "``"),
      (["v": .vector(Array(repeating: 0, count: 2049))], "v"),
    ] as [(Fields, String)]
  )
  func aBadValueIsNamedByItsField(fields: Fields, field: String) throws {
    let path = try ResourcePath(document: "c/d")
    let thrown = #expect(throws: DocumentError.self) { try fields.checkDocument(at: path) }
    #expect(thrown?.message.contains("\"\(field)\"") == true, "\(thrown?.message ?? "")")
  }

  @Test func depthAndSizeAreLimited() throws {
    let path = try ResourcePath(document: "c/d")
    var deep: Value = 1
    for _ in 0..<20 { deep = ["a": deep] }
    try Fields(["a": deep]).checkDocument(at: path)
    #expect(throws: DocumentError.self) { try Fields(["a": ["a": deep]]).checkDocument(at: path) }
    // The path counts for 20 bytes, the document for 32, the name for 2, and the text for its bytes plus 1.
    let most = 1_048_576 - 20 - 32 - 2 - 1
    try Fields(["a": .string(String(repeating: "x", count: most))]).checkDocument(at: path)
    let thrown = #expect(throws: DocumentError.self) {
      try Fields(["a": .string(String(repeating: "x", count: most + 1))]).checkDocument(at: path)
    }
    #expect(thrown?.code == .tooLarge)
  }

  @Test func automaticIDsAreTwentyLettersAndDigits() {
    let ids = Set((0..<1000).map { _ in AutomaticID.make() })
    #expect(ids.count == 1000)
    #expect(ids.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9]{20}/) != nil })
  }
}
