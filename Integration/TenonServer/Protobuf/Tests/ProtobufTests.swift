import FirestoreProtobuf
import Foundation
import TenonDocuments
import TenonJSON
import TenonTestSupport
import Testing

/// The table-driven coding between the bytes of protobuf and JSON.
@Suite(.limited) struct ProtobufTests {
  private let schema = ProtobufSchema.firestore

  private func json(_ bytes: [UInt8], _ name: String) throws -> JSON {
    try JSON(parsing: schema.json(bytes, of: name))
  }

  @Test(arguments: Case.all.indices) func bytesBecomeTheJSONOfGooglesLibraries(index: Int) throws {
    let sample = Case.all[index]
    #expect(!sample.bytes.isEmpty)
    #expect(try json(sample.bytes, sample.name) == JSON(parsing: Data(sample.json.utf8)))
  }

  @Test(arguments: Case.all.indices) func jsonBecomesBytesThatMeanTheSame(index: Int) throws {
    let sample = Case.all[index]
    let bytes = try schema.bytes(FirestoreJSON(Data(sample.json.utf8)), of: sample.name)
    #expect(try json(bytes, sample.name) == JSON(parsing: Data(sample.json.utf8)))
    #expect(bytes.count == sample.bytes.count)
  }

  @Test func everyMessageOfTheServiceIsInTheTable() {
    for method in [
      "GetDocument", "ListDocuments", "CreateDocument", "UpdateDocument", "DeleteDocument",
      "BatchGetDocuments", "BeginTransaction", "Commit", "Rollback", "RunQuery", "RunAggregationQuery",
      "PartitionQuery", "Write", "Listen", "ListCollectionIds", "BatchWrite",
    ] { #expect(schema.names.contains("\(method)Request"), "\(method)") }
    #expect(schema.names.count > 75)
  }

  @Test func theLastOfSeveralValuesCounts() throws {
    // `name` twice; `missing` and then `found` of one group, and a part of `found` behind it.
    #expect(try json([0x0A, 1, 0x61, 0x0A, 1, 0x62], "Document") == ["name": "b"])
    #expect(
      try json([0x12, 1, 0x61, 0x0A, 3, 0x0A, 1, 0x62, 0x0A, 0], "BatchGetDocumentsResponse")
        == ["found": ["name": "b"]])
    #expect(
      try json([0x0A, 3, 0x0A, 1, 0x62, 0x12, 1, 0x61], "BatchGetDocumentsResponse") == ["missing": "a"])
    // The same key of a map twice, and an entry without a value.
    let entry: [UInt8] = [0x12, 7, 0x0A, 1, 0x6B, 0x12, 2, 0x08, 1]
    let other: [UInt8] = [0x12, 7, 0x0A, 1, 0x6B, 0x12, 2, 0x08, 0]
    #expect(
      try json(entry + other, "Document") == ["fields": ["k": ["booleanValue": false]]])
    #expect(try json([0x12, 3, 0x0A, 1, 0x6B], "Document") == ["fields": ["k": [:]]])
  }

  @Test func unknownFieldsAreIgnored() throws {
    // A varint, 8 bytes, bytes, a group and 4 bytes, with numbers that the message doesn't have, and a known
    // number of another type.
    let unknown: [UInt8] =
      [0xF8, 0x06, 0x01, 0xF9, 0x06, 0, 0, 0, 0, 0, 0, 0, 0, 0xFA, 0x06, 1, 7]
      + [0xFB, 0x06, 0x08, 1, 0xFC, 0x06, 0xFD, 0x06, 0, 0, 0, 0, 0x08, 5]
    #expect(try json(unknown + [0x0A, 1, 0x61], "Document") == ["name": "a"])
  }

  @Test func numbersMayBePackedOrNot() throws {
    let packed = try json([0x12, 6, 0x12, 4, 1, 2, 0xAC, 0x02], "ListenResponse")
    let plain = try json([0x12, 7, 0x10, 1, 0x10, 2, 0x10, 0xAC, 0x02], "ListenResponse")
    #expect(packed == plain && packed["targetChange"]?["targetIds"] == [1, 2, 300])
  }

  @Test func unknownValuesOfEnumerationsAreNumbers() throws {
    #expect(try json([0x10, 99], "StructuredQuery.Order") == ["direction": 99])
  }

  @Test(
    arguments: [
      [0x0A], [0x0A, 5, 0x61], [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [0x80],
      [0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255], [0x0A, 1, 0xFF], [0x00, 0x01],
      [0x0F, 0x01], [0x0C],
      [0xFB, 0x06], [0xFB, 0x06, 0xF4, 0x06], [0x12, 2, 0x0A, 9], [0x1A, 2, 0x08, 0x80],
      // The year 10000, and a negative number of nanoseconds.
      [0x1A, 7, 0x08, 0x80, 0x83, 0xD1, 0xFF, 0xAF, 0x07],
      [0x1A, 11, 0x10, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
    ] as [[UInt8]])
  func damagedBytesAreErrors(bytes: [UInt8]) {
    #expect(throws: ProtobufError.self) { try schema.json(bytes, of: "Document") }
  }

  @Test(arguments: [200, 100_000]) func tooManyLevelsAreAnError(levels: Int) {
    // Arrays within each other, the innermost first.
    var bytes: [UInt8] = []
    for _ in 0..<min(levels, 200) {
      var array: [UInt8] = [0x0A]
      array += Self.length(bytes.count)
      array += bytes
      bytes = [0x4A]
      bytes += Self.length(array.count)
      bytes += array
    }
    #expect(throws: ProtobufError.self) { try schema.json(bytes, of: "Value") }
    let groups = [UInt8](repeating: 0x7B, count: levels)
    #expect(throws: ProtobufError.self) { try schema.json(groups, of: "Value") }
  }

  private static func length(_ count: Int) -> [UInt8] {
    count < 0x80 ? [UInt8(count)] : [UInt8(count & 0x7F) | 0x80, UInt8(count >> 7)]
  }

  /// P3: bytes of any kind are a message or an error.
  @Test func randomBytesNeverTrap() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<DeepTests.count(3_000, deep: 100_000) {
      let sample = Case.all[Int.random(in: Case.all.indices, using: &random)]
      var bytes = sample.bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + 3))
        default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        }
        if bytes.isEmpty { break }
      }
      guard let text = try? schema.json(bytes, of: sample.name) else { continue }
      // What was read can be written again, unless it is damaged as JSON.
      if let json = try? FirestoreJSON(text) { _ = try? schema.bytes(json, of: sample.name) }
    }
  }

  @Test func fieldsCanBeTakenOutOfAMessage() throws {
    let (body, taken) = try schema.json(
      [0x0A, 1, 0x64, 0x1A, 1, 7], of: "CommitRequest", taking: ["database"])
    #expect(try JSON(parsing: body) == ["transaction": "Bw=="])
    #expect(taken == ["database": "d"])
  }
}
