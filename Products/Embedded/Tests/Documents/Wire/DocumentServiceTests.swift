import Foundation
import TenonCore
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// The documents over REST, request by request.
@Suite(.limited) struct DocumentServiceTests {
  private let backend = Backend()
  private var client: WireClient { WireClient(embedded: backend.embedded) }
  private var owner: WireClient { WireClient(embedded: backend.embedded, authorization: "Bearer owner") }

  /// The time of the first commits, one microsecond apart, because the test's clock doesn't advance.
  private static func time(_ number: Int) -> String { "2023-11-14T22:13:20.00000\(number)Z" }

  private func token(for user: String, project: String = "demo") throws -> String {
    let now = backend.clock.now
    return try IDToken(
      account: Account(id: user, now: now), provider: "password", projectID: project, now: now
    ).text
  }

  // MARK: - Writes

  @Test func aCommitAnswersWithTheTimesAndTransformResults() async throws {
    let answer = try await client.call(
      "commit",
      """
      {"writes":[{"update":{"name":"@/rooms/den","fields":{"n":{"integerValue":"1"}}},
      "updateTransforms":[{"fieldPath":"t","setToServerValue":"REQUEST_TIME"},
      {"fieldPath":"n","increment":{"integerValue":"4"}}]},{"delete":"@/rooms/attic"}]}
      """)
    #expect(answer.status == 200)
    let time = Self.time(1)
    #expect(
      answer.text == #"{"writeResults":[{"updateTime":"\#(time)","transformResults":[{"timestampValue":"#
        + #""2023-11-14T22:13:20Z"},{"integerValue":"5"}]},{}],"commitTime":"\#(time)"}"#)
    #expect(try await backend.embedded.documents().get("rooms/den")?["n"] == 5)
  }

  @Test func aWriteWithoutEffectKeepsItsUpdateTime() async throws {
    let write = #"{"writes":[{"update":{"name":"@/rooms/den","fields":{}}}]}"#
    _ = try await client.result("commit", write)
    let answer = try await client.call("commit", write)
    #expect(
      answer.text == #"{"writeResults":[{"updateTime":"\#(Self.time(1))"}],"commitTime":"\#(Self.time(2))"}"#)
  }

  @Test func writesOfABatchAreAppliedOneByOne() async throws {
    let json = try await client.result(
      "batchWrite",
      """
      {"writes":[{"update":{"name":"@/rooms/den"}},
      {"update":{"name":"@/rooms/attic"},"currentDocument":{"exists":true}},{"update":{"name":"@/rooms/hall"}}]}
      """)
    #expect(json["writeResults"]?.array?.count == 3)
    let codes = json["status"]?.array?.map { $0["code"] ?? .int(0) }
    #expect(codes == [0, 5, 0])
    #expect(try await backend.embedded.documents().list("rooms").map(\.id) == ["den", "hall"])
    let twice = try await client.call("batchWrite", #"{"writes":[{"delete":"@/a/b"},{"delete":"@/a/b"}]}"#)
    #expect(twice.status == 400)
  }

  @Test func documentsAreCreatedReadUpdatedListedAndDeleted() async throws {
    let name = "\(client.name)/documents/rooms/den"
    let created = try await client.document(
      .post, "rooms?documentId=den", #"{"fields":{"a":{"integerValue":"1"}}}"#)
    let times = #""createTime":"\#(Self.time(1))","updateTime":"\#(Self.time(1))""#
    #expect(created.text == #"{"name":"\#(name)","fields":{"a":{"integerValue":"1"}},\#(times)}"#)
    #expect(try await client.document(.get, "rooms/den").text == created.text)
    #expect(try await client.document(.post, "rooms?documentId=den", "{}").status == 409)
    let patched = try await client.document(
      .patch, "rooms/den?updateMask.fieldPaths=b&updateMask.fieldPaths=c&currentDocument.exists=true",
      #"{"fields":{"a":{"integerValue":"2"},"b":{"stringValue":"x"}}}"#)
    #expect(patched.text.contains(#""fields":{"a":{"integerValue":"1"},"b":{"stringValue":"x"}}"#))
    #expect(try await client.document(.patch, "rooms/none?currentDocument.exists=true", "{}").status == 404)
    for id in ["attic", "hall"] { _ = try await client.document(.patch, "rooms/\(id)", nil) }
    let first = try JSON(parsing: Data(try await client.document(.get, "rooms?pageSize=2").text.utf8))
    #expect(first["documents"]?.array?.map { $0["name"]?.string?.suffix(3) } == ["tic", "den"])
    let token = try #require(first["nextPageToken"]?.string)
    let second = try JSON(
      parsing: Data(try await client.document(.get, "rooms?pageSize=2&pageToken=\(token)").text.utf8))
    #expect(second["documents"]?.array?.count == 1 && second["nextPageToken"] == nil)
    #expect(try await client.document(.delete, "rooms/den").text == "{}")
    #expect(try await client.document(.delete, "rooms/den?currentDocument.exists=true").status == 404)
    let gone = try await client.document(.get, "rooms/den")
    #expect(
      gone.text
        == #"{"error":{"code":404,"message":"Document \"\#(name)\" not found.","status":"NOT_FOUND"}}"#)
    let generated = try JSON(parsing: Data(try await client.document(.post, "rooms", "{}").text.utf8))
    #expect(generated["name"]?.string?.split(separator: "/").last?.count == 20)
  }

  @Test func aColonInAnIDIsNoMethodUnlessItIsPosted() async throws {
    _ = try await client.result("commit", #"{"writes":[{"update":{"name":"@/rooms/a:b"}}]}"#)
    #expect(try await client.document(.get, "rooms/a:b").status == 200)
    let json = try await client.result("listCollectionIds", "{}", at: "/rooms/a%3Ab")
    #expect(json == [:])
  }

  // MARK: - Reads

  @Test func foundAndMissingDocumentsAreAnElementEach() async throws {
    _ = try await client.result("commit", #"{"writes":[{"update":{"name":"@/rooms/den"}}]}"#)
    let answer = try await client.call("batchGet", #"{"documents":["@/rooms/den","@/rooms/no"]}"#)
    let time = Self.time(1)
    let root = "\(client.name)/documents"
    #expect(
      answer.text
        == #"[{"found":{"name":"\#(root)/rooms/den","createTime":"\#(time)","updateTime":"\#(time)"},"#
        + #""readTime":"\#(time)"},{"missing":"\#(root)/rooms/no","readTime":"\#(time)"}]"#)
  }

  @Test func queriesReturnADocumentPerElement() async throws {
    for number in 1...3 {
      try await backend.embedded.documents().set("rooms/r\(number)", ["n": .integer(Int64(number))])
    }
    let query =
      #"{"structuredQuery":{"from":[{"collectionId":"rooms"}],"where":{"fieldFilter":{"field":{"fieldPath":"n"},"op":"GREATER_THAN","value":{"integerValue":"1"}}},"orderBy":[{"field":{"fieldPath":"n"},"direction":"DESCENDING"}]}}"#
    let json = try await client.result("runQuery", query)
    #expect(json.array?.map { $0["document"]?["name"]?.string?.suffix(2) } == ["r3", "r2"])
    #expect(json.array?.allSatisfy { $0["readTime"] == .string(Self.time(3)) } == true)
    let empty = try await client.call("runQuery", #"{"structuredQuery":{"from":[{"collectionId":"none"}]}}"#)
    #expect(empty.text == #"[{"readTime":"\#(Self.time(3))","done":true}]"#)
    let below = try await client.result(
      "runQuery", #"{"structuredQuery":{"from":[{"collectionId":"chairs"}]}}"#, at: "/rooms/r1")
    #expect(below.array?.count == 1)
    let sums = try await client.call(
      "runAggregationQuery",
      #"{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"rooms"}]},"aggregations":[{"alias":"c","count":{}},{"alias":"s","sum":{"field":{"fieldPath":"n"}}},{"alias":"a","avg":{"field":{"fieldPath":"n"}}}]}}"#
    )
    #expect(
      sums.text
        == #"[{"result":{"aggregateFields":{"a":{"doubleValue":2.0},"c":{"integerValue":"3"},"s":{"integerValue":"6"}}},"readTime":"\#(Self.time(3))","done":true}]"#
    )
  }

  @Test func aLargeResultIsStreamedInPieces() async throws {
    let text = Value.string(String(repeating: "x", count: 1_000))
    let writes = (0..<2_000).map { EmbeddedWrite.set("rooms/r\($0)", ["text": text]) }
    try await backend.embedded.documents().commit(writes)
    let response = try await backend.embedded.stream(
      client.request(
        .post, "/v1/\(client.name)/documents:runQuery",
        Data(#"{"structuredQuery":{"from":[{"collectionId":"rooms"}]}}"#.utf8)))
    #expect(response.headers["Content-Length"] == nil)
    var pieces: [Data] = []
    for try await piece in response.body { pieces.append(piece) }
    #expect(pieces.allSatisfy { $0.count < 1 << 20 })
    let names = try JSON(parsing: pieces.reduce(Data(), +)).array?.map { $0["document"]?["name"]?.string }
    #expect(Set(names ?? []).count == 2_000)
  }

  @Test func collectionsAreListedInPages() async throws {
    for path in ["a/x", "b/x", "b/x/c/y", "z/none/deep/d", "ä/x"] {
      try await backend.embedded.documents().set(path, [:])
    }
    #expect(try await client.result("listCollectionIds", "{}")["collectionIds"] == ["a", "b", "z", "ä"])
    #expect(try await client.result("listCollectionIds", "{}", at: "/b/x")["collectionIds"] == ["c"])
    #expect(try await client.result("listCollectionIds", "{}", at: "/z/none")["collectionIds"] == ["deep"])
    let page = try await client.result("listCollectionIds", #"{"pageSize":2}"#)
    #expect(page["collectionIds"] == ["a", "b"])
    let token = try #require(page["nextPageToken"]?.string)
    let rest = try await client.call("listCollectionIds", #"{"pageSize":2,"pageToken":"\#(token)"}"#)
    #expect(rest.text == #"{"collectionIds":["z","ä"]}"#)
    #expect(try await client.call("listCollectionIds", #"{"pageToken":"b"}"#).status == 400)
    #expect(
      try await client.call("listCollectionIds", #"{"pageToken":"\#(token)"}"#, at: "/b/x").status == 400,
      "The token is one of another list.")
    backend.embedded.onDocumentAccess { _ in true }
    #expect(try await client.call("listCollectionIds", "{}").status == 403)
    #expect(try await owner.call("listCollectionIds", "{}").status == 200)
  }

  @Test func databasesAreSeparate() async throws {
    var other = client
    other.database = "other"
    _ = try await other.result("commit", #"{"writes":[{"update":{"name":"@/rooms/den"}}]}"#)
    #expect(try await other.document(.get, "rooms/den").status == 200)
    #expect(try await client.document(.get, "rooms/den").status == 404)
    other.project = "elsewhere"
    let (status, text) = try await other.document(.get, "rooms/den")
    #expect(status == 404 && text.contains("serves the project demo"))
  }

  @Test func administratorsClearADatabase() async throws {
    try await backend.embedded.documents().set("a/b", [:])
    try await backend.embedded.documents(database: "other").set("a/b", [:])
    let path = "/emulator/v1/\(client.name)/documents"
    #expect(try await client.send(.delete, path).status == 200)
    #expect(try await client.document(.get, "a/b").status == 404)
    #expect(try await backend.embedded.documents(database: "other").get("a/b") != nil)
    backend.embedded.onDocumentAccess { _ in true }
    #expect(try await client.send(.delete, path).status == 403)
    #expect(try await owner.send(.delete, path).status == 200)
    #expect(try await client.send(.get, path).status == 404)
  }

  // MARK: - Transactions and the past

  private func begin(_ client: WireClient? = nil, _ body: String = "{}") async throws -> String {
    try #require(try await (client ?? self.client).result("beginTransaction", body)["transaction"]?.string)
  }

  private func read(_ transaction: String, _ id: String = "den") async throws -> JSON? {
    try await client.result("batchGet", #"{"documents":["@/rooms/\#(id)"],"transaction":"\#(transaction)"}"#)
      .array?.first?["found"]?["fields"]?["n"]
  }

  private func commit(_ transaction: String?, _ id: String = "den", n: Int = 9) async throws -> (
    status: Int, text: String
  ) {
    let suffix = transaction.map { #","transaction":"\#($0)""# } ?? ""
    return try await client.call(
      "commit",
      #"{"writes":[{"update":{"name":"@/rooms/\#(id)","fields":{"n":{"integerValue":"\#(n)"}}}}]\#(suffix)}"#)
  }

  @Test func ofConflictingTransactionsOneIsAborted() async throws {
    _ = try await commit(nil, n: 1)
    let (one, two, three) = (try await begin(), try await begin(), try await begin())
    for id in [one, two] { #expect(try await read(id) == ["integerValue": "1"]) }
    _ = try await read(three, "attic")
    #expect(try await commit(one, n: 2).status == 200)
    #expect(try await read(two) == ["integerValue": "1"], "A transaction reads one state.")
    let refused = try await commit(two, n: 3)
    #expect(
      refused.text
        == #"{"error":{"code":409,"message":"Too much contention on these documents. Please try again.","status":"ABORTED"}}"#
    )
    #expect(try await commit(three, n: 4).status == 200, "It has read another document.")
    #expect(try await backend.embedded.documents().get("rooms/den")?["n"] == 4)
    for ended in [one, two] {
      let (status, text) = try await commit(ended)
      #expect(status == 400 && text.contains("Transaction is invalid or closed"))
    }
  }

  @Test(arguments: [true, false])
  func aTransactionConflictsWithChangesOfItsQueries(changesResult: Bool) async throws {
    _ = try await commit(nil, n: 1)
    let id = try await begin()
    let filter =
      #""where":{"fieldFilter":{"field":{"fieldPath":"n"},"op":"EQUAL","value":{"integerValue":"1"}}}"#
    let read = try await client.result(
      "runQuery",
      #"{"structuredQuery":{"from":[{"collectionId":"rooms"}],\#(filter)},"transaction":"\#(id)"}"#)
    #expect(read.array?.count == 1)
    _ = try await commit(nil, "attic", n: changesResult ? 1 : 2)
    #expect(try await commit(id, "hall").status == (changesResult ? 409 : 200))
  }

  @Test func aReadBeginsATransaction() async throws {
    _ = try await commit(nil, n: 1)
    let get = try await client.result(
      "batchGet", #"{"documents":["@/rooms/den"],"newTransaction":{"readWrite":{}}}"#)
    let id = try #require(get.array?.first?["transaction"]?.string)
    #expect(get.array?.count == 2 && get.array?.last?["found"] != nil)
    _ = try await commit(nil, n: 2)
    #expect(try await commit(id).status == 409)
    let query = try await client.result(
      "runQuery", #"{"structuredQuery":{"from":[{"collectionId":"rooms"}]},"newTransaction":{}}"#)
    #expect(query.array?.first?["transaction"]?.string != nil && query.array?.count == 2)
  }

  @Test func aReadOnlyTransactionReadsThePastAndCanNotWrite() async throws {
    _ = try await commit(nil, n: 1)
    _ = try await commit(nil, n: 2)
    let past = try await begin(nil, #"{"options":{"readOnly":{"readTime":"\#(Self.time(1))"}}}"#)
    #expect(try await read(past) == ["integerValue": "1"])
    #expect(try await commit(past).status == 400)
    let rolledBack = try await begin()
    #expect(try await client.call("rollback", #"{"transaction":"\#(rolledBack)"}"#).text == "{}")
    #expect(try await commit(rolledBack).status == 400)
  }

  @Test func aTransactionBelongsToItsUserAndDatabaseAndEnds() async throws {
    var ann = client
    ann.authorization = "Bearer \(try token(for: "ann"))"
    let id = try await begin(ann)
    let body = #"{"transaction":"\#(id)"}"#
    #expect(try await client.call("rollback", body).status == 400)
    var other = ann
    other.database = "other"
    #expect(try await other.call("rollback", body).status == 400)
    #expect(try await ann.call("rollback", body).status == 200)
  }

  @Test func transactionsEndAfterAWhileAndAreLimitedInNumber() async throws {
    let time = TestTime()
    let client = WireClient(embedded: Embedded(projectID: "demo", directory: nil, time: time.source))
    let old = try await begin(client)
    for _ in 1..<DocumentTransaction.mostActive { _ = try await begin(client) }
    #expect(try await client.call("beginTransaction", "{}").status == 429)
    time.advance(by: 61)
    #expect(try await client.call("rollback", #"{"transaction":"\#(old)"}"#).status == 400)
    _ = try await begin(client)
    #expect(await client.embedded.documentDatabase.transactions.count == 1)
  }

  @Test func theStateAtAReadTimeIsRead() async throws {
    _ = try await commit(nil, n: 1)
    _ = try await commit(nil, n: 2)
    _ = try await client.document(.delete, "rooms/den")
    _ = try await commit(nil, "attic", n: 5)
    func at(_ number: Int) async throws -> (get: JSON?, query: [JSON?], count: JSON?) {
      let time = #""readTime":"\#(Self.time(number))""#
      let query = #""structuredQuery":{"from":[{"collectionId":"rooms"}]}"#
      let get = try await client.result("batchGet", #"{"documents":["@/rooms/den"],\#(time)}"#)
      let found = try await client.result("runQuery", "{\(query),\(time)}")
      let count = try await client.result(
        "runAggregationQuery",
        #"{"structuredAggregationQuery":{\#(query),"aggregations":[{"alias":"c","count":{}}]},\#(time)}"#)
      return (
        get.array?.first?["found"]?["fields"]?["n"],
        found.array?.compactMap(\.["document"]).map { $0["fields"]?["n"] } ?? [],
        count.array?.first?["result"]?["aggregateFields"]?["c"]?["integerValue"]
      )
    }
    for (number, n) in [(1, "1"), (2, "2")] {
      let state = try await at(number)
      #expect(state.get == ["integerValue": .string(n)] && state.query == [["integerValue": .string(n)]])
      #expect(state.count == "1")
    }
    let deleted = try await at(3)
    #expect(deleted.get == nil && deleted.query == [] && deleted.count == "0")
    #expect(try await at(4).query == [["integerValue": "5"]])
    for time in ["2023-11-14T22:13:19Z", "2024-01-01T00:00:00Z"] {
      let (status, text) = try await client.call(
        "batchGet", #"{"documents":["@/rooms/den"],"readTime":"\#(time)"}"#)
      #expect(status == 400, "\(text)")
    }
  }

  // MARK: - Access

  @Test func rulesApplyToTheUserOfTheToken() async throws {
    backend.embedded.onDocumentAccess { $0.auth?.uid == "ann" && $0.path.hasPrefix("rooms") }
    var ann = client
    ann.authorization = "Bearer \(try token(for: "ann"))"
    var bob = client
    bob.authorization = "Bearer \(try token(for: "bob"))"
    let write = #"{"writes":[{"update":{"name":"@/rooms/den"}}]}"#
    let query = #"{"structuredQuery":{"from":[{"collectionId":"rooms"}]}}"#
    for (client, status) in [(ann, 200), (bob, 403), (client, 403), (owner, 200)] {
      #expect(try await client.call("commit", write).status == status)
      #expect(try await client.call("batchGet", #"{"documents":["@/rooms/den"]}"#).status == status)
      #expect(try await client.call("runQuery", query).status == status)
      #expect(
        try await client.call(
          "runAggregationQuery",
          #"{"structuredAggregationQuery":\#(query.dropLast()),"aggregations":[{"count":{}}]}}"#
        ).status == status)
      #expect(try await client.document(.get, "rooms/den").status == status)
      #expect(try await client.document(.get, "rooms").status == status)
      #expect(try await client.document(.patch, "rooms/den", "{}").status == status)
      #expect(try await client.document(.post, "rooms", "{}").status == status)
      #expect(try await client.document(.delete, "rooms/den").status == status)
    }
    let (_, text) = try await bob.call("commit", write)
    #expect(text.contains(#""status":"PERMISSION_DENIED""#) && text.contains("the user bob"))
  }

  @Test func invalidTokensAreRejected() async throws {
    let expired = try token(for: "ann")
    backend.clock.advance(bySeconds: 4_000)
    for text in [
      "Bearer garbage", "Basic abc", "Bearer", "Bearer \(try token(for: "ann", project: "other"))",
      "Bearer \(expired)",
    ] {
      var client = client
      client.authorization = text
      let answer = try await client.document(.get, "rooms/den")
      #expect(answer.status == 401 && answer.text.contains("UNAUTHENTICATED"), "\(answer.text)")
      #expect(!answer.text.contains("garbage"))
    }
  }

  @Test func appCheckIsRequiredIfTheSettingsSaySo() async throws {
    backend.embedded.settings.appCheckRequired = [.firestore]
    #expect(try await client.document(.get, "rooms").status == 401)
    #expect(try await owner.document(.get, "rooms").status == 200)
    let token = try await backend.appCheckToken()
    let path = "/v1/\(client.name)/documents/rooms"
    #expect(try await client.send(.get, path, headers: ["X-Firebase-AppCheck": token]).status == 200)
    #expect(try await client.send(.get, path, headers: ["X-Firebase-AppCheck": "x"]).status == 401)
  }

  // MARK: - Refusals

  @Test(arguments: [
    ("commit", "[]", "INVALID_ARGUMENT"),
    ("commit", #"{"writes":1}"#, "INVALID_ARGUMENT"), ("commit", #"{"writes":[{}]}"#, "INVALID_ARGUMENT"),
    ("commit", #"{"writes":[{"delete":"@/a"}]}"#, "INVALID_ARGUMENT"),
    ("commit", #"{"writes":[{"delete":"projects/demo/databases/x/documents/a/b"}]}"#, "INVALID_ARGUMENT"),
    ("commit", #"{"writes":[{"update":{"name":"@/a/b","fields":{"x":{}}}}]}"#, "INVALID_ARGUMENT"),
    (
      "commit", #"{"writes":[{"update":{"name":"@/a/b","fields":{"x":{"integerValue":"1e3"}}}}]}"#,
      "INVALID_ARGUMENT"
    ),
    ("commit", #"{"writes":[{"update":{"name":"@/a/b"},"currentDocument":{"exists":true}}]}"#, "NOT_FOUND"),
    ("commit", #"{"writes":[],"transaction":"AAAA"}"#, "INVALID_ARGUMENT"),
    ("batchGet", #"{"documents":["@"]}"#, "INVALID_ARGUMENT"),
    ("batchGet", #"{"documents":[],"readTime":"x"}"#, "INVALID_ARGUMENT"),
    ("batchGet", #"{"documents":["@/a/b"],"mask":{"fieldPaths":["x."]}}"#, "INVALID_ARGUMENT"),
    ("commit", #"{"writes":[{"verify":"@/a/b"}]}"#, "INVALID_ARGUMENT"),
    ("commit", #"{"writes":[],"later":1}"#, "INVALID_ARGUMENT"),
    ("runQuery", "{}", "INVALID_ARGUMENT"),
    ("runQuery", #"{"structuredQuery":{"from":[{"collectionId":"a"}],"limit":-1}}"#, "INVALID_ARGUMENT"),
    ("runQuery", #"{"structuredQuery":{"from":[{"collectionId":"a"}],"offset":-1}}"#, "INVALID_ARGUMENT"),
    (
      "runQuery", #"{"structuredQuery":{"from":[{"collectionId":"a"}],"findNearest":{"limit":1}}}"#,
      "INVALID_ARGUMENT"
    ),
    ("runAggregationQuery", "{}", "INVALID_ARGUMENT"),
    ("listCollectionIds", #"{"pageSize":-1}"#, "INVALID_ARGUMENT"),
    ("listCollectionIds", #"{"readTime":"2000-01-01T00:00:00Z"}"#, "FAILED_PRECONDITION"),
    ("rollback", "{}", "INVALID_ARGUMENT"), ("partitionQuery", "{}", "INVALID_ARGUMENT"),
    ("executePipeline", "{}", "UNIMPLEMENTED"), ("nonsense", "{}", "NOT_FOUND"),
  ])
  func aRequestIsRefusedWithItsStatus(method: String, body: String, status: String) async throws {
    let answer = try await client.call(method, body)
    let error = try JSON(parsing: Data(answer.text.utf8))["error"]
    #expect(error?["status"]?.string == status, "\(answer.text)")
    #expect(error?["code"] == .int(Int64(answer.status)))
    // Firestore's text for a document that doesn't exist, which clients know, ends with its name.
    #expect(error?["message"]?.string?.hasSuffix(".") == true || status == "NOT_FOUND")
    #expect(try await backend.embedded.documents().get("a/b") == nil)
  }

  @Test func bodiesAreLimitedInSizeAndDepth() async throws {
    let deep = #"{"writes":"# + String(repeating: "[", count: 100_000)
    #expect(try await client.call("commit", deep).status == 400)
    let large = Data(repeating: UInt8(ascii: " "), count: DocumentService.longestBody + 1)
    let refused = try await client.send(.post, "/v1/\(client.name)/documents:commit", large)
    #expect(refused.status == 429 && refused.text.contains("RESOURCE_EXHAUSTED"))
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("body-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(#"{"writes":[]}"#.utf8).write(to: file)
    var request = try client.request(.post, "/v1/\(client.name)/documents:commit")
    request.body = .file(file)
    #expect(try await backend.embedded.send(request).status == 200)
  }

  @Test func productionsAndTheEmulatorsURLsAreServed() async throws {
    try await backend.embedded.documents().set("a/b", [:])
    for prefix in [
      "https://firestore.googleapis.com/v1", "http://localhost:8080/v1",
      "http://127.0.0.1:9/firestore.googleapis.com/v1",
    ] {
      #expect(try await backend.send(.get, "\(prefix)/\(client.name)/documents/a/b").status == 200)
    }
    await backend.embedded.close()
    let closed = try await client.document(.get, "a/b")
    #expect(closed.status == 503 && closed.text.contains("UNAVAILABLE"))
  }
}
