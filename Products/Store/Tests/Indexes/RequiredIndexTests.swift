import Foundation
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The indexes that Firestore's server requires, and the file in which it receives them.
@Suite(.limited) struct RequiredIndexTests {
  /// A query and the names of the indexes that the server requires.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let names: [String]
    let make: @Sendable (Store) -> Query

    init(_ description: String, _ names: [String], _ make: @escaping @Sendable (Store) -> Query) {
      (testDescription, self.names, self.make) = (description, names, make)
    }
  }

  static let cases = [
    Case("a collection", []) { $0.collection("c").query },
    Case("one order", []) { $0.collection("c").order(by: "a", descending: true) },
    Case("equalities", []) { $0.collection("c").whereField("a", isEqualTo: 1).whereField("b", isEqualTo: 2) },
    Case("an equality and an element", []) {
      $0.collection("c").whereField("a", isEqualTo: 1).whereField("b", arrayContains: 2)
    },
    Case("an inequality", []) { $0.collection("c").whereField("a", isGreaterThan: 1) },
    Case("an inequality in the same order", []) {
      $0.collection("c").whereField("a", isGreaterThan: 1).order(by: "a", descending: true)
    },
    Case("an order of the field with an equality", []) {
      $0.collection("c").whereField("a", isEqualTo: 1).order(by: "a")
    },
    Case("an equality and an order", ["c(a ascending, b descending)"]) {
      $0.collection("c").whereField("a", isEqualTo: 1).order(by: "b", descending: true)
    },
    Case("the last ones", ["c(a ascending, b descending)"]) {
      $0.collection("c").whereField("a", isEqualTo: 1).order(by: "b").limit(toLast: 2)
    },
    Case("equalities in another order and an inequality", ["c(a ascending, b ascending, n ascending)"]) {
      $0.collection("c").whereField("n", isLessThan: 5).whereField("b", isEqualTo: 1)
        .whereField("a", isEqualTo: 1)
    },
    Case("an element and an order", ["c(elements of t, n ascending)"]) {
      $0.collection("c").whereField("t", arrayContains: 5).order(by: "n")
    },
    Case("two orders", ["c(a ascending, b descending)"]) {
      $0.collection("c").order(by: "a").order(by: "b", descending: true)
    },
    Case("two inequalities", ["c(a ascending, b ascending)"]) {
      $0.collection("c").whereField("b", isGreaterThan: 1).whereField("a", isNotEqualTo: 1)
    },
    Case("an ID against the order", ["c(a ascending, __name__ descending)"]) {
      $0.collection("c").order(by: "a").order(by: .documentID(), descending: true)
    },
    Case("a list and an order", ["c(a ascending, n ascending)"]) {
      $0.collection("c").whereField("a", in: [1, 2]).order(by: "n")
    },
    Case("alternatives", ["c(a ascending, n ascending)", "c(b ascending, n ascending)"]) {
      $0.collection("c").whereFilter(Filter(.or([.field("a", .equal, 1), .field("b", .equal, 1)])))
        .order(by: "n")
    },
    Case("a group", []) { $0.collectionGroup("c") },
    Case("an equality in a group", ["group c(a ascending)"]) {
      $0.collectionGroup("c").whereField("a", isEqualTo: 1)
    },
    Case("an order of a group", ["group c(a descending)"]) {
      $0.collectionGroup("c").order(by: "a", descending: true)
    },
    Case("an equality and an order of a group", ["group c(a ascending, b ascending)"]) {
      $0.collectionGroup("c").whereField("a", isEqualTo: 1).order(by: "b")
    },
  ]

  @Test(arguments: cases)
  func requiredIndexesFollowFromTheQuery(example: Case) async throws {
    let store = makeStore()
    _ = try await example.make(store).getDocuments()
    #expect(store.requiredIndexes.map(\.name) == example.names)
  }

  @Test func aggregationsRequireIndexesWithTheirField() async throws {
    let store = makeStore()
    let query = store.collection("c").whereField("a", isEqualTo: 1)
    _ = try await query.count.getAggregation()
    #expect(store.requiredIndexes.isEmpty)
    _ = try await query.aggregate([.sum("n")]).getAggregation()
    #expect(store.requiredIndexes == [CompositeIndex("c", .ascending("a"), .ascending("n"))])
  }

  @Test func atMostAThousandAreRemembered() throws {
    let required = RequiredIndexes()
    for number in 0..<1_100 {
      let query = StructuredQuery(
        parent: ResourcePath(segments: []), collectionID: "c\(number)", filter: .field("a", .equal, 1),
        orders: [QueryOrder(field: "b", isDescending: false)])
      required.add(try ResolvedQuery(query))
    }
    #expect(required.all.count == RequiredIndexes.capacity)
  }

  @Test func theFileIsReadBackAndDoesNotDependOnTheOrder() throws {
    let indexes = [
      CompositeIndex("b", .ascending("x"), .descending(FieldPath(["m", "a.b"]))),
      CompositeIndex(
        "a", scope: .collectionGroup, .contains("t"), .ascending("n"), .descending(.documentID())),
      CompositeIndex("a", .ascending("n"), .ascending("x")),
    ]
    let groups = [
      CompositeIndex("a", scope: .collectionGroup, .ascending("n")),
      CompositeIndex("a", scope: .collectionGroup, .contains("n")),
    ]
    let file = try CompositeIndex.file(of: indexes + groups + indexes)
    #expect(try CompositeIndex.file(of: groups.reversed() + indexes.reversed()) == file)
    #expect(try CompositeIndex.indexes(inFile: file) == [indexes[2], indexes[1], indexes[0]])
    #expect(try FieldOverride.overrides(inFile: file) == [FieldOverride("a", "n", [.values, .elements])])
    let text = String(decoding: file, as: UTF8.self)
    #expect(text.contains("\"queryScope\" : \"COLLECTION_GROUP\""))
    // The automatic indexes of the field are kept.
    #expect(text.contains("\"order\" : \"DESCENDING\""))
    let thrown = #expect(throws: StoreError.self) {
      try CompositeIndex.file(of: [CompositeIndex("", .ascending("a"))])
    }
    #expect(thrown?.code == .invalidArgument)
  }

  @Test func whatTheServerDoesNotRunRequiresNoIndex() async throws {
    let store = makeStore(
      remote: FakeStoreRemote(), settings: StoreSettings(textIndexes: [TextIndex("c", "text")]))
    let query = store.collection("c").whereField("a", isEqualTo: 1).order(by: "b")
    _ = try await query.search("tea").getDocuments()
    var results = query.search("tea").snapshots.makeAsyncIterator()
    _ = try await results.next()
    try await query.pin()
    try await query.unpin()
    try await query.evict()
    #expect(store.requiredIndexes.isEmpty)
    _ = try await query.getDocuments()
    #expect(store.requiredIndexes.count == 1)
    await store.terminate()
  }

  @Test func overridesAreReadFromFirestoresFile() throws {
    let json = """
      {"indexes": [], "fieldOverrides": [
        {"collectionGroup": "notes", "fieldPath": "body", "indexes": []},
        {"collectionGroup": "notes", "fieldPath": "meta.`a.b`", "indexes": [
          {"order": "ASCENDING", "queryScope": "COLLECTION_GROUP"}]},
        {"collectionGroup": "notes", "fieldPath": "tags", "ttl": false, "indexes": [
          {"arrayConfig": "CONTAINS", "queryScope": "COLLECTION"}]},
        {"collectionGroup": "notes", "fieldPath": "*", "indexes": []},
        {"collectionGroup": "notes", "fieldPath": "expires", "ttl": true}]}
      """
    #expect(
      try FieldOverride.overrides(inFile: Data(json.utf8)) == [
        FieldOverride("notes", "body", .exempt), FieldOverride("notes", FieldPath(["meta", "a.b"])),
        FieldOverride("notes", "tags", .elements),
      ])
    #expect(try FieldOverride.overrides(inFile: Data("{}".utf8)).isEmpty)
    for text in [
      "[]", "{", #"{"fieldOverrides": [{"collectionGroup": "", "fieldPath": "a", "indexes": []}]}"#,
    ] {
      let thrown = #expect(throws: StoreError.self) { try FieldOverride.overrides(inFile: Data(text.utf8)) }
      #expect(thrown?.code == .invalidArgument)
    }
  }
}
