import Foundation
import TenonAuthInterop
import TenonCore
import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonTransportInterop
import Testing

@testable import TenonStoreSync

@Suite("Calls", .limited) struct CallTests {
  private let server = RESTServer()
  private let tea = ResourcePath(unchecked: "notes/tea")

  private func expect(
    _ code: StoreRemoteError.Code, _ location: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
  ) async -> StoreRemoteError? {
    let error = await #expect(throws: StoreRemoteError.self, sourceLocation: location) { try await body() }
    #expect(error?.code == code, sourceLocation: location)
    return error
  }

  // MARK: - What is sent

  @Test("carry the fields of a client, and of the emulator's no more than of production") func fields()
    async throws
  {
    let (auth, appCheck) = (FakeAuth(), FakeAppCheck())
    auth.signIn(userID: "ann")
    let token = try #require(try await auth.token(forcingRefresh: false))
    let store = try makeStore(server.transport(), auth: auth, appCheck: appCheck)
    _ = try await store.fetch([tea], in: RemoteContext(database: "other", user: "ann"))
    auth.signOut()
    _ = try await store.fetch([tea], in: RemoteContext())
    let headers = try #require(server.requests.first?.headers)
    #expect(headers["authorization"] == "Bearer \(token)")
    #expect(headers["x-firebase-appcheck"] != nil)
    #expect(headers["google-cloud-resource-prefix"] == "projects/demo-sync/databases/other")
    #expect(headers["x-goog-request-params"] == "project_id=demo-sync&database_id=other")
    #expect(headers["x-goog-api-key"] == "AIzaKey" && headers["x-firebase-gmpid"] == "1:2:web:3")
    #expect(headers["x-goog-api-client"]?.hasPrefix("gl-swift/ tenon/") == true)
    #expect(server.requests.last?.headers["authorization"] == nil)
  }

  @Test("carry the token of the context's user or fail") func user() async throws {
    let auth = FakeAuth()
    let store = try makeStore(server.transport(), auth: auth)
    for user in ["ann", "bob"] {
      auth.signIn(userID: "cid")
      _ = await expect(.unauthenticated) { _ = try await store.fetch([tea], in: RemoteContext(user: user)) }
    }
    _ = await expect(.unauthenticated) { _ = try await store.fetch([tea], in: RemoteContext()) }
    var writing = RemoteWriting(store, RemoteContext(user: "ann"), token: nil)
    writing.send(RemoteBatch(writes: [set("notes/tea", [:])]))
    let error = await #expect(throws: StoreRemoteError.self) { while try await writing.next() != nil {} }
    #expect(error?.code == .unauthenticated)
    #expect(server.requests.isEmpty)
  }

  /// An Auth whose user changes while its token is obtained.
  private final class ChangingAuth: AuthInterop {
    private let fake = FakeAuth()
    init() { fake.signIn(userID: "ann") }
    var currentUserID: String? { fake.currentUserID }
    var stateChanges: AsyncStream<AuthState> { fake.stateChanges }
    func token(forcingRefresh: Bool) async throws -> String? {
      fake.signIn(userID: "bob")
      return try await fake.token(forcingRefresh: forcingRefresh)
    }
  }

  @Test("aren't sent with the token of a user who signs in later") func changedUser() async throws {
    let store = try makeStore(server.transport(), auth: ChangingAuth())
    _ = await expect(.unauthenticated) { _ = try await store.fetch([tea], in: RemoteContext(user: "ann")) }
    #expect(server.requests.isEmpty)
  }

  @Test("fail with the reason if there is no token") func noToken() async throws {
    struct Expired: Error {}
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    auth.failTokens(with: Expired())
    let store = try makeStore(server.transport(), auth: auth)
    let error = await expect(.unauthenticated) {
      _ = try await store.fetch([tea], in: RemoteContext(user: "ann"))
    }
    #expect(error?.underlying is Expired)
  }

  @Test("renew a token that the server doesn't accept, once") func renewal() async throws {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let old = try #require(try await auth.token(forcingRefresh: false))
    let server = RESTServer { request in
      request.headers["authorization"] == "Bearer \(old)"
        ? StoreRemoteError(.unauthenticated, "It expired.") : nil
    }
    let store = try makeStore(server.transport(), auth: auth)
    let context = RemoteContext(user: "ann")
    _ = try await store.commit(RemoteBatch(writes: [increment("notes/tea")]), in: context)
    #expect(server.document("notes/tea")?.fields == ["n": 1])
    let strict = RESTServer { _ in StoreRemoteError(.unauthenticated, "No.") }
    let refused = try makeStore(strict.transport(), auth: auth)
    _ = await expect(.unauthenticated) { _ = try await refused.fetch([tea], in: context) }
    #expect(strict.requests.count == 2)
  }

  @Test("name no credentials in errors") func secrets() async throws {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let token = try #require(try await auth.token(forcingRefresh: false))
    let answer = TransportResponse(status: 400, body: Data("Bad: Bearer \(token) AIzaKey".utf8))
    let store = try makeStore(FakeTransport { _ in answer }, auth: auth)
    let error = await expect(.unavailable) {
      _ = try await store.fetch([tea], in: RemoteContext(user: "ann"))
    }
    let text = String(reflecting: error)
    #expect(!text.contains(token) && !text.contains("AIzaKey"))
  }

  // MARK: - Failures

  @Test(
    "have the code that the server reports",
    arguments: [
      StoreRemoteError.Code.invalidArgument, .notFound, .alreadyExists, .permissionDenied,
      .failedPrecondition,
      .aborted, .outOfRange, .unimplemented, .resourceExhausted, .internal, .unavailable, .deadlineExceeded,
      .dataLoss, .unknown, .cancelled,
    ])
  func codes(code: StoreRemoteError.Code) async throws {
    let server = RESTServer { _ in StoreRemoteError(code, "The reason.") }
    let store = try makeStore(server.transport())
    let error = await expect(code) { _ = try await store.fetch([tea], in: RemoteContext()) }
    #expect(error?.message == "The reason.")
    _ = await expect(code) {
      _ = try await store.commit(RemoteBatch(writes: [increment("a/b")]), in: RemoteContext())
    }
    #expect(
      server.methods.filter { $0 == "commit" }.count == 1, "a commit that could do harm isn't repeated")
  }

  @Test(
    "take a response that isn't Firestore's for a failure of the network, never for a rejection",
    arguments: [200, 301, 400, 403, 404, 409, 413, 500])
  func proxies(status: Int) async throws {
    for body in ["<html>Please log in</html>", "", "{}", "[]", "null", #"{"message":"no"}"#] {
      let store = try makeStore(
        FakeTransport { _ in TransportResponse(status: status, body: Data(body.utf8)) })
      for call in 0..<4 {
        let error = await #expect(throws: StoreRemoteError.self, "\(status) \(body) \(call)") {
          switch call {
          case 0: _ = try await store.fetch([tea], in: RemoteContext())
          case 1: _ = try await store.commit(RemoteBatch(writes: [increment("a/b")]), in: RemoteContext())
          case 2: _ = try await store.run(all, in: RemoteContext())
          default: _ = try await store.aggregate(all, [.count], in: RemoteContext())
          }
        }
        #expect(error?.isTransient == true, "\(status) \(body) \(call)")
      }
    }
  }

  private var all: StructuredQuery {
    StructuredQuery(parent: ResourcePath(segments: []), collectionID: "notes")
  }

  @Test("are repeated after failures that may pass, if that does no harm") func repetition() async throws {
    try server.apply([set("notes/tea", ["n": 1])])
    let transport = server.transport { response, number in
      if number == 1 { throw TransportError(.connectionLost, "It broke.") }
      if number == 2 { return RESTServer.Response(status: 503, body: Data("busy".utf8)) }
      return response
    }
    let store = try makeStore(transport)
    #expect(try await store.fetch([tea], in: RemoteContext()).first?.fields == ["n": 1])
    #expect(server.requests.count == 3)
  }

  @Test(
    "end with the last failure after four attempts, and immediately if nothing was reached",
    arguments: [(TransportError.Code.connectionLost, 4), (.unreachable, 1), (.timedOut, 1)])
  func attempts(code: TransportError.Code, count: Int) async throws {
    let transport = FakeTransport { _ in throw TransportError(code, "It failed.") }
    let store = try makeStore(transport)
    let expected: StoreRemoteError.Code = code == .timedOut ? .deadlineExceeded : .unavailable
    _ = await expect(expected) { _ = try await store.fetch([tea], in: RemoteContext()) }
    #expect(transport.requests.count == count)
    let batch = RemoteBatch(writes: [set("notes/tea", [:])])
    _ = await expect(expected) { _ = try await store.commit(batch, in: RemoteContext()) }
    #expect(transport.requests.count == 2 * count, "a plain write may be repeated")
    for write in [increment("notes/tea"), set("notes/tea", [:], if: .exists(true))] {
      let before = transport.requests.count
      _ = await expect(expected) {
        _ = try await store.commit(RemoteBatch(writes: [write]), in: RemoteContext())
      }
      #expect(transport.requests.count == before + 1)
    }
  }

  /// Whoever sends it wants fewer requests. Store's streams wait as long as they can after this code.
  @Test(
    "aren't repeated after status 429",
    arguments: [
      "<html>Slow down</html>", #"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Quota."}}"#,
    ])
  func exhausted(body: String) async throws {
    let transport = FakeTransport { _ in TransportResponse(status: 429, body: Data(body.utf8)) }
    let store = try makeStore(transport)
    _ = await expect(.resourceExhausted) { _ = try await store.fetch([tea], in: RemoteContext()) }
    _ = await expect(.resourceExhausted) {
      _ = try await store.commit(RemoteBatch(writes: [set("notes/tea", [:])]), in: RemoteContext())
    }
    #expect(transport.requests.count == 2)
  }

  @Test(
    "say that nothing was sent only if no attempt can have reached the server",
    arguments: [
      ([.unreachable], true), ([.connectionLost, .unreachable], false), ([.timedOut], false),
      ([.connectionLost, .connectionLost, .connectionLost, .connectionLost], false),
    ] as [([TransportError.Code], Bool)])
  func unsent(failures: [TransportError.Code], isUnsent: Bool) async throws {
    let left = Lock(failures)
    let transport = FakeTransport { _ in
      throw TransportError(left.withLock { $0.removeFirst() }, "It failed.")
    }
    let store = try makeStore(transport)
    let batch = RemoteBatch(writes: [set("notes/tea", [:])])
    let error = await #expect(throws: StoreRemoteError.self) {
      _ = try await store.commit(batch, in: RemoteContext())
    }
    #expect(error?.isUnsent == isUnsent)
    #expect(left.withLock { $0.isEmpty })
  }

  @Test(
    "end when the time is over, whatever the server does",
    arguments: ["", "HTTP/1.1 200 OK\r\n\r\n[", "HTTP/1.1 500 No\r\n\r\n"])
  func deadline(beginning: String) async throws {
    let gate = ThreadGate()
    let silent = try LoopbackServer { _ in [.bytes(Data(beginning.utf8)), .wait(gate), .hangUp] }
    defer {
      gate.open()
      silent.stop()
    }
    let store = try makeStore(
      nil, host: silent.host, settings: StoreSyncSettings(timeoutInterval: .milliseconds(200)), time: .system)
    let error = await expect(.deadlineExceeded) { _ = try await store.fetch([tea], in: RemoteContext()) }
    #expect(error?.message.contains("StoreSync.settings.timeoutInterval") == true)
  }

  @Test("end when their task is cancelled") func cancellation() async throws {
    let gate = ThreadGate()
    let silent = try LoopbackServer { _ in [.wait(gate), .hangUp] }
    defer {
      gate.open()
      silent.stop()
    }
    let store = try makeStore(nil, host: silent.host, time: .system)
    let fetching = Task { try await store.fetch([tea], in: RemoteContext()) }
    try await eventually { !silent.requests.isEmpty }
    fetching.cancel()
    await #expect(throws: CancellationError.self) { _ = try await fetching.value }
  }

  // MARK: - Reading

  @Test("read many documents in several requests, each once") func manyDocuments() async throws {
    let paths = (0..<1_203).map { ResourcePath(unchecked: "notes/n\($0)") }
    for part in stride(from: 0, to: 1_000, by: 100) {
      try server.apply(paths[part..<(part + 100)].map { DocumentWrite($0, .set(["n": 1])) })
    }
    let store = try makeStore(server.transport())
    let documents = try await store.fetch(paths + paths.prefix(10), in: RemoteContext())
    #expect(documents.count == 1_203 && Set(documents.map(\.path)) == Set(paths))
    #expect(documents.filter { $0.fields != nil }.count == 1_000)
    #expect(server.requests.count == 3)
    #expect(try await store.fetch([], in: RemoteContext()).isEmpty)
  }

  @Test("take a response without a document for damaged") func missingDocuments() async throws {
    let other = RESTServer()
    let transport = server.transport { _, _ in
      let body = #"{"documents":["projects/demo-sync/databases/(default)/documents/a/b"]}"#
      return other.answer(
        "/v1/projects/demo-sync/databases/(default)/documents:batchGet", [:], Data(body.utf8))
    }
    let store = try makeStore(transport)
    for paths in [[tea], [ResourcePath(unchecked: "a/b"), tea]] {
      _ = await expect(.internal) { _ = try await store.fetch(paths, in: RemoteContext()) }
    }
  }

  /// Queries whose pages continue in different ways.
  private static let queries: [StructuredQuery] = {
    let all = StructuredQuery(parent: ResourcePath(segments: []), collectionID: "notes")
    var ordered = all
    ordered.orders = [QueryOrder(field: "n", isDescending: true)]
    var filtered = all
    filtered.filter = .field("n", .greaterThan, 1)
    var limited = ordered
    limited.limit = 17
    var bounded = ordered
    bounded.start = QueryCursor(values: [4], isInclusive: true)
    bounded.end = QueryCursor(values: [2], isInclusive: false)
    var group = all
    group.allDescendants = true
    return [all, ordered, filtered, limited, bounded, group]
  }()

  @Test("read a result in pages as of one time", arguments: queries, [1, 3, 10, 60])
  func pages(query: StructuredQuery, size: Int) async throws {
    for number in 0..<30 { try server.apply([set("notes/n\(number)", ["n": .integer(Int64(number % 6))])]) }
    try server.apply([set("notes/n3/notes/below", ["n": 3])])
    let store = try makeStore(server.transport())
    let expected = try await store.run(query, in: RemoteContext())
    var read: [RemoteDocument] = []
    _ = try await store.readPages(of: query, size: size, in: RemoteContext()) { page in
      #expect(page.count <= size)
      read += page
      // Changes after the first page don't belong to the result.
      try server.apply([set("notes/late-\(read.count)", ["n": 3]), set("notes/n5", ["n": 0])])
    }
    #expect(read == expected)
  }

  @Test("continue a page where it broke off") func brokenPages() async throws {
    for number in 0..<40 {
      try server.apply([set("notes/n\(number + 10)", ["n": .integer(Int64(number % 6))])])
    }
    let broken = try server.listening { [server] bytes, _ in
      [.bytes(server.requests.count < 4 ? bytes.prefix(bytes.count - bytes.count / 3) : bytes), .hangUp]
    }
    defer { broken.stop() }
    let store = try makeStore(nil, host: broken.host)
    let documents = try await store.run(all, in: RemoteContext())
    #expect(documents.map(\.path.id) == (10..<50).map { "n\($0)" })
    let limits = server.requests.map { $0.json["structuredQuery"]?["limit"]?.integer ?? 0 }
    #expect(limits.count == 4 && limits == limits.sorted(by: >) && Set(limits).count == 4)
  }

  @Test("aggregate in the order of the aggregations") func aggregation() async throws {
    for number in 1...4 { try server.apply([set("notes/n\(number)", ["n": .integer(Int64(number))])]) }
    let store = try makeStore(server.transport())
    let values = try await store.aggregate(all, [.average("n"), .count, .sum("n")], in: RemoteContext())
    #expect(values == [2.5, 4, 10])
    #expect(try await store.aggregate(all, [], in: RemoteContext()).isEmpty)
  }
}
