import Foundation
import TenonDocuments
import TenonFoundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

@Suite(.limited) struct BundleTests {
  private static let root = "projects/p/databases/(default)/documents"

  private static func element(_ json: String) -> String { "\(json.utf8.count)\(json)" }

  /// A bundle with the documents `c/a` and `c/b`, the missing `c/z` and a query.
  static func bundle(
    id: String = "b", created: String = "2026-01-01T00:00:00Z", n: Int = 1, documents: Int = 3, cut: Int = 0
  ) -> Data {
    let time = "2026-01-01T00:00:00.000001Z"
    func document(_ id: String, _ fields: String) -> String {
      element(
        #"{"documentMetadata":{"name":"\#(root)/c/\#(id)","readTime":"\#(time)","exists":true,"queries":["high"]}}"#
      )
        + element(
          #"{"document":{"name":"\#(root)/c/\#(id)","createTime":"\#(time)","updateTime":"\#(time)","fields":\#(fields)}}"#
        )
    }
    let body =
      element(
        #"{"namedQuery":{"name":"high","readTime":"\#(time)","bundledQuery":{"parent":"\#(root)","structuredQuery":{"from":[{"collectionId":"c"}],"where":{"fieldFilter":{"field":{"fieldPath":"n"},"op":"GREATER_THAN","value":{"integerValue":"0"}}},"orderBy":[{"field":{"fieldPath":"n"},"direction":"DESCENDING"}],"limit":{"value":5}}}}}"#
      )
      + document(
        "a", #"{"n":{"integerValue":"\#(n)"},"at":{"timestampValue":"2026-01-02T03:04:05.000006Z"}}"#)
      + document(
        "b", #"{"n":{"integerValue":"\#(n + 1)"},"m":{"mapValue":{"fields":{"x":{"doubleValue":"NaN"}}}}}"#)
      + element(#"{"documentMetadata":{"name":"\#(root)/c/z","readTime":"\#(time)","exists":false}}"#)
    let head = element(
      #"{"metadata":{"id":"\#(id)","createTime":"\#(created)","version":1,"totalDocuments":\#(documents),"totalBytes":\#(body.utf8.count)}}"#
    )
    return Data((head + body).utf8.dropLast(cut))
  }

  @Test func aBundleProvidesDocumentsAndQueriesWithoutANetwork() async throws {
    let store = makeStore(remote: FakeStoreRemote())
    try await store.disableNetwork()
    let progress = try await store.loadBundle(Self.bundle())
    #expect(progress.documentsLoaded == 3 && progress.totalDocuments == 3)
    let query = try #require(try await store.getQuery(named: "high"))
    let snapshot = try await query.getDocuments()
    #expect(snapshot.ids == ["b", "a"] && snapshot.metadata.isFromCache)
    #expect(
      snapshot.documents[1].fields["at"] == .timestamp(Timestamp(seconds: 1_767_323_045, nanoseconds: 6000)))
    #expect(try await !store.document("c/z").getDocument(source: .cache).exists)
    #expect(try await store.getQuery(named: "other") == nil)
    await store.terminate()
  }

  @Test func aBundleCanBeLoadedWithoutARemote() async throws {
    let store = makeStore()
    try await store.loadBundle(Self.bundle())
    #expect(try await store.getQuery(named: "high")?.getDocuments().ids == ["b", "a"])
  }

  @Test func aBundleThatWasLoadedOrIsOlderChangesNothing() async throws {
    let directory = try TestDirectory()
    let first = makeStore(directory, remote: FakeStoreRemote())
    try await first.loadBundle(Self.bundle(created: "2026-02-01T00:00:00Z"))
    await first.terminate()
    let store = makeStore(directory, remote: FakeStoreRemote())
    try await store.loadBundle(Self.bundle(created: "2026-01-01T00:00:00Z", n: 50))
    #expect(try await store.document("c/a").getDocument(source: .cache).fields?["n"] == 1)
    await store.terminate()
  }

  @Test func aBundleDoesNotReplaceNewerDocuments() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    try await store.disableNetwork()
    try await store.document("c/a").setData(["n": 9])
    try await store.loadBundle(Self.bundle())
    #expect(try await store.document("c/a").getDocument(source: .cache).fields?["n"] == 9)
    #expect(try await store.document("c/b").getDocument(source: .cache).fields?["n"] == 2)
    await store.terminate()
  }

  /// As in Firestore's clients: the target of a loaded bundle is in use until the database is closed.
  @Test func documentsOfABundleCanBeCollectedAfterARestart() async throws {
    let directory = try TestDirectory()
    let first = makeStore(directory, remote: FakeStoreRemote())
    try await first.disableNetwork()
    try await first.loadBundle(Self.bundle())
    _ = try await first.engine.use { try $0.local.collectGarbage(over: 0, percent: 100) }
    #expect(try await first.document("c/a").getDocument(source: .cache).exists)
    await first.terminate()
    let second = makeStore(directory, remote: FakeStoreRemote())
    try await second.disableNetwork()
    // The documents were used after their targets, so they follow in the next collection.
    for _ in 0..<2 {
      _ = try await second.engine.use { try $0.local.collectGarbage(over: 0, percent: 100) }
    }
    let thrown = await #expect(throws: StoreError.self) {
      try await second.document("c/a").getDocument(source: .cache)
    }
    #expect(thrown?.code == .unavailable)
    await second.terminate()
  }

  /// Returns a bundle with a number of documents in the collection `many`.
  private static func bundle(of count: Int) -> Data {
    let time = "2026-01-01T00:00:00.000001Z"
    let body = (0..<count).map { n in
      element(#"{"documentMetadata":{"name":"\#(root)/many/\#(n)","readTime":"\#(time)","exists":true}}"#)
        + element(
          #"{"document":{"name":"\#(root)/many/\#(n)","createTime":"\#(time)","updateTime":"\#(time)","fields":{}}}"#
        )
    }.joined()
    let head = element(
      #"{"metadata":{"id":"many","createTime":"\#(time)","version":1,"totalDocuments":\#(count),"totalBytes":\#(body.utf8.count)}}"#
    )
    return Data((head + body).utf8)
  }

  @Test func progressIsReportedWhileDocumentsAreLoaded() async throws {
    let store = makeStore()
    let told = Lock<[LoadBundleTaskProgress]>([])
    let last = try await store.loadBundle(Self.bundle(of: 350)) { progress in
      told.withLock { $0.append(progress) }
    }
    let steps = told.withLock { $0 }
    #expect(steps.map(\.documentsLoaded) == [0, 100, 200, 300, 350])
    #expect(steps.map(\.state) == [.inProgress, .inProgress, .inProgress, .inProgress, .success])
    #expect(steps.allSatisfy { $0.totalDocuments == 350 && $0.totalBytes == last.totalBytes })
    let bytes = steps.map(\.bytesLoaded)
    #expect(bytes == bytes.sorted() && Set(bytes).count == 5 && bytes.first == 0)
    #expect(steps.last == last && last.bytesLoaded == last.totalBytes)
    #expect(try await store.collection("many").count.getAggregation().count == 350)
  }

  @Test func aCancelledLoadLeavesNoDocumentAndCanBeRepeated() async throws {
    let store = makeStore()
    let states = Lock<[LoadBundleTaskState]>([])
    let loading = Task {
      try await store.loadBundle(Self.bundle(of: 350)) { progress in
        states.withLock { $0.append(progress.state) }
        // Loading hasn't begun yet.
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: CancellationError.self) { try await loading.value }
    #expect(states.withLock { $0 } == [.inProgress, .error])
    #expect(try await store.collection("many").count.getAggregation().count == 0)
    try await store.loadBundle(Self.bundle(of: 350))
    #expect(try await store.collection("many").count.getAggregation().count == 350)
  }

  @Test func aLoadCancelledMidwayIsRolledBack() async throws {
    let store = makeStore()
    let bundle = try Bundle(Self.bundle(of: 350))
    let loading = Task {
      try await store.engine.load(bundle) { count in
        if count == 200 { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    await #expect(throws: CancellationError.self) { try await loading.value }
    #expect(try await store.collection("many").count.getAggregation().count == 0)
    #expect(try await store.loadBundle(Self.bundle(of: 350)).state == .success)
    #expect(try await store.collection("many").count.getAggregation().count == 350)
  }

  @Test func aBundleWithAnInvalidQueryLoadsNothing() async throws {
    let store = makeStore()
    let text = String(decoding: Self.bundle(), as: UTF8.self)
    // Of the same length as before, so that the length prefixes stay correct.
    let broken = text.replacing("structuredQuery", with: "structuredQuerx")
    let thrown = await #expect(throws: StoreError.self) { try await store.loadBundle(Data(broken.utf8)) }
    #expect(thrown?.code == .invalidArgument)
    #expect(thrown?.message.contains("high") == true, "\(thrown?.message ?? "")")
    #expect(try await store.collection("c").getDocuments().isEmpty)
  }

  private static let broken: [(bytes: Data, reason: String)] = [
    (Data(), "doesn't begin"), (Data("12".utf8), "length"), (Data("5{}".utf8), "ends in the middle"),
    (Data(#"14{"other": true}"#.utf8), "JSON"), (bundle(cut: 5), "ends in the middle"),
    (bundle(documents: 7), "not 7 as it says"), (bundle(created: "yesterday"), "time"),
    (bundle(documents: -5), "not -5 as it says"), (bundle(documents: .min), "as it says"),
    (Data("9223372036854775807{}".utf8), "no length"), (Data("999999999999999999999{}".utf8), "no length"),
    (Data("-5{}".utf8), "no length"), (Data("+2{}".utf8), "no length"), (Data("0x2{}".utf8), "no length"),
    (Data("1e1{}".utf8), "no length"), (Data("0{}".utf8), "JSON"), (Data(" 2{}".utf8), "no length"),
  ]

  @Test(arguments: broken)
  func aBrokenBundleIsRefusedAsAWhole(bytes: Data, reason: String) async throws {
    let store = makeStore()
    let thrown = await #expect(throws: StoreError.self) { try await store.loadBundle(bytes) }
    #expect(thrown?.code == .invalidArgument)
    #expect(thrown?.message.contains(reason) == true, "\(thrown?.message ?? "")")
    #expect(try await store.collection("c").getDocuments().isEmpty)
  }

  /// The times of a bundle may also be objects.
  @Test(
    arguments: [
      #"{"seconds":"9223372036854775807"}"#, #"{"seconds":-9223372036854775808}"#, #"{"seconds":1e300}"#,
      #"{"seconds":"253402300800"}"#, #"{"nanos":-1}"#, #"{"nanos":4294967296}"#, #"{"seconds":"NaN"}"#,
    ], ["metadata", "documentMetadata", "document", "namedQuery"])
  func impossibleTimeOfABundleIsRefused(time: String, place: String) async throws {
    func moment(_ name: String) -> String { name == place ? time : #"{"seconds":"1"}"# }
    let name = #""name":"\#(Self.root)/c/a""#
    let body =
      Self.element(
        #"{"namedQuery":{"name":"q","readTime":\#(moment("namedQuery")),"bundledQuery":{"parent":"\#(Self.root)","structuredQuery":{"from":[{"collectionId":"c"}]}}}}"#
      )
      + Self.element(
        #"{"documentMetadata":{\#(name),"readTime":\#(moment("documentMetadata")),"exists":true}}"#)
      + Self.element(#"{"document":{\#(name),"updateTime":\#(moment("document")),"fields":{}}}"#)
    let head = Self.element(
      #"{"metadata":{"id":"b","createTime":\#(moment("metadata")),"version":1,"totalDocuments":1,"totalBytes":\#(body.utf8.count)}}"#
    )
    let store = makeStore()
    let thrown = await #expect(throws: StoreError.self) {
      try await store.loadBundle(Data((head + body).utf8))
    }
    #expect(thrown?.code == .invalidArgument)
    #expect(try await store.collection("c").getDocuments().isEmpty)
  }

  @Test(arguments: ["-5", "0", "-9223372036854775808"])
  func impossibleLimitOfABundledQueryIsRefused(limit: String) async throws {
    let body = Self.element(
      #"{"namedQuery":{"name":"q","readTime":{"seconds":1},"bundledQuery":{"parent":"\#(Self.root)","structuredQuery":{"from":[{"collectionId":"c"}],"limit":\#(limit)}}}}"#
    )
    let head = Self.element(
      #"{"metadata":{"id":"b","createTime":{"seconds":1},"version":1,"totalDocuments":0,"totalBytes":\#(body.utf8.count)}}"#
    )
    let store = makeStore()
    await #expect(throws: StoreError.self) { try await store.loadBundle(Data((head + body).utf8)) }
  }
}
