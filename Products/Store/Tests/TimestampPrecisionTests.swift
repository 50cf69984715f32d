import Foundation
import TenonStoreInterop
import TenonTestSupport
import Testing

@testable import TenonStore

/// Timestamps finer than a microsecond are stored without the rest, and everything that is compared with
/// stored ones is treated alike.
@Suite(.limited) struct TimestampPrecisionTests {
  private static let fine = Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_789)
  private static let stored = Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_000)
  private let fine = Self.fine

  /// Returns a database with the timestamp in a field, an array, and a map in an array; all fields have
  /// indexes, or none has.
  private func makeDatabase(_ indexing: FieldIndexing) async throws -> Store {
    let store = makeStore(settings: StoreSettings(fieldIndexing: indexing))
    try await store.document("c/1").setData([
      "at": fine, "list": [fine], "maps": [["at": fine]], "map": ["at": fine],
    ])
    return store
  }

  @Test(arguments: FieldIndexing.allCases)
  func conditionsFindTheTimestampAsItWasWritten(indexing: FieldIndexing) async throws {
    let store = try await makeDatabase(indexing)
    let collection = store.collection("c")
    let found: [Query] = [
      collection.whereField("at", isEqualTo: fine), collection.whereField("at", isGreaterThanOrEqualTo: fine),
      collection.whereField("at", isLessThanOrEqualTo: fine), collection.whereField("at", in: [fine]),
      collection.whereField("map.at", isEqualTo: fine), collection.whereField("map", isEqualTo: ["at": fine]),
      collection.whereField("list", isEqualTo: [fine]), collection.whereField("list", arrayContains: fine),
      collection.whereField("list", arrayContainsAny: [fine]),
      collection.whereField("maps", arrayContains: ["at": fine]),
      collection.order(by: "at").start(at: [fine]), collection.order(by: "at").end(at: [fine]),
      collection.whereFilter(
        .orFilter([.whereField("at", isEqualTo: fine), .whereField("at", isEqualTo: 1)])),
    ]
    for query in found {
      #expect(try await query.getDocuments().ids == ["1"], "\(query.structure)")
      #expect(try await query.count.getAggregation().count == 1, "\(query.structure)")
    }
    let others: [Query] = [
      collection.whereField("at", isGreaterThan: fine), collection.whereField("at", isLessThan: fine),
      collection.whereField("at", isNotEqualTo: fine), collection.whereField("at", notIn: [fine]),
      collection.order(by: "at").start(after: [fine]), collection.order(by: "at").end(before: [fine]),
    ]
    for query in others { #expect(try await query.getDocuments().ids == [], "\(query.structure)") }
  }

  @Test func listenersFindIt() async throws {
    let store = try await makeDatabase(.onFirstQuery)
    let snapshots = Snapshots(store.collection("c").whereField("at", isEqualTo: fine).snapshots)
    #expect(try await snapshots.next()?.ids == ["1"])
    try await store.document("c/2").setData(["at": fine])
    #expect(try await snapshots.next { $0.count == 2 }?.ids == ["1", "2"])
  }

  /// With a remote, the results are those of pending writes.
  @Test(arguments: [true, false])
  func arraysAreChangedAsIfItWereStored(isLocalOnly: Bool) async throws {
    let store = makeStore(isLocalOnly: isLocalOnly)
    let document = store.document("c/1")
    try await document.setData(["list": [fine], "maps": [["at": fine]]])
    try await document.updateData([
      "list": FieldValue.arrayUnion([fine, Self.stored]), "maps": FieldValue.arrayUnion([["at": fine]]),
    ])
    let united = try await document.getDocument().fields
    #expect(united?["list"] == .array([.timestamp(Self.stored)]))
    #expect(united?["maps"] == .array([.map(["at": .timestamp(Self.stored)])]))
    try await store.runTransaction { transaction in
      try transaction.updateData(["list": FieldValue.arrayRemove([fine])], forDocument: document)
    }
    try await document.updateData(["maps": FieldValue.arrayRemove([["at": fine]])])
    #expect(try await document.getDocument().fields == ["list": .array([]), "maps": .array([])])
  }

  private struct Event: Codable, Equatable { var at: Timestamp }

  @Test func typedCollectionsFindIt() async throws {
    let store = try await makeDatabase(.onFirstQuery)
    let events = store.collection("c", of: Event.self)
    let found = try await events.whereField(\.at, isEqualTo: fine).getDocuments()
    #expect(found.documents.map(\.documentID) == ["1"])
  }
}
