import Foundation
import TenonDocuments
import TenonTestSupport
import TenonTesting
import TenonValues
import Testing

@Suite(.limited) struct ValueTests {
  private static let ascending: [Value] = [
    .null, false, true, .double(.nan), .double(-.infinity), .integer(.min), .integer(.min + 1), -1.5, -1, 0,
    .double(.leastNonzeroMagnitude), 1, 1.5,
    .integer(1 << 53), .integer((1 << 53) + 1), .integer(.max), .double(0x1p63), .double(.infinity),
    .timestamp(Timestamp(seconds: -1, nanoseconds: 999_999_000)), .timestamp(Timestamp(seconds: 0)), "",
    "\u{0}", "a",
    "a\u{0}", "ab", "b", "e\u{301}", "é", "\u{FF41}", "\u{1F600}", .bytes(Data()), .bytes(Data([0])),
    .bytes(Data([0, 0])), .bytes(Data([255])), .reference(ResourcePath(segments: ["c", "__id2__"])),
    .reference(ResourcePath(segments: ["c", "__id10__"])), .reference(ResourcePath(segments: ["c", "a"])),
    .reference(ResourcePath(segments: ["c", "a", "d", "b"])), .geoPoint(GeoPoint(latitude: -1, longitude: 5)),
    .geoPoint(GeoPoint(latitude: 0, longitude: 0)), [], [1], [1, "a"], [2], .vector([5]), .vector([0, 1]),
    [:],
    ["a": 1], ["a": 1, "b": 1], ["a": 2], ["b": 0],
  ]

  @Test func valuesAreInFirestoresTotalOrder() {
    for (left, right) in zip(Self.ascending, Self.ascending.dropFirst()) {
      #expect(left.compare(right) < 0, "\(left) before \(right)")
      #expect(right.compare(left) > 0, "\(right) after \(left)")
    }
  }

  @Test(
    arguments: [(1, 1.0), (0, -0.0), (.double(.nan), .double(.nan)), ([1], [1.0]), (["a": 1], ["a": 1.0])]
      as [(Value, Value)]
  )
  func queriesHoldMathematicallyEqualValuesForEqual(left: Value, right: Value) {
    #expect(left.compare(right) == 0)
    #expect(OrderedEncoding.encode(left) == OrderedEncoding.encode(right))
  }

  @Test(
    arguments: [(1, 1.0), (0.0, -0.0), ("é", "e\u{301}"), (["é": 1], ["e\u{301}": 1]), ([1], [1.0])]
      as [(Value, Value)]
  )
  func identityDistinguishesEqualValues(left: Value, right: Value) {
    #expect(left != right)
  }

  @Test(arguments: 0..<UInt64(DeepTests.count(2, deep: 8)))
  func orderEncodingAndIdentityAgreeForRandomValues(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let values = (0..<400).map { _ in generator.value() }
    let encodings = values.map(OrderedEncoding.encode)
    for (left, leftBytes) in zip(values, encodings) {
      for (right, rightBytes) in zip(values, encodings) {
        let order = left.compare(right).signum()
        let byBytes = leftBytes == rightBytes ? 0 : (leftBytes.lexicographicallyPrecedes(rightBytes) ? -1 : 1)
        guard order == byBytes, left != right || order == 0,
          left != right || left.hashValue == right.hashValue
        else {
          Issue.record("\(left) and \(right): order \(order), by bytes \(byBytes)")
          return
        }
      }
    }
  }

  @Test(arguments: 0..<8)
  func documentsAreDecodedAsTheyWereEncoded(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let fields = generator.fields()
      #expect(try DocumentCoding.decode(DocumentCoding.encode(fields)) == fields)
    }
  }

  @Test(arguments: 0..<4)
  func damagedBytesAreAnError(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      var bytes = [UInt8](DocumentCoding.encode(generator.fields()))
      let cut = Int.random(in: 0...bytes.count, using: &generator)
      bytes =
        Array(bytes.prefix(cut))
        + (0..<Int.random(in: 0...9, using: &generator)).map { _ in .random(in: 0...255, using: &generator) }
      do { _ = try DocumentCoding.decode(Data(bytes)) } catch { #expect(error.code == .damaged) }
    }
  }

  /// The fields of a document at every depth.
  private static func paths(_ fields: Fields, below names: [String] = []) -> [FieldPath] {
    fields.entries.flatMap { entry in
      [FieldPath(names + [entry.name])]
        + (entry.value.mapValue.map { paths($0, below: names + [entry.name]) } ?? [])
    }
  }

  /// Missing ones include a name of another level, and a path through a value that isn't a map.
  @Test(arguments: 0..<8)
  func aStoredFieldEqualsThatOfTheDecodedDocument(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var found = 0
    for _ in 0..<200 {
      let fields = generator.fields()
      let bytes = DocumentCoding.encode(fields)
      let paths = Self.paths(fields)
      let missing = paths.flatMap {
        [FieldPath($0.segments + ["a"]), FieldPath($0.segments.suffix(1) + ["k"])]
      }
      for path in paths + missing + [FieldPath([]), "none", "k"] {
        #expect(try StoredField(path).value(in: bytes.span) == fields[path], "\(path) of \(fields)")
        found += fields[path] == nil ? 0 : 1
      }
    }
    #expect(found > 200)
  }

  /// A path selects the field that contains it. The document ID and missing names select nothing.
  @Test(arguments: 0..<8)
  func selectedFieldsEqualThoseOfTheDecodedDocument(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var (found, left) = (0, 0)
    for _ in 0..<300 {
      let fields = generator.fields()
      let bytes = DocumentCoding.encode(fields)
      let paths = Self.paths(fields).filter { _ in Bool.random(using: &generator) }
      let repeated = paths.map { FieldPath($0.segments + ["a"]) }
      let missing: [FieldPath] = [FieldPath(["!"]), "none", "~", FieldPath([]), .documentID()]
      let selection = FieldSelection((paths + repeated + missing).shuffled(using: &generator))
      let expected = fields.entries.filter { entry in
        paths.contains { $0.segments.first.map { UTF8Text.areEqual($0, entry.name) } ?? false }
      }
      #expect(
        try selection.fields(in: bytes.span) == Fields(sortedEntries: expected), "\(paths) of \(fields)")
      found += expected.count
      left += fields.entries.count - expected.count
    }
    #expect(found > 100 && left > 100)
    #expect(try FieldSelection([]).fields(in: [0xFF].span) == [:])
  }

  /// What follows the last selected field isn't read.
  @Test func selectionEndsWithTheLastField() throws {
    let bytes = DocumentCoding.encode(["a": 1, "b": "text", "c": 3])
    for count in 0..<bytes.count {
      let cut = Data(bytes.prefix(count))
      func select(_ field: FieldPath) -> Fields? { try? FieldSelection([field]).fields(in: cut.span) }
      // A count, then a name of one byte, a tag and a value of one byte.
      #expect(select("a") == (count >= 5 ? ["a": 1] : nil))
      #expect(select("b") == (count >= 13 ? ["b": "text"] : nil))
      #expect(select("c") == (count == bytes.count ? ["c": 3] : nil))
    }
  }

  /// Bytes that can be decoded have the same fields; others are an error or have the fields before the
  /// damage.
  @Test(arguments: 0..<4)
  func aStoredFieldOfDamagedBytesIsAnErrorOrItsValue(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var errors = 0
    for _ in 0..<300 {
      let fields = generator.fields()
      var bytes = [UInt8](DocumentCoding.encode(fields))
      let cut = Int.random(in: 0...bytes.count, using: &generator)
      let isCut = Bool.random(using: &generator)
      bytes = Array(bytes.prefix(cut))
      if !isCut {
        bytes += (0..<Int.random(in: 0...9, using: &generator)).map { _ in
          .random(in: 0...255, using: &generator)
        }
      }
      let decoded = try? DocumentCoding.decode(bytes.span)
      for path in Self.paths(fields) + ["none"] {
        do throws(DocumentError) {
          let value = try StoredField(path).value(in: bytes.span)
          if let decoded { #expect(value == decoded[path]) } else if isCut { #expect(value == fields[path]) }
        } catch {
          errors += 1
          #expect(error.code == .damaged && decoded == nil)
        }
      }
    }
    #expect(errors > 50)
  }

  @Test func typeBoundsEncloseExactlyOneType() {
    for value in Self.ascending {
      let (lower, upper) = OrderedEncoding.typeBounds(of: value)
      for other in Self.ascending {
        let bytes = OrderedEncoding.encode(other)
        let isInside = !bytes.lexicographicallyPrecedes(lower) && bytes.lexicographicallyPrecedes(upper)
        #expect(isInside == value.hasTypeOf(other), "\(other) among values like \(value)")
      }
    }
  }

  @Test func fieldsAreReachedByNameAndPath() {
    var fields: Fields = ["b": 1, "a": ["x": 1, "y": [1]]]
    #expect(fields.names == ["a", "b"])
    #expect(fields[FieldPath(["a", "x"])] == 1)
    #expect(fields[FieldPath(["b", "x"])] == nil)
    fields[FieldPath(["b", "x", "y"])] = "new"
    #expect(fields["b"] == ["x": ["y": "new"]])
    fields[FieldPath(["b", "x", "y"])] = nil
    #expect(fields["b"] == ["x": [:]])
    fields[FieldPath(["c", "d"])] = nil
    #expect(fields["c"] == nil)
    fields["é"] = 1
    fields["e\u{301}"] = 2
    #expect(fields["é"] == 1 && fields["e\u{301}"] == 2)
  }

  @Test(arguments: 0..<20)
  func theLastOfSeveralEntriesWithOneNameIsUsed(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let names = ["", "a", "b", "ab", "é", "e\u{301}", "\u{FF5E}", "😀"]
    var fields = Fields()
    let entries = (0..<Int.random(in: 0...30, using: &generator)).map { number in
      Fields.Entry(name: names.randomElement(using: &generator) ?? "", value: .integer(Int64(number)))
    }
    for entry in entries { fields[entry.name] = entry.value }
    #expect(Fields(unsorted: entries) == fields)
    #expect(
      fields.entries.map { Array($0.name.utf8) }
        == fields.entries.map { Array($0.name.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
  }

  @Test(arguments: [Int64.min / 1_000_000_000, -1_500_000, -1_000_000, -1, 0, 1, 1_999_999])
  func timestampsHaveMicrosecondPrecision(microseconds: Int64) {
    let moment = Timestamp(microsecondsSince1970: microseconds)
    #expect(moment.microsecondsSince1970 == microseconds)
    #expect((0..<1_000_000_000).contains(moment.nanoseconds))
  }

  @Test(
    arguments: [
      (.min, .min), (.max, .max), (.min, 0), (.max, 0), (9_223_372_036_855, 0), (-9_223_372_036_855, .min),
      (4_000_000_000_001, 0), (-4_000_000_000_001, 0),
    ] as [(Int64, Int32)])
  func microsecondsOfAnyTimestampAreClamped(seconds: Int64, nanoseconds: Int32) {
    let number = Timestamp(seconds: seconds, nanoseconds: nanoseconds).microsecondsSince1970
    let clamped: Int64 = seconds < 0 ? -4_000_000_000_000_000_000 : 4_000_000_000_000_000_000
    #expect(number == clamped + Int64(nanoseconds / 1000))
    for microseconds in [Int64.min, .max] {
      let other = Timestamp(microsecondsSince1970: microseconds).microsecondsSince1970
      #expect(!number.subtractingReportingOverflow(other).overflow)
    }
  }

  @Test func nestedTimestampsAreTruncatedToMicroseconds() {
    let (fine, cut) = (
      Value.timestamp(Timestamp(seconds: 1, nanoseconds: 1999)),
      Value.timestamp(Timestamp(seconds: 1, nanoseconds: 1000))
    )
    func fields(_ moment: Value) -> Fields {
      ["a": moment, "b": .map(["c": .array([.map(["d": moment])])]), "e": .array([moment])]
    }
    #expect(fields(fine).kept == fields(cut))
    #expect((["b": .map(["c": fine])] as Fields).kept == ["b": .map(["c": cut])])
    #expect((["e": .array([fine])] as Fields).kept == ["e": .array([cut])])
  }

  @Test func trailingBytesAfterADocumentAreReportedAsDamage() {
    let bytes = DocumentCoding.encode(["a": 1])
    #expect(throws: Never.self) { try DocumentCoding.decode(bytes) }
    let thrown = #expect(throws: DocumentError.self) { try DocumentCoding.decode(bytes + [0]) }
    #expect(thrown?.code == .damaged)
  }

  /// In a key, the end of an array sorts before any further element, so that a shorter array comes first.
  @Test(
    arguments: [
      (Value.map(["a": .array([1]), "b": 0]), Value.map(["a": .array([1, .null])])),
      (.array([.map(["a": .array([])]), 1]), .array([.map(["a": .array([.null])])])),
      (.map(["a": .array([.map([:])]), "b": 9]), .map(["a": .array([.map([:]), 0]), "b": 0])),
    ])
  func keysOfArraysEnd(smaller: Value, greater: Value) {
    #expect(smaller.compare(greater) < 0)
    let (first, second) = (OrderedEncoding.encode(smaller), OrderedEncoding.encode(greater))
    #expect(first.lexicographicallyPrecedes(second))
  }

  @Test func timestampsOfDatesAreTruncatedToMicroseconds() {
    #expect(
      Timestamp(date: Date(timeIntervalSince1970: -0.5)) == Timestamp(seconds: -1, nanoseconds: 500_000_000))
    #expect(
      Timestamp(date: Date(timeIntervalSince1970: 1.25)).dateValue() == Date(timeIntervalSince1970: 1.25))
    #expect(Timestamp(seconds: 1, nanoseconds: 1999).roundedDown == Timestamp(seconds: 1, nanoseconds: 1000))
  }
}
