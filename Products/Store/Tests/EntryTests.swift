import Foundation
import TenonDocuments
import TenonSQLite
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The entries of an index, as stored in the file.
@Suite(.limited) struct EntryTests {
  private static let values: [Value] = [
    .null, .boolean(false), .boolean(true), .double(.nan), .double(-.infinity), -1, 0,
    .double(.leastNonzeroMagnitude), 1,
    1.5, 256, 9_007_199_254_740_993, .double(.infinity), .timestamp(Timestamp(seconds: -62_135_596_800)),
    .timestamp(Timestamp(seconds: 0)), "", "\u{0}", "\u{0}\u{0}", "a", "a\u{0}", "a\u{0}b", "ab",
    .bytes(Data()), .bytes(Data([0])), .bytes(Data([0, 0, 1])),
    .reference(ResourcePath(segments: ["c", "d"])),
    .geoPoint(GeoPoint(latitude: 0, longitude: 0)), [], [.null], [0], ["", 0], .vector([]), .vector([0, 0]),
    [:], ["a": .null], ["a": 0], ["a": 0, "b": ""],
  ]

  @Test func truncatedEntriesKeepTheOrderOfTheirValues() {
    let whole = Self.values.map { OrderedEncoding.encode($0) }
    let short = whole.map(EntryTable.shortened)
    for left in whole.indices {
      for right in whole.indices {
        #expect(
          ByteOrder.compare(whole[left], whole[right]) == ByteOrder.compare(short[left], short[right]),
          "\(Self.values[left]) and \(Self.values[right])")
      }
    }
    #expect(EntryTable.shortened(Data([0, 0])).isEmpty)
    #expect(EntryTable.shortened(Data([9, 1, 0, 0]).dropFirst()) == Data([1]))
  }

  @Test(arguments: FieldIndexing.allCases)
  func eachValueIsFoundAndBoundsRanges(indexing: FieldIndexing) async throws {
    let store = makeStore(settings: StoreSettings(fieldIndexing: indexing))
    let batch = store.batch()
    for (number, value) in Self.values.enumerated() {
      try batch.setData(["v": value], forDocument: store.document("c/\(number + 100)"))
    }
    try await batch.commit()
    let ids = Self.values.indices.map { "\($0 + 100)" }
    let documents = store.collection("c")
    #expect(try await documents.order(by: "v").getDocuments().ids == ids)
    for (number, value) in Self.values.enumerated() {
      let ordered = documents.order(by: "v")
      #expect(try await documents.whereField("v", isEqualTo: value).getDocuments().ids == [ids[number]])
      #expect(try await documents.whereField("v", isEqualTo: value).count.getAggregation().count == 1)
      #expect(try await ordered.start(at: [value]).getDocuments().ids == Array(ids[number...]))
      #expect(try await ordered.start(after: [value]).count.getAggregation().count == ids.count - number - 1)
      #expect(
        try await ordered.end(before: [value]).limit(toLast: 3).getDocuments().ids == ids[..<number].suffix(3)
      )
      #expect(try await ordered.end(at: [value]).count.getAggregation().count == number + 1)
    }
  }

  @Test func aFieldChangedSeveralTimesInOneBatchIsIndexedByItsLastValue() async throws {
    let store = makeStore(settings: StoreSettings(fieldIndexing: .everyField))
    let document = store.document("c/d")
    let fields = store.collection("c")
    for values: [Value] in [[1, 2, 1], [2, 1, 2, 1], [1, 2]] {
      let batch = store.batch()
      for value in values { try batch.setData(["v": value], forDocument: document) }
      try batch.deleteDocument(document).setData(["v": try #require(values.last)], forDocument: document)
      try await batch.commit()
      #expect(
        try await fields.whereField("v", isEqualTo: try #require(values.last)).count.getAggregation().count
          == 1)
      #expect(try await fields.order(by: "v").count.getAggregation().count == 1)
    }
    try await store.batch().setData(["v": 3], forDocument: document).deleteDocument(document).commit()
    #expect(try await fields.order(by: "v").count.getAggregation().count == 0)
  }

  /// Returns the index as text: collection, field, bytes and document.
  private func index(_ directory: TestDirectory) throws -> [String] {
    try FieldEntries.entries(openDatabase(directory.file)).map { entry in
      let bytes = [entry.field, entry.value, entry.key].map { $0.map { "\($0)" }.joined(separator: ",") }
      return ([entry.collection, "\(entry.kind)"] + bytes + [entry.document]).joined(separator: " ")
    }.sorted()
  }

  @Test(arguments: 1...UInt64(DeepTests.count(5, deep: 20)))
  func theIndexMatchesTheDocumentsRegardlessOfHowTheyWereWritten(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let (written, copied) = (try TestDirectory(), try TestDirectory())
    let store = makeStore(written, settings: StoreSettings(fieldIndexing: .everyField))
    for _ in 0..<12 {
      let batch = store.batch()
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let document = store.document("c/\(Int.random(in: 0..<5, using: &random))")
        if Int.random(in: 0..<6, using: &random) == 0 {
          try batch.deleteDocument(document)
        } else {
          try batch.setData(fields(&random), forDocument: document, merge: Bool.random(using: &random))
        }
      }
      try await batch.commit()
    }
    let copy = makeStore(copied, settings: StoreSettings(fieldIndexing: .everyField))
    let batch = copy.batch()
    for document in try await store.collection("c").getDocuments().documents {
      try batch.setData(document.fields, forDocument: copy.document(document.reference.path))
    }
    try await batch.commit()
    #expect(try index(written) == index(copied))
  }

  /// Returns fields with few distinct names and values, so that they often remain equal, nested in arrays and
  /// maps.
  private func fields(_ random: inout SeededGenerator, depth: Int = 0) -> Fields {
    var fields = Fields()
    for name in ["a", "b", "c"] where Bool.random(using: &random) {
      let long = String(repeating: "l", count: 1_600)
      let plain: [Value] = [0, 1, .double(1), "", .null, .string(long), .string(long + "m")]
      fields[name] =
        switch Int.random(in: 0..<(depth < 2 ? 4 : 3), using: &random) {
        case 0, 1: plain.randomElement(using: &random) ?? 0
        case 2: .array((0..<3).map { _ in plain.randomElement(using: &random) ?? 0 })
        default: .map(self.fields(&random, depth: depth + 1))
        }
    }
    return fields
  }

  @Test(arguments: [nil, 1, 7, 20, 100])
  func countingEndsAtTheLimit(limit: Int?) async throws {
    let store = makeStore(settings: StoreSettings(fieldIndexing: .everyField))
    let batch = store.batch()
    for number in 0..<20 { try batch.setData(["v": number], forDocument: store.document("c/\(number)")) }
    try await batch.commit()
    var query = store.collection("c").whereField("v", isGreaterThanOrEqualTo: 5)
    if let limit { query = query.limit(to: limit) }
    let runnable = try query.runnable(isSent: false)
    let (count, read) = try await store.engine.use { running in
      try running.local.transactions.read {
        let reading = try QueryReading(runnable.run, in: running.local.reader)
        return (try reading.count(), reading.entriesRead)
      }
    }
    #expect(count == min(15, limit ?? .max))
    #expect(read == count)
  }

  @Test func countingReadsNoDocuments() async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory, settings: StoreSettings(fieldIndexing: .everyField))
    let batch = store.batch()
    for number in 0..<20 { try batch.setData(["v": number], forDocument: store.document("c/\(number)")) }
    try await batch.commit()
    // A query that only counts entries doesn't detect an unreadable document.
    try openDatabase(directory.file).execute("UPDATE documents SET fields = x'FF'")
    let query = store.collection("c").whereField("v", isGreaterThanOrEqualTo: 5)
    #expect(try await query.count.getAggregation().count == 15)
    #expect(try await query.limit(to: 3).count.getAggregation().count == 3)
    #expect(
      try await store.collectionGroup("c").whereField("v", isLessThan: 2).count.getAggregation().count == 2)
    let thrown = await #expect(throws: StoreError.self) { try await query.getDocuments() }
    #expect(thrown?.code == .dataLoss)
    #expect(thrown?.message.contains("c/10") ?? false || thrown?.message.contains("c/5") ?? false)
  }
}
