import Foundation
import TenonTestSupport
import TenonValues
import Testing

@testable import TenonDocuments

@Suite(.limited) struct FirestoreJSONTests {
  private func parse(_ text: String, limit: Int = 1 << 20) throws -> FirestoreJSON {
    try FirestoreJSON(Data(text.utf8), limit: limit)
  }

  @Test func valuesOfEveryTypeAreParsed() throws {
    let json = try parse(
      #"{"a":null,"b":true,"c":1.0,"d":1.5,"e":"12","f":[1,"NaN"],"g":{"h":9223372036854775808},"i":-9.5e18}"#
    )
    #expect(json["a"] == nil && json["b"]?.boolean == true && json["c"]?.integer == 1)
    #expect(json["d"]?.double == 1.5 && json["d"]?.integer == nil && json["e"]?.integer == 12)
    #expect(json["f"]?.array.count == 2 && json["f"]?.array[1].double?.isNaN == true)
    #expect(json["g"]?["h"]?.double == 0x1p63 && json["g"]?["h"]?.integer == nil)
    #expect(json["i"]?.integer == nil && json["i"]?.double == -9.5e18)
  }

  @Test(
    arguments: [
      "", "[", "[1] 2", "{\"a\":1,\"a\":2}", #"{"a":1,"\u0061":2}"#, "\"\\ud800\"", "1e999", "nul", "{\"a\"}",
      String(repeating: "[", count: 1_000_000),
      String(repeating: "[", count: 129) + String(repeating: "]", count: 129),
      String(repeating: " ", count: 1 << 20) + "1",
    ])
  func p3InvalidTextsAreDamaged(text: String) {
    let error = #expect(throws: DocumentError.self) { try parse(text) }
    #expect(error?.code == .damaged)
  }

  @Test func p3DepthUpToTheLimitIsParsed() {
    let text = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
    #expect(throws: Never.self) { try parse(text) }
  }

  /// Firestore compares names by their bytes.
  @Test func canonicallyEquivalentNamesAreDifferentFields() throws {
    let json = try parse("{\"\u{e9}\":{\"integerValue\":\"1\"},\"e\u{301}\":{\"integerValue\":\"2\"}}")
    let fields = try json.fields()
    #expect(fields.entries.map { Array($0.name.utf8) } == [Array("e\u{301}".utf8), Array("\u{e9}".utf8)])
    #expect(fields.entries.map(\.value) == [.integer(2), .integer(1)])
  }

  @Test func manyFieldsAreSorted() throws {
    let members = (0..<5_000).shuffled().map { "\"f\($0)\":{\"integerValue\":\"\($0)\"}" }
    let fields = try parse("{\(members.joined(separator: ","))}").fields()
    #expect(fields.names == (0..<5_000).map { "f\($0)" }.sorted())
    #expect(fields["f4321"] == .integer(4_321))
  }
}
