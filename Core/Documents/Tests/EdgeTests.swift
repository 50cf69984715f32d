import Foundation
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import Testing

/// Edge cases in which distinct values could collide, and external data that could terminate the process.
@Suite(.limited) struct EdgeTests {
  @Test(arguments: [
    "__id07__", "__id+7__", "__id-0__", "__id-07__", "__id--7__", "__id-__", "__id0__", "__id__",
    "__id9223372036854775808__",
    "__id-9223372036854775809__",
  ])
  func everySpellingOfANumericIDIsReserved(id: String) {
    // Numeric ids are stored as numbers, so a second spelling would be the same document under another name.
    #expect(throws: DocumentError.self) { try ResourcePath(collection: id) }
  }

  @Test func numericIDsAreOrderedByTheirNumbers() throws {
    let ids = [Int64.min, -10, -3, 2, 7, 10, .max].map { "__id\($0)__" } + ["!", "__", "a"]
    let paths = try ids.map { try ResourcePath(document: "c/\($0)") }
    let byBytes: (ResourcePath, ResourcePath) -> Bool = {
      OrderedEncoding.encode($0).lexicographicallyPrecedes(OrderedEncoding.encode($1))
    }
    #expect(paths.reversed().sorted { $0.compare($1) < 0 } == paths)
    #expect(paths.reversed().sorted(by: byBytes) == paths)
  }

  @Test func idsAndNamesMayBeginWithACombiningMark() throws {
    // Swift treats "/" and the combining mark after it as one character.
    #expect(try ResourcePath(document: "c/\u{301}d").segments == ["c", "\u{301}d"])
    #expect(try FieldPath(dotted: "a.\u{301}b").segments == ["a", "\u{301}b"])
    #expect(("a.\u{301}b" as FieldPath).segments == ["a", "\u{301}b"])
  }

  @Test(arguments: ["`\u{301}", "\\\u{301}", "a.\u{301}b", "\u{301}", "`", "\\", "\u{1FEF}", "é`.\\"])
  func everyNameSurvivesTheNotationOfTheServer(name: String) {
    // U+1FEF is canonically equivalent to a backtick, but is another character for the server.
    let path = FieldPath(["a", name, "b"])
    #expect(FieldPath(wire: path.text) == path)
  }

  @Test(arguments: [
    "", ".a", "a.", "a..b", "`a", "a`", "``", "a.``.b", "a-b", "1a", "a b", "é", "a/b", "`a`b", "`a\\",
  ])
  func whatIsNoFieldInTheNotationOfTheServerIsRefused(text: String) {
    #expect(FieldPath(wire: text) == nil)
  }

  @Test(arguments: ["__\u{301}a__", "__a\u{301}__"])
  func aReservedNameMayContainCombiningMarks(name: String) {
    #expect(throws: DocumentError.self) { try ResourcePath(collection: name) }
    #expect(throws: DocumentError.self) { try FieldPath([name]).check() }
  }

  @Test func anUnderscoreWithACombiningMarkAtTheEndIsNotReserved() throws {
    #expect(try ResourcePath(collection: "__a__\u{301}").id == "__a__\u{301}")
    #expect(try ResourcePath(collection: "__id\u{301}7__x").id == "__id\u{301}7__x")
  }

  // Around some powers of two, the doubles of adjacent microseconds are the hardest to distinguish.
  @Test(arguments: [-540_000_000, 0, 540_000_000, 1_700_000_000, 2_200_000_000] as [Int64])
  func aTimestampSurvivesConversionToADate(start: Int64) {
    for number in 0..<2_000 {
      let moment = Timestamp(
        seconds: start + Int64(number) * 7919,
        nanoseconds: Int32(number * 499_979 % 1_000_000) * 1000
      )
      #expect(Timestamp(date: moment.dateValue()) == moment)
    }
  }

  @Test(arguments: [Date.distantPast, .distantFuture])
  func aFarDateSurvivesBeingATimestamp(date: Date) {
    #expect(Timestamp(date: date).dateValue() == date)
  }

  @Test func theDistantFutureCanBeWrittenAndTheDistantPastCannot() throws {
    let path = ResourcePath(segments: ["c", "d"])
    try Fields(["at": .timestamp(Timestamp(date: .distantFuture))]).checkDocument(at: path)
    let thrown = #expect(throws: DocumentError.self) {
      try Fields(["at": .timestamp(Timestamp(date: .distantPast))]).checkDocument(at: path)
    }
    #expect(thrown?.message.contains("\"at\"") == true)
  }

  @Test(arguments: [1e300, -1e300, .infinity, -.infinity, .nan])
  func aDateOutsideTheRangeOfTimestampsIsRejectedWhenItIsWritten(interval: Double) throws {
    let fields: Fields = ["at": .timestamp(Timestamp(date: Date(timeIntervalSince1970: interval)))]
    let thrown = #expect(throws: DocumentError.self) {
      try fields.checkDocument(at: ResourcePath(segments: ["c", "d"]))
    }
    #expect(thrown?.message.contains("\"at\"") == true)
  }

  @Test func excessivelyNestedBytesAreReportedAsDamaged() {
    // One field "a", then nested arrays of one element each.
    var bytes: [UInt8] = [1, 1, UInt8(ascii: "a")]
    for _ in 0..<500_000 { bytes += [10, 1] }
    bytes.append(0)
    let thrown = #expect(throws: DocumentError.self) { try DocumentCoding.decode(Data(bytes)) }
    #expect(thrown?.code == .damaged)
  }

  @Test func documentsWithLongIDsAreDistinct() throws {
    let query = try ResolvedQuery(
      StructuredQuery(parent: ResourcePath(segments: []), collectionID: "c", orders: [QueryOrder(field: "n")])
    )
    let long = String(repeating: "x", count: 1_499)
    let keys = ["1", "2"].map { query.sortKey(["n": 1], at: ResourcePath(segments: ["c", long + $0])) }
    #expect(query.compare(keys[0], keys[1]) < 0)
  }

  @Test func aCursorOnDocumentIDsTakesIDs() throws {
    let query = try ResolvedQuery(
      StructuredQuery(
        parent: ResourcePath(segments: []),
        collectionID: "c",
        orders: [QueryOrder(field: .documentID())],
        start: QueryCursor(values: ["d5"], isInclusive: true)
      )
    )
    #expect(!query.matches([:], at: ResourcePath(segments: ["c", "d4"])))
    #expect(query.matches([:], at: ResourcePath(segments: ["c", "d5"])))
  }

  private static let many = (0..<31).map { QueryFilter.field("a", .equal, .integer($0)) }
  private static let fields = (0..<11).map {
    QueryFilter.field(FieldPath(["f\($0)"]), .greaterThan, 1)
  }

  @Test(
    arguments: [
      (.or(many), "31 alternatives"),
      (
        .and([
          .field("a", .in, .array((0..<6).map { .integer($0) })),
          .field("b", .in, .array((0..<6).map { .integer($0) })),
        ]),
        "36 alternatives"
      ),
      (.and([.field("a", .arrayContains, 1), .field("b", .arrayContainsAny, [1])]), "one array"),
      (.and(fields), "11 fields"),
      (.or([.field("a", .notIn, [1]), .field("b", .equal, 1)]), "can't be combined"),
      (.and((0..<101).map { _ in .field("a", .equal, 1) }), "100"),
    ] as [(QueryFilter, String)]
  )
  func aQueryThatNoServerTakesIsRefused(filter: QueryFilter, expected: String) {
    let thrown = #expect(throws: DocumentError.self) {
      try ResolvedQuery(
        StructuredQuery(parent: ResourcePath(segments: []), collectionID: "c", filter: filter)
      )
    }
    #expect(thrown?.code == .badQuery)
    #expect(thrown?.message.contains(expected) == true, "\(thrown?.message ?? "")")
  }

  private static func field(_ name: String, _ range: Range<Int64>) -> QueryFilter {
    .field(FieldPath([name]), .in, .array(range.map { .integer($0) }))
  }

  /// As Google's emulator counts them; 1 and 1.0 are different values.
  @Test(
    arguments: [
      (.or(Array(repeating: .field("a", .equal, 1), count: 31)), 1),
      (.and([field("a", 0..<6), field("a", 1..<7)]), 26),
      (.and([field("a", 0..<8), field("a", 0..<8)]), 8),
      (.and([.field("a", .in, [1, 1, 1, 1, 1, 1]), field("b", 0..<6)]), 6),
      (.and([.field("a", .in, .array((0..<15).flatMap { _ in [1, 1.0] })), field("b", 0..<15)]), 30),
      (.or([field("a", 0..<20)] + (0..<15).map { .field("a", .equal, .integer($0)) }), 20),
      (.and([field("a", 0..<6), field("b", 0..<6)] + many.prefix(6) + many.prefix(6)), 6),
      (.and(Array(repeating: field("a", 0..<30), count: 50)), 30),
    ] as [(QueryFilter, Int)]
  )
  func repeatedAlternativesCountOnce(filter: QueryFilter, expected: Int) throws {
    #expect(filter.alternatives(atMost: 100)?.count == expected)
    let query = StructuredQuery(parent: ResourcePath(segments: []), collectionID: "c", filter: filter)
    #expect(throws: Never.self) { try ResolvedQuery(query) }
  }

  /// Each part of this one has another set of conditions.
  @Test func countingAlternativesIsBounded() throws {
    let parts = (0..<40).map { Self.field("f\($0)", 0..<30) }
    #expect(QueryFilter.and(parts).alternatives(atMost: 100) == nil)
    let query = StructuredQuery(parent: ResourcePath(segments: []), collectionID: "c", filter: .and(parts))
    let error = #expect(throws: DocumentError.self) { try ResolvedQuery(query) }
    #expect(error?.message.contains("more than 100 alternatives") == true)
  }

  @Test func eachAlternativeMayContainAnArrayCondition() {
    let filter = QueryFilter.or([.field("a", .arrayContains, 1), .field("b", .arrayContains, 1)])
    #expect(throws: Never.self) {
      try ResolvedQuery(
        StructuredQuery(parent: ResourcePath(segments: []), collectionID: "c", filter: filter)
      )
    }
  }

  @Test func aCursorHasAtMostOneValuePerOrder() {
    let thrown = #expect(throws: DocumentError.self) {
      try ResolvedQuery(
        StructuredQuery(
          parent: ResourcePath(segments: []),
          collectionID: "c",
          orders: [QueryOrder(field: "a")],
          end: QueryCursor(values: [1, "d", 3], isInclusive: true)
        )
      )
    }
    #expect(thrown?.message.contains("3 values") == true)
  }
}
