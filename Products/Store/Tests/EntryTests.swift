import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop
import Testing

@testable import TenonStore

/// The index as it lies in the file.
struct EntryTests {
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

  @Test func entriesWithoutTheirLastZerosKeepTheOrderOfTheirValues() {
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

  @Test func eachValueIsFoundAndBoundsWhatIsFound() async throws {
    let store = makeStore()
    let batch = store.batch()
    for (number, value) in Self.values.enumerated() {
      try batch.set(["v": value], at: store.document("c/\(number + 100)"))
    }
    try await batch.commit()
    let ids = Self.values.indices.map { "\($0 + 100)" }
    let documents = try store.collection("c")
    #expect(try await documents.order(by: "v").get().ids == ids)
    for (number, value) in Self.values.enumerated() {
      let ordered = documents.order(by: "v")
      #expect(try await documents.where("v", .equal, value).get().ids == [ids[number]])
      #expect(try await documents.where("v", .equal, value).count() == 1)
      #expect(try await ordered.start(at: value).get().ids == Array(ids[number...]))
      #expect(try await ordered.start(after: value).count() == ids.count - number - 1)
      #expect(try await ordered.end(before: value).limit(toLast: 3).get().ids == ids[..<number].suffix(3))
      #expect(try await ordered.end(at: value).count() == number + 1)
    }
  }

  @Test func aFieldThatComesAndGoesInOneBatchIsFoundAsItWasLast() async throws {
    let store = makeStore()
    let document = try store.document("c/d")
    let fields = try store.collection("c")
    for values: [Value] in [[1, 2, 1], [2, 1, 2, 1], [1, 2]] {
      let batch = store.batch()
      for value in values { try batch.set(["v": value], at: document) }
      try batch.delete(document).set(["v": try #require(values.last)], at: document)
      try await batch.commit()
      #expect(try await fields.where("v", .equal, try #require(values.last)).count() == 1)
      #expect(try await fields.order(by: "v").count() == 1)
    }
    try await store.batch().set(["v": 3], at: document).delete(document).commit()
    #expect(try await fields.order(by: "v").count() == 0)
  }

  @Test(arguments: [nil, 1, 7, 20, 100])
  func countingEndsAtTheLimit(limit: Int?) async throws {
    let store = makeStore()
    let batch = store.batch()
    for number in 0..<20 { try batch.set(["v": .init(number)], at: store.document("c/\(number)")) }
    try await batch.commit()
    var query = try store.collection("c").where("v", .greaterThanOrEqual, 5)
    if let limit { query = query.limit(to: limit) }
    let runnable = try RunnableQuery(query)
    let (count, read) = try await store.engine.use { running in
      try running.local.reading {
        let reading = try QueryReading(runnable.run, in: running.local)
        return (try reading.count(), reading.entriesRead)
      }
    }
    #expect(count == min(15, limit ?? .max))
    #expect(read == count)
  }

  @Test func countingReadsNoDocuments() async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory)
    let batch = store.batch()
    for number in 0..<20 { try batch.set(["v": .init(number)], at: store.document("c/\(number)")) }
    try await batch.commit()
    // What can't be read isn't noticed where only entries are counted.
    try Connection.open(directory.file).execute("UPDATE documents SET fields = x'FF'")
    let query = try store.collection("c").where("v", .greaterThanOrEqual, 5)
    #expect(try await query.count() == 15)
    #expect(try await query.limit(to: 3).count() == 3)
    #expect(try await store.collectionGroup("c").where("v", .lessThan, 2).count() == 2)
    let thrown = await #expect(throws: StoreError.self) { try await query.get() }
    #expect(thrown?.code == .dataLoss)
    #expect(thrown?.message.contains("c/10") ?? false || thrown?.message.contains("c/5") ?? false)
  }
}
