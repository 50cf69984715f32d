import Foundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonDocuments

/// Values as JSON, in both directions.
@Suite(.limited) struct WireValueTests {
  /// A value as a message.
  private struct Message: WireMessage, Equatable {
    let value: Value

    init(_ value: Value) { self.value = value }
    init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
      value = try json.value(in: database)
    }
    func write(to writer: inout WireWriter) throws(DocumentError) { try writer.value(value) }
  }

  @Test(
    arguments: [
      (.null, #"{"nullValue":null}"#), (true, #"{"booleanValue":true}"#), (false, #"{"booleanValue":false}"#),
      (.integer(.min), #"{"integerValue":"-9223372036854775808"}"#),
      (.integer(.max), #"{"integerValue":"9223372036854775807"}"#), (0, #"{"integerValue":"0"}"#),
      (.double(-0.0), #"{"doubleValue":-0.0}"#), (.double(3), #"{"doubleValue":3.0}"#),
      (.double(.leastNonzeroMagnitude), #"{"doubleValue":5e-324}"#),
      (.double(1e100), #"{"doubleValue":1e+100}"#),
      (.double(.nan), #"{"doubleValue":"NaN"}"#), (.double(.infinity), #"{"doubleValue":"Infinity"}"#),
      (.double(-.infinity), #"{"doubleValue":"-Infinity"}"#),
      (
        .timestamp(Timestamp(seconds: -62_135_596_800)), #"{"timestampValue":"0001-01-01T00:00:00Z"}"#
      ),
      (
        .timestamp(Timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_000)),
        #"{"timestampValue":"9999-12-31T23:59:59.999999Z"}"#
      ),
      (
        .timestamp(Timestamp(seconds: 1_709_164_800, nanoseconds: 500_000_000)),
        #"{"timestampValue":"2024-02-29T00:00:00.500Z"}"#
      ),
      (
        .timestamp(Timestamp(seconds: -1, nanoseconds: 1000)),
        #"{"timestampValue":"1969-12-31T23:59:59.000001Z"}"#
      ),
      ("", #"{"stringValue":""}"#),
      ("a\"\\\u{0}\n\u{1F}é\u{1F600}/<", #"{"stringValue":"a\"\\\u0000\n\u001fé😀/<"}"#),
      (.bytes(Data()), #"{"bytesValue":""}"#), (.bytes(Data([251, 255, 0])), #"{"bytesValue":"+/8A"}"#),
      (.bytes(Data([1])), #"{"bytesValue":"AQ=="}"#),
      (
        .reference(ResourcePath(segments: ["a", "\""])),
        #"{"referenceValue":"projects/p/databases/(default)/documents/a/\""}"#
      ),
      (
        .geoPoint(GeoPoint(latitude: 48.5, longitude: -0.0)),
        #"{"geoPointValue":{"latitude":48.5,"longitude":-0.0}}"#
      ),
      ([], #"{"arrayValue":{}}"#),
      ([1, .null], #"{"arrayValue":{"values":[{"integerValue":"1"},{"nullValue":null}]}}"#),
      ([:], #"{"mapValue":{}}"#),
      (["b": [:], "a\"": 1], #"{"mapValue":{"fields":{"a\"":{"integerValue":"1"},"b":{"mapValue":{}}}}}"#),
      (
        .vector([1, -0.0]),
        #"{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{"values":[{"doubleValue":1.0},{"doubleValue":-0.0}]}}}}}"#
      ),
      (
        .vector([]),
        #"{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{}}}}}"#
      ),
    ] as [(Value, String)])
  func aValueHasTheFormOfGooglesServers(value: Value, text: String) throws {
    try WireText.expect(Message(value), is: text)
  }

  @Test(arguments: 0..<20)
  func randomValuesSurvive(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      // A map in the form of a vector is read as a vector.
      let value = generator.value()
      #expect(try WireText.decode(WireText.of(Message(value))) == Message(value))
    }
  }

  @Test(arguments: 0..<10)
  func randomDocumentsSurvive(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let document = RemoteDocument(
        path: WireText.ab, fields: generator.fields(), createTime: Timestamp(seconds: 5, nanoseconds: 7000),
        updateTime: Timestamp(seconds: -6))
      #expect(try WireText.decode(WireText.of(document)) == document)
    }
  }

  @Test(arguments: [Timestamp.validSeconds.lowerBound - 1, Timestamp.validSeconds.upperBound + 1, .min, .max])
  func aTimestampOutsideTheYearsIsNotWritten(seconds: Int64) {
    let error = #expect(throws: DocumentError.self) {
      try WireText.of(Message([.timestamp(Timestamp(seconds: seconds))]))
    }
    #expect(error?.code == .badValue)
  }

  @Test(arguments: [-1, 1_000_000_000, .min, .max] as [Int32])
  func nanosecondsOutOfRangeAreNotWritten(nanoseconds: Int32) {
    let error = #expect(throws: DocumentError.self) {
      try WireText.of(Message(.timestamp(Timestamp(seconds: 0, nanoseconds: nanoseconds))))
    }
    #expect(error?.code == .badValue)
  }

  @Test(
    arguments: [
      "0000-12-31T23:59:59Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2026-01-01", "5",
      "2026-01-01T00:00:00", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+0100",
      "2026-01-01T00:00:00.0123456789Z",
    ])
  func aTimeThatIsNoTimestampIsRejected(text: String) {
    WireText.expectRejection(of: #"{"timestampValue":"\#(text)"}"#, as: Message.self, at: "timestampValue")
  }

  @Test func nanosecondsAreCutToMicroseconds() throws {
    #expect(
      try WireText.of(Message(.timestamp(Timestamp(seconds: -1, nanoseconds: 999_999_999))))
        == #"{"timestampValue":"1969-12-31T23:59:59.999999Z"}"#)
    #expect(
      try WireText.decode(#"{"timestampValue":"1969-12-31T23:59:59.999999999Z"}"#)
        == Message(.timestamp(Timestamp(seconds: -1, nanoseconds: 999_999_000))))
  }

  @Test(
    arguments: [
      (#"{"nullValue":"NULL_VALUE"}"#, .null), (#"{"nullValue":0}"#, .null), (#"{"integerValue":5}"#, 5),
      (#"{"integerValue":5.0}"#, 5), (#"{"doubleValue":-0}"#, .double(-0.0)),
      (#"{"doubleValue":"-0.0"}"#, .double(-0.0)), (#"{"stringValue":"\u003c"}"#, "<"),
      (
        #"{"timestampValue":"2026-11-21T09:30:00.5+01:00"}"#,
        .timestamp(Timestamp(seconds: 1_795_249_800, nanoseconds: 500_000_000))
      ),
      (#" { "arrayValue" : { "values" : null , "later" : 1 } } "#, []),
      (#"{"mapValue":{"fields":null}}"#, [:]),
      (#"{"geoPointValue":{}}"#, .geoPoint(GeoPoint(latitude: 0, longitude: 0))),
    ] as [(String, Value)])
  func whatTheJSONMappingPermitsIsRead(text: String, value: Value) throws {
    #expect(try WireText.decode(text) == Message(value))
  }

  @Test(
    arguments: [
      ("5", ""), ("[]", ""), ("{}", ""), (#"{"integerValue":"1","nullValue":null}"#, ""),
      (#"{"intValue":"1"}"#, "intValue"), (#"{"integerValue":null}"#, "integerValue"),
      (#"{"booleanValue":"true"}"#, "booleanValue"), (#"{"booleanValue":1}"#, "booleanValue"),
      (#"{"nullValue":false}"#, "nullValue"), (#"{"stringValue":5}"#, "stringValue"),
      (#"{"bytesValue":"A"}"#, "bytesValue"), (#"{"referenceValue":"a/b"}"#, "referenceValue"),
      (#"{"geoPointValue":{"latitude":"x"}}"#, "geoPointValue.latitude"),
      (#"{"arrayValue":{"values":{}}}"#, "arrayValue.values"), (#"{"arrayValue":[]}"#, "arrayValue"),
      (
        #"{"arrayValue":{"values":[{"nullValue":null},{"integerValue":"x"}]}}"#,
        "arrayValue.values[1].integerValue"
      ),
      (
        #"{"mapValue":{"fields":{"a":{"mapValue":{"fields":{"b":5}}}}}}"#,
        "mapValue.fields.a.mapValue.fields.b"
      ),
    ])
  func anErrorNamesTheMember(text: String, member: String) {
    WireText.expectRejection(of: text, as: Message.self, at: member)
  }

  @Test func aReferenceToAnotherDatabaseIsKept() throws {
    let text = #"{"referenceValue":"projects/q/databases/(default)/documents/a/b"}"#
    let value = try WireText.decode(text) as Message
    #expect(try WireText.of(value) == text)
    guard case .reference(let path) = value.value else {
      Issue.record("It isn't a reference.")
      return
    }
    #expect(path.isForeign && path != ResourcePath(segments: ["a", "b"]))
    #expect(throws: DocumentError.self) { try path.checkDocument() }
    let stored = try DocumentCoding.decode(DocumentCoding.encode(["r": value.value]))
    #expect(stored["r"] == value.value)
  }

  @Test func p3ValuesAreWrittenUpToTheDepthThatServersAccept() throws {
    // Three levels of JSON for a map, and one for the value in it.
    let deepest = (WireWriter.deepestNesting - 1) / 3
    func nested(_ depth: Int) -> Value { (0..<depth).reduce(.null) { value, _ in .map(["a": value]) } }
    let value = Message(nested(deepest))
    #expect(try WireText.decode(WireText.of(value)) == value)
    let error = #expect(throws: DocumentError.self) { try WireText.of(Message(nested(deepest + 1))) }
    #expect(error?.code == .badValue)
    #expect(throws: DocumentError.self) { try WireText.of(Message(nested(100_000 / 4))) }
  }

  @Test func documentsOfTheMaximumDepthAreWrittenInEveryMessage() throws {
    let value = (0..<Fields.maximumDepth).reduce(Value.vector([1])) { value, _ in .map(["a": value]) }
    let write = DocumentWrite(WireText.ab, .set(["a": value]))
    #expect(
      try WireText.decode(WireText.of(CommitRequest(writes: [write]))) == CommitRequest(writes: [write]))
  }

  @Test func namesOfFieldsAreEscapedAndToldApartByTheirBytes() throws {
    let fields = Fields(unsorted: [
      .init(name: "\u{E9}", value: 1), .init(name: "e\u{301}", value: 2), .init(name: "\"\\\u{1}", value: 3),
    ])
    #expect(try WireText.decode(WireText.of(Message(.map(fields)))) == Message(.map(fields)))
  }

  @Test func manyFieldsWithOneNameTwiceAreRejected() {
    for count in [2, 8, 9, 10, 100] {
      let names = (1..<count).map { "\"f\($0)\":{\"nullValue\":null}" } + ["\"f1\":{\"nullValue\":null}"]
      #expect(throws: DocumentError.self, "\(count)") {
        try WireText.decode("{\"mapValue\":{\"fields\":{\(names.joined(separator: ","))}}}", as: Message.self)
      }
    }
  }
}

@Suite(.limited) struct WireBase64Tests {
  @Test(
    arguments: [
      ("", []), ("AQ==", [1]), ("AQ", [1]), ("AQI=", [1, 2]), ("AQI", [1, 2]), ("AQID", [1, 2, 3]),
      ("+/8A", [251, 255, 0]), ("-_8A", [251, 255, 0]), ("-_8", [251, 255]), ("+_8=", [251, 255]),
      ("AR", [1]),
    ] as [(String, [UInt8])])
  func bothAlphabetsAreReadWithAndWithoutPadding(text: String, bytes: [UInt8]) {
    #expect(Data(wireBase64: text).map(Array.init) == bytes)
  }

  @Test(arguments: [
    "A", "AQIDB", "A===", "AQ=", "AQI==", "AQID=", "=", "AQ==AQ==", "A Q=", "AQ\n", "é", "AQ*=",
  ])
  func otherTextsAreRejected(text: String) { #expect(Data(wireBase64: text) == nil) }

  @Test(arguments: 0..<20)
  func bytesOfAnyLengthSurvive(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let data = Data((0..<Int(seed)).map { _ in UInt8.random(in: 0...255, using: &generator) })
    let text = data.base64EncodedString()
    let urlSafe = text.replacing("+", with: "-").replacing("/", with: "_")
    for text in [text, urlSafe, text.replacing("=", with: ""), urlSafe.replacing("=", with: "")] {
      #expect(Data(wireBase64: text) == data)
    }
  }
}
