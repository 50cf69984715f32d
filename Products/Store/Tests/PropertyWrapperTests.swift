import Foundation
import TenonStore
import TenonTestSupport
import Testing

/// `@DocumentID`, `@ServerTimestamp` and `@ExplicitNull` in models that are written and read.
@Suite(.limited) struct PropertyWrapperTests {
  private struct Note: Codable, Equatable {
    @DocumentID var id: String?
    @DocumentID var reference: DocumentReference?
    var title: String
    @ServerTimestamp var created: Date?
    @ServerTimestamp var changed: Timestamp?
    @ExplicitNull var due: Date?
    var omitted: Int?
    var other: DocumentReference?
  }

  private static let time = Timestamp(seconds: 1_000, nanoseconds: 987_654_321)

  @Test func aModelIsWrittenWithTheServersTimeAndReadWithItsID() async throws {
    let page = makeStore(now: Self.time).document("pages/tea")
    let seen = Timestamp(seconds: 1_000, nanoseconds: 987_000_000)
    let set = Timestamp(seconds: 5)
    let note = Note(
      id: "ignored", reference: nil, title: "Tea", created: nil, changed: set, due: nil,
      other: page.parent.document("coffee"))
    try await page.setData(from: note)
    let document = try await page.getDocument()
    #expect(
      document.fields == [
        "title": "Tea", "created": .timestamp(seen), "changed": .timestamp(set), "due": .null,
        "other": .reference(ResourcePath(segments: ["pages", "coffee"])),
      ])
    let read = try document.data(as: Note.self)
    #expect(read.id == "tea" && read.reference == page && read.title == "Tea" && read.omitted == nil)
    #expect(read.created == seen.dateValue() && read.changed == set && read.due == nil)
    #expect(read.other == page.parent.document("coffee"))
    #expect(try await page.getDocument(as: Note.self) == read)
  }

  @Test func timestampsInMapsAndMergesAreSet() async throws {
    struct Outer: Codable {
      struct Inner: Codable { @ServerTimestamp var at: Date?; var n: Int }
      @ServerTimestamp var at: Timestamp?
      var inner: Inner
    }
    let page = makeStore(now: Self.time).document("pages/tea")
    let seen = Value.timestamp(Timestamp(seconds: 1_000, nanoseconds: 987_000_000))
    try await page.setData(["kept": 1])
    try await page.setData(from: Outer(at: nil, inner: .init(at: nil, n: 1)), merge: true)
    #expect(try await page.getDocument().fields == ["kept": 1, "at": seen, "inner": ["at": seen, "n": 1]])
    try await page.setData(
      from: Outer(at: nil, inner: .init(at: Date(timeIntervalSince1970: 1), n: 2)), mergeFields: ["inner"])
    #expect(
      try await page.getDocument().fields?["inner"] == ["at": .timestamp(Timestamp(seconds: 1)), "n": 2])
    let added = try await page.parent.addDocument(from: Outer(at: nil, inner: .init(at: nil, n: 3)))
    #expect(try await added.getDocument().fields?["inner.at" as FieldPath] == seen)
  }

  @Test func aMergeKeepsTheOtherFieldsOfAMapWithOnlyServerTimestamps() async throws {
    struct Outer: Codable {
      struct Inner: Codable { @ServerTimestamp var at: Timestamp? }
      var inner: Inner
    }
    let page = makeStore(now: Timestamp(seconds: 1_000)).document("pages/tea")
    try await page.setData(["inner": ["kept": 1]])
    try await page.setData(from: Outer(inner: .init(at: nil)), merge: true)
    #expect(
      try await page.getDocument().fields?["inner"] == [
        "kept": 1, "at": .timestamp(Timestamp(seconds: 1_000)),
      ])
  }

  @Test func aServerTimestampInAnArrayIsAnErrorThatNamesTheField() async throws {
    struct Item: Codable { @ServerTimestamp var at: Date? }
    struct List: Codable { var items: [Item] }
    let page = makeStore().document("pages/tea")
    let thrown = await #expect(throws: StoreError.self) {
      try await page.setData(from: List(items: [Item(at: nil)]))
    }
    #expect(thrown?.message.contains("\"items\"") == true)
    #expect(try await !page.getDocument().exists)
  }

  @Test func aServerTimestampIsSetInsideAnExplicitNull() async throws {
    struct Inner: Codable { @ServerTimestamp var at: Timestamp? }
    struct Outer: Codable { @ExplicitNull var inner: Inner? }
    let page = makeStore(now: Timestamp(seconds: 1_000)).document("pages/tea")
    try await page.setData(from: Outer(inner: Inner(at: nil)))
    #expect(try await page.getDocument().fields == ["inner": ["at": .timestamp(Timestamp(seconds: 1_000))]])
  }

  @Test func aDocumentIDInAnArrayIsThatOfTheDocument() async throws {
    struct Item: Codable { @DocumentID var id: String?; var n: Int }
    struct List: Codable { var items: [Item] }
    let page = makeStore().document("pages/tea")
    try await page.setData(from: List(items: [Item(id: "ignored", n: 1), Item(id: nil, n: 2)]))
    #expect(try await page.getDocument().fields == ["items": [["n": 1], ["n": 2]]])
    #expect(try await page.getDocument(as: List.self).items.map(\.id) == ["tea", "tea"])
  }

  @Test func anElementThatIsADocumentIDIsAnErrorThatNamesTheField() async throws {
    struct List: Codable { var ids: [DocumentID<String>] }
    let page = makeStore().document("pages/tea")
    let thrown = await #expect(throws: StoreError.self) {
      try await page.setData(from: List(ids: [DocumentID(wrappedValue: "a")]))
    }
    #expect(thrown?.message.contains("\"ids\"") == true)
    #expect(try await !page.getDocument().exists)
  }

  @Test func aFieldOfTheDocumentIDsNameIsAnError() async throws {
    struct Item: Codable { @DocumentID var id: String?; var n: Int }
    let page = makeStore().document("pages/tea")
    try await page.setData(["id": "x", "n": 1])
    let document = try await page.getDocument()
    let thrown = #expect(throws: DecodingError.self) { try document.data(as: Item.self) }
    #expect("\(try #require(thrown))".contains("the document has a field \"id\""))
  }

  @Test func aMissingFieldIsNotNull() async throws {
    struct Task: Codable { @ExplicitNull var due: Date? }
    struct Stamped: Codable { @ServerTimestamp var at: Date? }
    let page = makeStore().document("pages/tea")
    try await page.setData(["n": 1])
    let document = try await page.getDocument()
    #expect(throws: DecodingError.self) { try document.data(as: Task.self) }
    #expect(throws: DecodingError.self) { try document.data(as: Stamped.self) }
    try await page.setData(["due": .null, "at": .null])
    #expect(try await page.getDocument(as: Task.self).due == nil)
    #expect(try await page.getDocument(as: Stamped.self).at == nil)
  }

  @Test func otherCodersRefuseWhatOnlyDocumentsHave() throws {
    struct Stamped: Codable { @ServerTimestamp var at: Date? }
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(Stamped(at: nil)) }
    #expect(throws: DocumentError.self) { try FieldsEncoder().encode(Stamped(at: nil)) }
  }

  private struct Item: Codable, Equatable {
    @DocumentID var id: String?
    var n: Int
  }
  private struct List: Codable, Equatable {
    @DocumentID var id: String?
    var items: [Item]
    var first: Item?
  }

  @Test func aModelWithADocumentIDIsEncodedToJSONAndBack() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    func json(_ value: some Encodable) throws -> String {
      String(decoding: try encoder.encode(value), as: UTF8.self)
    }
    #expect(try json(Item(id: "tea", n: 1)) == #"{"id":"tea","n":1}"#)
    #expect(try json(Item(id: nil, n: 1)) == #"{"n":1}"#)
    let list = List(
      id: "list", items: [Item(id: "a", n: 1), Item(id: nil, n: 2)], first: Item(id: "b", n: 3))
    #expect(
      try json(list) == #"{"first":{"id":"b","n":3},"id":"list","items":[{"id":"a","n":1},{"n":2}]}"#)
    #expect(try JSONDecoder().decode(List.self, from: encoder.encode(list)) == list)
    let null = try JSONDecoder().decode(Item.self, from: Data(#"{"id":null,"n":1}"#.utf8))
    #expect(null == Item(id: nil, n: 1))
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Item.self, from: Data(#"{"id":5,"n":1}"#.utf8))
    }
  }

  @Test(arguments: [.xml, .binary] as [PropertyListSerialization.PropertyListFormat])
  func aModelWithADocumentIDIsEncodedToPropertyListsAndBack(
    format: PropertyListSerialization.PropertyListFormat
  ) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    let list = List(id: "list", items: [Item(id: "a", n: 1), Item(id: nil, n: 2)], first: nil)
    #expect(try PropertyListDecoder().decode(List.self, from: encoder.encode(list)) == list)
  }

  @Test func whatWasReadFromADocumentIsEncodedToJSONWithItsID() async throws {
    struct Linked: Codable {
      @DocumentID var id: String?
      @DocumentID var reference: DocumentReference?
      var n: Int
    }
    let page = makeStore().document("pages/tea")
    try await page.setData(from: Linked(id: "ignored", reference: nil, n: 1))
    #expect(try await page.getDocument().fields == ["n": 1])
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json = try encoder.encode(try await page.getDocument(as: Linked.self))
    #expect(String(decoding: json, as: UTF8.self) == #"{"id":"tea","n":1,"reference":"pages/tea"}"#)
    let thrown = #expect(throws: DecodingError.self) { try JSONDecoder().decode(Linked.self, from: json) }
    #expect("\(try #require(thrown))".contains("can only be decoded from a document"))
  }
}
