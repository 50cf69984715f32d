import TenonTestSupport
import TenonTesting
import TenonValues
import Testing

/// The rules for the paths of documents, collections and fields.
@Suite(.limited) struct PathTests {
  @Test(
    arguments: [
      ("rooms", "rooms"), ("/rooms/", "rooms"), ("rooms/den/messages", "rooms/den/messages"),
      ("rooms/__id7__/messages", "rooms/__id7__/messages"),
    ])
  func collectionPathsHaveAnOddNumberOfSegments(text: String, expected: String) throws {
    #expect(try ResourcePath(collection: text).text == expected)
  }

  @Test(
    arguments: [
      ("", "is empty"), ("rooms/den", "segments"), ("__id7__", "reserved"), ("rooms//den", "is empty"),
      ("a/b/.", "may not be"),
      ("a/b/..", "may not be"), ("__reserved__", "reserved"), (String(repeating: "x", count: 1501), "1,500"),
      (Array(repeating: "a", count: 201).joined(separator: "/"), "100 pairs"),
    ])
  func aBadPathIsNamed(text: String, expected: String) {
    let thrown = #expect(throws: DocumentError.self) { try ResourcePath(collection: text) }
    #expect(thrown?.code == .badPath)
    #expect(thrown?.message.contains(expected) == true, "\(thrown?.message ?? "")")
  }

  @Test(arguments: ["", "/"]) func anEmptyPathIsSaidToBeEmpty(path: String) {
    let document = #expect(throws: DocumentError.self) { try ResourcePath(document: path) }
    #expect(
      document?.message == "The path of a document is empty: \"\(path)\". Write one such as \"rooms/den\".")
    let collection = #expect(throws: DocumentError.self) { try ResourcePath(collection: path) }
    #expect(
      collection?.message == "The path of a collection is empty: \"\(path)\". Write one such as \"rooms\".")
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
}
