import Foundation
import TenonStore
import TenonTestSupport
import Testing

/// Plain Swift values in writes and queries, with `TenonStore` as the only import of Tenon.
@Suite(.limited) struct DocumentValueTests {
  private enum Level: String, DocumentValue { case low, high }
  private enum CodableLevel: Int, Codable, DocumentValue { case one = 1 }
  private struct Address: Codable, DocumentValue { var street, city: String }
  private struct Money: DocumentValue {
    var amount: Int
    func fieldValue() throws -> FieldValue { try FieldValue(["amount": amount, "currency": "EUR"]) }
  }
  private struct Refusing: DocumentValue {
    struct Reason: Error, CustomStringConvertible { let description = "no reason" }
    func fieldValue() throws -> FieldValue { throw Reason() }
  }
  private final class Unstorable {}

  private func makePage() -> DocumentReference { makeStore().document("pages/tea") }

  @Test func variablesOfEveryKindAreStored() async throws {
    let page = makePage()
    let (title, flag, date, bytes) = ("Tea", true, Date(timeIntervalSince1970: 1.25), Data([1, 2]))
    let numbers: (Int, Int8, Int16, Int32, Int64, UInt, UInt8, UInt16, UInt32, UInt64) = (
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10
    )
    let (missing, present): (String?, String?) = (nil, "x")
    let (names, counts): ([String], [String: Int]) = (["a", "b"], ["k": 1])
    let point = GeoPoint(latitude: 48.5, longitude: 10)
    try await page.setData([
      "title": title, "flag": flag, "date": date, "bytes": bytes, "point": point,
      "i": numbers.0, "i8": numbers.1, "i16": numbers.2, "i32": numbers.3, "i64": numbers.4, "u": numbers.5,
      "u8": numbers.6, "u16": numbers.7, "u32": numbers.8, "u64": numbers.9, "float": Float(0.5),
      "double": 0.25,
      "missing": missing, "present": present, "names": names, "counts": counts, "level": Level.high,
      "codableLevel": CodableLevel.one, "address": Address(street: "A", city: "B"), "money": Money(amount: 3),
      "other": page.parent.document("coffee"), "vector": .vector([1, 2]), "url": URL(string: "https://a.b/c"),
      "time": Timestamp(seconds: 5), "slice": title.prefix(1), "big": Int128(7), "null": .null,
      "price": Decimal(1_999) / 100,
    ])
    #expect(
      try await page.getDocument().fields == [
        "title": "Tea", "flag": true, "date": .timestamp(Timestamp(seconds: 1, nanoseconds: 250_000_000)),
        "bytes": .bytes(bytes), "point": .geoPoint(point), "i": 1, "i8": 2, "i16": 3, "i32": 4, "i64": 5,
        "u": 6,
        "u8": 7, "u16": 8, "u32": 9, "u64": 10, "float": 0.5, "double": 0.25, "missing": .null,
        "present": "x",
        "names": ["a", "b"], "counts": ["k": 1], "level": "high", "codableLevel": 1,
        "address": ["street": "A", "city": "B"], "money": ["amount": 3, "currency": "EUR"],
        "other": .reference(ResourcePath(segments: ["pages", "coffee"])), "vector": .vector([1, 2]),
        "url": "https://a.b/c", "time": .timestamp(Timestamp(seconds: 5)), "slice": "T", "big": 7,
        "null": .null, "price": 19.99,
      ])
  }

  @Test func decimalsAreComparedWithAllNumbers() async throws {
    struct Item: Codable, Equatable { var price: Decimal }
    let items = makeStore().collection("items")
    try await items.document("a").setData(from: Item(price: Decimal(1_999) / 100))
    try await items.document("b").setData(["price": 20])
    try await items.document("c").setData(["price": 20.5])
    func ids(_ query: Query) async throws -> [String] {
      try await query.getDocuments().documents.map(\.documentID)
    }
    #expect(try await ids(items.whereField("price", isGreaterThan: Decimal(1_999) / 100)) == ["b", "c"])
    #expect(try await ids(items.whereField("price", isLessThan: 20.25)) == ["a", "b"])
    #expect(try await ids(items.whereField("price", isEqualTo: Decimal(20))) == ["b"])
    let typed = TypedCollection(items, of: Item.self)
    #expect(try await typed.whereField(\.price, isLessThan: 20).getDocuments().count == 1)
    let read = try await items.getDocuments().documents.map { try $0.data(as: Item.self).price }
    #expect(read == [Decimal(1_999) / 100, 20, Decimal(205) / 10])
  }

  @Test func mapsAndArraysMayMixTypesAtAnyDepth() async throws {
    let page = makePage()
    let (n, title) = (1, "Tea")
    try await page.setData([
      "m": ["k": n, "s": title, "deep": ["x": [1, "2", ["y": true]], "at": FieldValue.increment(2)]],
      "tags": ["a", 1, true, 0.5], "none": [], "empty": [:],
    ])
    #expect(
      try await page.getDocument().fields == [
        "m": ["k": 1, "s": "Tea", "deep": ["x": [1, "2", ["y": true]], "at": 2]],
        "tags": ["a", 1, true, 0.5],
        "none": [], "empty": [:],
      ])
  }

  @Test func queriesAndCursorsTakeVariables() async throws {
    let notes = makeStore().collection("notes")
    let now = Date(timeIntervalSince1970: 100)
    for n in 0..<5 {
      try await notes.addDocument(data: [
        "n": n, "at": now.addingTimeInterval(Double(n)), "tags": ["t\(n)", "x"],
        "level": n < 2 ? Level.low : Level.high,
      ])
    }
    let (two, tags, field): (UInt8, [String], String) = (2, ["t0", "t4"], "n")
    func ns(_ query: Query) async throws -> [Int] {
      try await query.getDocuments().documents.compactMap { $0.fields["n"]?.intValue }.sorted()
    }
    #expect(try await ns(notes.whereField(field, isEqualTo: two)) == [2])
    #expect(try await ns(notes.whereField(field, isNotEqualTo: two)) == [0, 1, 3, 4])
    #expect(try await ns(notes.whereField("n", isLessThan: two)) == [0, 1])
    #expect(try await ns(notes.whereField("n", isLessThanOrEqualTo: two)) == [0, 1, 2])
    #expect(try await ns(notes.whereField(FieldPath(["n"]), isGreaterThan: two)) == [3, 4])
    #expect(
      try await ns(notes.whereField("at", isGreaterThanOrEqualTo: now.addingTimeInterval(3))) == [3, 4])
    #expect(try await ns(notes.whereField("tags", arrayContains: tags[0])) == [0])
    #expect(try await ns(notes.whereField("tags", arrayContainsAny: tags)) == [0, 4])
    #expect(try await ns(notes.whereField("n", in: [two, 4, 9])) == [2, 4])
    #expect(try await ns(notes.whereField("n", notIn: [two, 4])) == [0, 1, 3])
    #expect(try await ns(notes.whereField("level", isEqualTo: Level.low)) == [0, 1])
    #expect(
      try await ns(
        notes.whereFilter(
          .orFilter([
            .whereField("n", isEqualTo: 0),
            .andFilter([.whereField("n", isGreaterThan: two), .whereField("tags", arrayContains: "t3")]),
          ]))) == [0, 3])
    let ordered = notes.order(by: field)
    #expect(try await ns(ordered.start(at: [two]).end(before: [4])) == [2, 3])
    #expect(try await ns(ordered.start(after: [two]).end(at: [4])) == [3, 4])
    let last = try #require(try await ordered.limit(to: 2).getDocuments().documents.last)
    #expect(try await ns(ordered.start(afterDocument: last)) == [2, 3, 4])
  }

  @Test func aValueThatCannotBeStoredIsAnErrorThatNamesItsField() async throws {
    let page = makePage()
    let cases: [([String: any DocumentValue], String)] = [
      (["n": UInt64.max], "The field \"n\" has the value 18446744073709551615"),
      (["a": ["b": [1, UInt64.max]]], "The field \"a.b[1]\" has the value 18446744073709551615"),
      (["m": ["k": 1, "o": Unstorable()]], "The field \"m.o\" has a value of type Unstorable"),
      (["l": ["a", Unstorable()]], "The field \"l[1]\" has a value of type Unstorable"),
      (["n": .increment(UInt64.max)], "The field \"n\" has the value"),
      (["n": .arrayUnion(["a", UInt64.max])], "The field \"n[1]\" has the value"),
      (["l": [FieldValue.serverTimestamp()]], "The field \"l[0]\" is a FieldValue in an array"),
      (["l": [["at": FieldValue.delete()]]], "The field \"l[0].at\" is a FieldValue in an array"),
      (["r": Refusing()], "The field \"r\" can't be stored: no reason"),
      (["m": ["r": Refusing()]], "The field \"m.r\" can't be stored: no reason"),
      (["d": page.parent.document("")], "The field \"d\" can't be stored: The id \"\""),
    ]
    for (data, text) in cases {
      for write in [{ try await page.setData(data) }, { try await page.updateData(data) }] {
        let thrown = await #expect(throws: StoreError.self) { try await write() }
        #expect(thrown?.code == .invalidArgument)
        #expect(thrown?.message.hasPrefix(text) == true, "\(thrown?.message ?? "")")
      }
    }
    #expect(try await !page.getDocument().exists)
  }

  @Test func aQueryWithAValueThatCannotBeComparedThrowsWhenItIsRun() async throws {
    let notes = makeStore().collection("notes")
    let queries: [(Query, String)] = [
      (notes.whereField("n", isEqualTo: UInt64.max), "The field \"n\" has the value"),
      (notes.whereField("n", isEqualTo: .serverTimestamp()), "The field \"n\" is compared with a FieldValue"),
      (notes.whereField("n", in: [1, Refusing()]), "The field \"n[1]\" can't be stored"),
      (
        notes.whereFilter(.orFilter([.whereField("a", isEqualTo: UInt64.max)])),
        "The field \"a\" has the value"
      ),
      (notes.order(by: "n").start(at: [UInt64.max]), "The value 1 of a cursor has the value"),
    ]
    for (query, text) in queries {
      let thrown = await #expect(throws: StoreError.self) { try await query.getDocuments() }
      #expect(thrown?.message.hasPrefix(text) == true, "\(thrown?.message ?? "")")
      await #expect(throws: StoreError.self) { try await query.count.getAggregation() }
      await #expect(throws: StoreError.self) { for try await _ in query.snapshots {} }
    }
  }

  @Test func untypedDictionariesAreCheckedAtRunTime() async throws {
    let page = makePage()
    let optional: Int? = nil
    let untyped: [String: Any] = ["n": 1, "m": ["k": "x"], "o": optional as Any, "l": [1, "a"]]
    try await page.setData(try [String: any DocumentValue](checking: untyped))
    #expect(try await page.getDocument().fields == ["n": 1, "m": ["k": "x"], "o": .null, "l": [1, "a"]])
    let thrown = #expect(throws: StoreError.self) {
      try [String: any DocumentValue](checking: ["m": ["k": Unstorable()]])
    }
    #expect(thrown?.message.contains("\"m.k\"") == true)
  }

  @Test func typedAccessorsReadEachKind() async throws {
    let page = makePage()
    let other = page.parent.document("coffee")
    try await page.setData([
      "n": 1, "d": 0.5, "b": true, "s": "x", "t": Date(timeIntervalSince1970: 2), "data": Data([1]),
      "g": GeoPoint(latitude: 1, longitude: 2), "r": other, "l": [1, 2], "m": ["k": ["x": 1]],
      "v": .vector([1, 2]),
    ])
    let document = try await page.getDocument()
    let n: Int? = document.fields?["n"]?.intValue
    #expect(n == 1 && document.fields?["n"]?.int64Value == 1 && document.fields?["n"]?.doubleValue == 1)
    #expect(document.fields?["d"]?.doubleValue == 0.5 && document.fields?["d"]?.intValue == nil)
    #expect(document.fields?["b"]?.boolValue == true && document.fields?["s"]?.stringValue == "x")
    #expect(document.fields?["t"]?.dateValue == Date(timeIntervalSince1970: 2))
    #expect(document.fields?["t"]?.timestampValue == Timestamp(seconds: 2))
    #expect(document.fields?["data"]?.dataValue == Data([1]))
    #expect(document.fields?["g"]?.geoPointValue == GeoPoint(latitude: 1, longitude: 2))
    #expect(document.fields?["r"]?.referenceValue?.segments == ["pages", "coffee"])
    #expect(document.getReference("r") == other && document.getReference("n") == nil)
    #expect(document.fields?["l"]?.arrayValue?.compactMap(\.intValue) == [1, 2])
    #expect(
      document.fields?["m.k.x" as FieldPath]?.intValue == 1
        && document.fields?[FieldPath(["m", "k"])]?.mapValue == ["x": 1])
    #expect(document.fields?["v"]?.vectorValue == [1, 2] && document.fields?["missing"] == nil)
  }
}
