import Foundation
import TenonStore
import TenonTestSupport
import Testing

/// `data()`, `get(_:)` and subscripts as a developer who comes from Firebase types them.
@Suite(.limited) struct PlainValueTests {
  private static let fields: Fields = [
    "b": true, "i": 5, "d": 0.5, "s": "tea", "t": .timestamp(Timestamp(seconds: 7)),
    "data": .bytes(Data([1, 2])),
    "g": .geoPoint(GeoPoint(latitude: 1, longitude: 2)), "v": .vector([1, 2]), "null": .null,
    "r": .reference(ResourcePath(segments: ["pages", "coffee"])), "l": ["a", "b"],
    "mixed": [1, "a", ["k": 2]],
    "m": ["k": ["x": 1]], "counts": ["a": 1, "b": 2], "large": .integer(.max), "a.b": "dotted",
  ]

  /// The document as one that was stored and read, and as elements of a query's result.
  private static func documents() async throws -> [any DocumentSnapshotConvertible] {
    let store = makeStore()
    let reference = store.document("pages/tea")
    try await reference.setData(fields)
    let query = try await store.collection("pages").getDocuments()
    return [
      try await reference.getDocument(), try #require(query.documents.first),
      try #require(query.documentChanges.first?.document),
    ]
  }

  @Test func castsOfDataYieldTheValuesThatWereWritten() async throws {
    for document in try await Self.documents() {
      let data = document.documentSnapshot.data()
      #expect(data?.count == Self.fields.names.count)
      #expect(data?["b"] as? Bool == true && data?["i"] as? Int == 5 && data?["d"] as? Double == 0.5)
      #expect(data?["s"] as? String == "tea" && data?["t"] as? Timestamp == Timestamp(seconds: 7))
      #expect(data?["data"] as? Data == Data([1, 2]) && data?["v"] as? VectorValue == VectorValue([1, 2]))
      #expect(data?["g"] as? GeoPoint == GeoPoint(latitude: 1, longitude: 2))
      #expect((data?["r"] as? DocumentReference)?.path == "pages/coffee")
      #expect((data?["r"] as? DocumentReference)?.store === document.reference.store)
      #expect(data?["l"] as? [String] == ["a", "b"] && (data?["l"] as? [Any])?.count == 2)
      #expect((data?["mixed"] as? [Any])?[1] as? String == "a" && data?["mixed"] as? [String] == nil)
      #expect(((data?["m"] as? [String: Any])?["k"] as? [String: Any])?["x"] as? Int == 1)
      #expect(data?["counts"] as? [String: Int] == ["a": 1, "b": 2])
      #expect(data?["large"] as? Int == .max && data?["a.b"] as? String == "dotted")
      #expect(data?["null"] is NSNull && data?["null"] as? String == nil && data?["missing"] == nil)
      let untyped: [String: Any]? = data
      #expect(untyped?["s"] as? String == "tea")
    }
  }

  @Test func getAndSubscriptsFollowPaths() async throws {
    for document in try await Self.documents() {
      #expect(document.get("s") as? String == "tea" && document["i"] as? Int == 5)
      #expect(document.get("m.k.x") as? Int == 1 && document["m.k"] as? [String: Int] == ["x": 1])
      #expect(document.get(FieldPath(["a.b"])) as? String == "dotted" && document["a.b"] == nil)
      #expect(document.getReference("r")?.path == "pages/coffee" && document["missing"] == nil)
    }
  }

  @Test func dataOfADocumentInAResultIsNotOptional() async throws {
    let store = makeStore()
    try await store.document("pages/tea").setData(["title": "Tea"])
    let snapshot = try await store.collection("pages").getDocuments()
    let titles: [String] = snapshot.documents.compactMap { $0.data()["title"] as? String }
    #expect(
      titles == ["Tea"] && snapshot.documents[0].fields["title"] == "Tea" && snapshot.documents[0].exists)
    let missing = try await store.document("pages/coffee").getDocument()
    #expect(missing.data() == nil && missing.fields == nil && missing["title"] == nil)
    #expect(QueryDocumentSnapshot(missing) == nil)
  }

  /// On Apple's platforms, Firebase's numbers are objects that cast to all numeric types. Here they aren't.
  @Test func aNumberIsWhatWasWritten() async throws {
    let page = makeStore().document("pages/tea")
    try await page.setData(["five": 5, "half": 0.5, "whole": 5.0, "yes": true, "text": "5"])
    let document = try await page.getDocument()
    #expect(document["five"] as? Double == nil && document["five"] as? Bool == nil)
    #expect(document["whole"] as? Int == nil && document["whole"] as? Double == 5)
    #expect(document["yes"] as? Int == nil && document["yes"] as? Bool == true)
    #expect(try document.get("five", as: Double.self) == 5 && document.get("whole", as: Int.self) == 5)
    #expect(try document.get("missing", as: Int.self) == nil)
    for field in ["half", "text"] {
      let error = #expect(throws: DecodingError.self) { try document.get(field, as: Int.self) }
      #expect("\(error.map { "\($0)" } ?? "")".contains(field))
    }
  }

  @Test func serverTimestampsOfDataFollowTheirBehavior() {
    let moment = Timestamp(seconds: 9)
    let document = DocumentSnapshot(
      fields: ["at": .timestamp(moment), "new": .timestamp(moment)],
      pendingTimestamps: ["at": "before", "new": .null])
    #expect(document.data()?["at"] as? Timestamp == moment && document["at"] as? Timestamp == moment)
    #expect(document.data(with: .previous)?["at"] as? String == "before")
    #expect(document.data(with: .previous)?["new"] is NSNull && document.data(with: .none)?["at"] is NSNull)
    #expect(document.get("at", serverTimestampBehavior: .previous) as? String == "before")
    #expect(document.fields(with: .none)?["at"] == .null)
  }

  @Test func dataOfADocumentCanBeWrittenToAnotherOne() async throws {
    let store = makeStore()
    let (page, copy) = (store.document("pages/tea"), store.document("pages/copy"))
    try await page.setData(Self.fields)
    let data = try #require(try await page.getDocument().data())
    try await copy.setData([String: any DocumentValue](checking: data))
    #expect(try await copy.getDocument().fields == Self.fields)
  }

  @Test func objectsOfFoundationAreStored() async throws {
    let page = makeStore().document("pages/tea")
    let json = try JSONSerialization.jsonObject(
      with: Data(#"{"n": null, "i": 5, "d": 0.5, "b": true, "l": [1]}"#.utf8))
    let untyped = try #require(json as? [String: Any])
    try await page.setData([String: any DocumentValue](checking: untyped))
    #expect(try await page.getDocument().fields == ["n": .null, "i": 5, "d": 0.5, "b": true, "l": [1]])
    try await page.setData(
      [String: any DocumentValue](checking: ["u": NSNumber(value: UInt32.max), "n": NSNull()]))
    #expect(try await page.getDocument().fields == ["u": .integer(Int64(UInt32.max)), "n": .null])
    #expect(throws: StoreError.self) {
      try [String: any DocumentValue](checking: ["u": NSNumber(value: UInt64.max)])
    }
  }

  @Test func aVectorIsAPropertyOfAModel() async throws {
    struct Page: Codable, Equatable { var embedding: VectorValue }
    let page = makeStore().document("pages/tea")
    try await page.setData(from: Page(embedding: VectorValue([1, 2])))
    let document = try await page.getDocument()
    #expect(document.fields == ["embedding": .vector([1, 2])])
    #expect(try document.data(as: Page.self) == Page(embedding: VectorValue([1, 2])))
    try await page.setData(["embedding": [1, 2]])
    let array = try await page.getDocument()
    #expect(throws: DecodingError.self) { try array.data(as: Page.self) }
    let json = try JSONEncoder().encode(Page(embedding: VectorValue([1, 2])))
    #expect(try JSONDecoder().decode(Page.self, from: json) == Page(embedding: VectorValue([1, 2])))
  }

  @Test func aCursorIsADocumentOrAnElementOfAResult() async throws {
    let store = makeStore()
    let pages = store.collection("pages")
    for index in 0..<4 { try await pages.document("\(index)").setData(["n": index]) }
    let query = pages.order(by: "n")
    let second = try #require(try await query.getDocuments().documents.dropFirst().first)
    let same = try await second.reference.getDocument()
    func numbers(_ query: Query) async throws -> [Int] {
      try await query.getDocuments().documents.compactMap { $0["n"] as? Int }
    }
    #expect(try await numbers(query.start(afterDocument: second)) == [2, 3])
    #expect(try await numbers(query.start(afterDocument: same)) == [2, 3])
    #expect(try await numbers(query.end(atDocument: second)) == [0, 1])
    #expect(try await numbers(query.start(atDocument: same).end(beforeDocument: second)) == [])
  }

  @Test func anAggregateIsAPlainNumber() async throws {
    let items = makeStore().collection("items")
    let fields: [AggregateField] = [.count(), .sum("n"), .sum("d"), .average("n")]
    for (index, half) in [0.5, 1].enumerated() {
      try await items.document("\(index)").setData(["n": index, "d": half])
    }
    let result = try await items.aggregate(fields).getAggregation()
    #expect(result.count == 2 && result.get(.count()) as? Int == 2)
    #expect(result.get(.sum("n")) as? Int == 1 && result.get(.sum("d")) as? Double == 1.5)
    #expect(result.get(.average("n")) as? Double == 0.5)
    let none = try await items.aggregate([.average("missing")]).getAggregation()
    #expect(none.get(.average("missing")) is NSNull)
    #expect(result[.sum("n")]?.doubleValue == 1 && result.get(.sum("other")) == nil)
  }
}
