import Foundation
import TenonTestSupport
import TenonValues
import Testing

@Suite(.limited) struct CodableTests {
  struct Note: Codable, Equatable {
    enum Kind: String, Codable { case short, long }
    struct Heading: Codable, Equatable {
      var level: Int
      var text: String
    }
    var title: String
    var kind: Kind
    var headings: [Heading]
    var tags: [String: Int]
    var count: UInt32
    var ratio: Double
    var modified: Date
    var content: Data
    var link: URL?
    var place: GeoPoint
    var extra: Value
    var missing: String?
  }

  private let note = Note(
    title: "Tea",
    kind: .short,
    headings: [.init(level: 1, text: "é")],
    tags: ["a": 1],
    count: 7,
    ratio: 2,
    modified: Date(timeIntervalSince1970: 1.5),
    content: Data([1]),
    link: URL(string: "https://example.org/a"),
    place: GeoPoint(latitude: 1, longitude: 2),
    extra: [1, "a"],
    missing: nil
  )

  @Test func swiftTypesBecomeFieldsAndBack() throws {
    let fields = try FieldsEncoder().encode(note)
    #expect(
      fields == [
        "title": "Tea", "kind": "short", "headings": [["level": 1, "text": "é"]], "tags": ["a": 1],
        "count": 7,
        "ratio": 2.0, "modified": .timestamp(Timestamp(seconds: 1, nanoseconds: 500_000_000)),
        "content": .bytes(Data([1])), "link": "https://example.org/a",
        "place": .geoPoint(GeoPoint(latitude: 1, longitude: 2)), "extra": [1, "a"],
      ]
    )
    #expect(try FieldsDecoder().decode(Note.self, from: fields) == note)
  }

  @Test func aFieldOfTheWrongTypeIsNamed() throws {
    var fields = try FieldsEncoder().encode(note)
    fields[FieldPath(["tags", "a"])] = "many"
    do {
      _ = try FieldsDecoder().decode(Note.self, from: fields)
      Issue.record("decoding should fail")
    } catch DecodingError.typeMismatch(_, let context) {
      #expect(context.codingPath.map(\.stringValue) == ["tags", "a"])
    }
  }

  @Test func aMissingFieldIsNamed() {
    do {
      _ = try FieldsDecoder().decode(Note.Heading.self, from: ["level": 1])
      Issue.record("decoding should fail")
    } catch DecodingError.keyNotFound(let key, _) {
      #expect(key.stringValue == "text")
    } catch {
      Issue.record(error)
    }
  }

  @Test func aValueWithoutFieldsIsNotADocument() {
    #expect(throws: DocumentError.self) { try FieldsEncoder().encode(5) }
    #expect(throws: DocumentError.self) { try FieldsEncoder().encode([1]) }
    #expect(throws: EncodingError.self) { try FieldsEncoder().encode(["a": UInt64.max]) }
  }

  @Test(arguments: [1, "a", [1], .null] as [Value])
  func aFieldThatIsNoMapDoesNotMatchFields(value: Value) {
    struct Holder: Decodable { var more: Fields }
    do {
      _ = try FieldsDecoder().decode(Holder.self, from: ["more": value])
      Issue.record("decoding should fail")
    } catch DecodingError.typeMismatch(let type, let context) {
      #expect(type == Fields.self && context.codingPath.map(\.stringValue) == ["more"])
    } catch {
      Issue.record(error)
    }
  }

  /// A value that is written as nothing, as a `@DocumentID`, or as the server's time.
  private struct Special: Encodable {
    var isOmitted = true

    func encode(to encoder: any Encoder) throws {
      let encoder = try #require(encoder as? any FieldEncoder)
      if isOmitted { encoder.omit() } else { encoder.setServerTimestamp() }
    }
  }

  /// A value that encodes another one in its place, as a property wrapper does.
  private struct Wrapper<Content: Encodable>: Encodable {
    var content: Content

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(content)
    }
  }

  private struct Item<Content: Encodable>: Encodable {
    var content: Content
    var n = 1
  }

  @Test func anOmittedPropertyLeavesNoFieldAlsoInAnArray() throws {
    #expect(try FieldsEncoder().encode(Item(content: Special())) == ["n": 1])
    #expect(try FieldsEncoder().encode(Item(content: Wrapper(content: Special()))) == ["n": 1])
    #expect(
      try FieldsEncoder().encode(["items": [Item(content: Special())]]) == ["items": [["n": 1]]])
  }

  @Test func anElementOfAnArrayCannotBeOmitted() {
    func message(_ value: some Encodable) -> String {
      #expect(throws: DocumentError.self) { try FieldsEncoder().encode(value) }?.message ?? ""
    }
    #expect(message(["ids": [Special()]]).contains("\"ids\""))
    #expect(message(["ids": [Wrapper(content: Special())]]).contains("\"ids\""))
    #expect(message(["ids": Wrapper(content: [Special()])]).contains("\"ids\""))
    #expect(message(["items": [Item(content: [Special()])]]).contains("\"items.content\""))
    #expect(throws: DocumentError.self) { try FieldsEncoder().encode(Special()) }
  }

  @Test func aServerTimestampInAWrappedValueIsFound() throws {
    let time = Special(isOmitted: false)
    let (fields, times) = try FieldsEncoder().encodeDocument(["a": Wrapper(content: Item(content: time))])
    #expect(fields == ["a": ["n": 1]] && times == ["a.content"])
    let thrown = #expect(throws: DocumentError.self) {
      try FieldsEncoder().encodeDocument(["a": Wrapper(content: [Item(content: time)])])
    }
    #expect(thrown?.message.contains("\"a\" contains a server timestamp") == true)
  }

  @Test(arguments: [(2.0, 2), (2.5, nil)] as [(Value, Int?)])
  func integralDoublesDecodeAsIntegers(value: Value, expected: Int?) {
    #expect((try? FieldsDecoder().decode([String: Int].self, from: ["n": value])["n"]) == expected)
  }
}
