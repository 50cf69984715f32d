import Foundation
import TenonDocuments
import TenonTestSupport
import TenonValues
import Testing

@Suite(.limited) struct RulesTests {
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
    // The path counts for 20 bytes, the document for 32, and each of two fields for 2 and its text plus 1.
    let most = 1_048_576 - 20 - 32 - 2 * (2 + 1) - 100
    func fields(_ size: Int) -> Fields {
      ["a": .string(String(repeating: "x", count: size)), "b": .string(String(repeating: "x", count: 100))]
    }
    try fields(most).checkDocument(at: path)
    let thrown = #expect(throws: DocumentError.self) { try fields(most + 1).checkDocument(at: path) }
    #expect(thrown?.code == .tooLarge)
  }

  @Test func aSingleValueIsLimited() throws {
    let path = try ResourcePath(document: "c/d")
    let most = Fields.maximumValueSize
    for value in [Value.string(String(repeating: "x", count: most)), .bytes(Data(count: most))] {
      try Fields(["a": value]).checkDocument(at: path)
    }
    for value in [Value.string(String(repeating: "x", count: most + 1)), .bytes(Data(count: most + 1))] {
      let thrown = #expect(throws: DocumentError.self) { try Fields(["a": value]).checkDocument(at: path) }
      #expect(thrown?.code == .tooLarge && thrown?.message.contains("\"a\"") == true)
    }
  }

  @Test func automaticIDsAreTwentyLettersAndDigits() {
    let ids = Set((0..<1000).map { _ in AutomaticID.make() })
    #expect(ids.count == 1000)
    #expect(ids.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9]{20}/) != nil })
  }
}
