import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// What clients without a right could do, service by service. ``AccessTableTests`` has every combination.
@Suite(.limited) struct DoorTests {
  private let backend = Backend()
  private var client: WireClient { WireClient(embedded: backend.embedded) }
  private var owner: WireClient { WireClient(embedded: backend.embedded, authorization: "Bearer owner") }

  private func token(_ claims: [String: JSON] = [:]) throws -> String {
    try Credentials(now: backend.clock.now).idToken(claims)
  }

  private func user(_ claims: [String: JSON] = [:]) throws -> WireClient {
    WireClient(embedded: backend.embedded, authorization: "Bearer \(try token(claims))")
  }

  // MARK: - Collection groups

  private static let group = #"{"structuredQuery":{"from":[{"collectionId":"notes","allDescendants":true}]}}"#

  /// The mistake: a condition about a collection's path holds for every collection of that name.
  @Test func aClosureThatOpensACollectionDoesNotOpenItsGroup() async throws {
    let documents = backend.embedded.documents()
    try await documents.set("notes/public", ["n": 1])
    try await documents.set("users/alice/notes/n1", ["n": 2])
    backend.embedded.onDocumentAccess { $0.path == "notes" || $0.path.hasPrefix("notes/") }
    #expect(try await client.document(.get, "users/alice/notes/n1").status == 403)
    #expect(try await client.document(.get, "notes").status == 200)
    let aggregation =
      #"{"structuredAggregationQuery":\#(Self.group.dropLast()),"aggregations":[{"count":{}}]}}"#
    for client in [client, try user()] {
      for parent in ["", "/users/alice"] {
        let answer = try await client.call("runQuery", Self.group, at: parent)
        #expect(answer.status == 403 && !answer.text.contains("n1"), "\(answer.text)")
        #expect(try await client.call("runAggregationQuery", aggregation, at: parent).status == 403)
      }
      let target =
        #"{"addTarget":{"query":{"parent":"@",\#(Self.group.dropFirst().dropLast())},"targetId":2}}"#
      let channel = try await WireChannel(client, [target])
      let last = try await channel.read {
        $0.isSnapshot || $0["targetChange"]?["targetChangeType"] == "REMOVE"
      }.last?.content
      #expect(last?["targetChange"]?["cause"]?["code"] == 7)
      try await channel.terminate()
    }
    #expect(try await owner.call("runQuery", Self.group).status == 200)
  }

  // MARK: - Cloud Storage's JSON API

  private static let requestsOfTheJSONAPI: [(HTTPMethod, String, String?)] = [
    (.get, "/storage/v1/b", nil), (.get, "/storage/v1/b/demo", nil), (.get, "/storage/v1/b/demo/o", nil),
    (.get, "/storage/v1/b/demo/o/a", nil), (.get, "/storage/v1/b/demo/o/a?alt=media", nil),
    (.get, "/download/storage/v1/b/demo/o/a?alt=media", nil), (.get, "/storage/v1/b/demo/o/missing", nil),
    (.patch, "/storage/v1/b/demo/o/a", #"{"metadata":{"k":"v"}}"#),
    (.post, "/upload/storage/v1/b/demo/o?uploadType=media&name=b", "x"),
    (.post, "/upload/storage/v1/b/demo/o?uploadType=resumable&name=b", "{}"),
    (.post, "/storage/v1/b/demo/o/a/copyTo/b/other/o/b", "{}"),
    (.post, "/storage/v1/b/demo/o/b/compose", #"{"sourceObjects":[{"name":"a"}]}"#),
    (.post, "/storage/v1/b", #"{"name":"new"}"#), (.delete, "/storage/v1/b/demo/o/a", nil),
  ]

  @Test(arguments: ["closure", "sign-in", "app check"])
  func theJSONAPIIsForAdministratorsIfObjectsAreProtected(protection: String) async throws {
    _ = try await backend.send(
      .post, "http://127.0.0.1:9199/v0/b/demo/o?name=a", body: Data("secret".utf8),
      headers: ["Content-Type": "text/plain"])
    switch protection {
    case "closure": backend.embedded.onObjectAccess { _ in false }
    case "sign-in": backend.embedded.settings.objectsRequireSignIn = true
    default: backend.embedded.settings.appCheckRequired = [.storage]
    }
    for (method, path, body) in Self.requestsOfTheJSONAPI {
      let answer = try await client.send(method, path, body.map { Data($0.utf8) })
      #expect(answer.status == 401 && !answer.text.contains("secret"), "\(method) \(path): \(answer.text)")
    }
    for credential in ["Bearer owner", "Bearer ya29.token"] {
      var administrator = client
      administrator.authorization = credential
      let answer = try await administrator.send(.get, "/storage/v1/b/demo/o/a?alt=media")
      #expect(answer.text == "secret")
    }
  }

  /// A part of a batch is admitted like a separate request.
  @Test func aBatchOpensNothing() async throws {
    _ = try await backend.send(.post, "http://127.0.0.1:9199/v0/b/demo/o?name=a", body: Data("secret".utf8))
    backend.embedded.onObjectAccess { _ in false }
    let body = "--b\r\nContent-Type: application/http\r\n\r\nGET /storage/v1/b/demo/o/a HTTP/1.1\r\n\r\n--b--"
    let type = ["Content-Type": "multipart/mixed; boundary=b"]
    let denied = try await client.send(.post, "/batch/storage/v1", Data(body.utf8), headers: type)
    #expect(denied.status == 401 && !denied.text.contains("md5Hash"), "\(denied.text)")
    let allowed = try await owner.send(.post, "/batch/storage/v1", Data(body.utf8), headers: type)
    #expect(allowed.text.contains("md5Hash"), "\(allowed.text)")
  }

  // MARK: - Preconditions

  /// Without a right, the answer is the same whether or not the document exists.
  @Test(arguments: ["here", "missing"])
  func preconditionsRevealNothing(id: String) async throws {
    let documents = backend.embedded.documents()
    try await documents.set("rooms/here", ["n": 1])
    backend.embedded.onDocumentAccess { _ in false }
    let conditions = [
      #"{"exists":true}"#, #"{"exists":false}"#, #"{"updateTime":"2023-11-14T22:13:20.000001Z"}"#,
    ]
    for condition in conditions {
      for write in [
        #"{"update":{"name":"@/rooms/\#(id)"},"currentDocument":\#(condition)}"#,
        #"{"delete":"@/rooms/\#(id)","currentDocument":\#(condition)}"#,
        #"{"update":{"name":"@/rooms/\#(id)","fields":{"m":{"integerValue":"1"}}},"updateMask":{"fieldPaths":["m"]},"currentDocument":\#(condition)}"#,
      ] {
        let answer = try await client.call("commit", #"{"writes":[\#(write)]}"#)
        #expect(answer.status == 403, "\(write): \(answer.text)")
        let batch = try await client.call("batchWrite", #"{"writes":[\#(write)]}"#)
        #expect(try JSON(parsing: Data(batch.text.utf8))["status"]?.array?.first?["code"] == 7)
      }
    }
    #expect(try await client.document(.patch, "rooms/\(id)?currentDocument.exists=true", "{}").status == 403)
    #expect(try await client.document(.post, "rooms?documentId=\(id)", "{}").status == 403)
    #expect(try await client.document(.delete, "rooms/\(id)?currentDocument.exists=true").status == 403)
  }

  /// The precondition decides whether a write creates or updates, so that who may do only one of them learns
  /// nothing by it. The verdicts are those of Google's emulator with rules of the same meaning.
  @Test(arguments: [
    ("creates/here", true, 403), ("creates/here", false, 409), ("creates/none", true, 403),
    ("creates/none", false, 200), ("updates/here", true, 200), ("updates/here", false, 403),
    ("updates/none", true, 404), ("updates/none", false, 403),
  ])
  func aPreconditionIsAKindOfAccess(path: String, exists: Bool, status: Int) async throws {
    for path in ["creates/here", "updates/here"] {
      try await backend.embedded.documents().set(path, ["n": 1])
    }
    backend.embedded.onDocumentAccess { access in
      access.path.hasPrefix("creates/") ? access.operation == .create : access.operation == .update
    }
    let write = #"{"update":{"name":"@/\#(path)"},"currentDocument":{"exists":\#(exists)}}"#
    #expect(try await client.call("commit", #"{"writes":[\#(write)]}"#).status == status)
  }

  /// A document that must not exist is as if it didn't for the closure.
  @Test func theClosureOfACreationSeesNoDocument() async throws {
    try await backend.embedded.documents().set("rooms/den", ["secret": 1])
    backend.embedded.onDocumentAccess { access in
      access.operation == .create && access.document == nil && access.newDocument == ["n": 1]
    }
    let update =
      #"{"update":{"name":"@/rooms/den","fields":{"n":{"integerValue":"1"}}},"updateMask":{"fieldPaths":["n"]},"currentDocument":{"exists":false}}"#
    #expect(try await client.call("commit", #"{"writes":[\#(update)]}"#).status == 409)
  }

  /// One write of a batch that isn't allowed denies it, before the precondition of another one is checked.
  @Test func theRulesOfAllWritesComeBeforeThePreconditionOfAnyone() async throws {
    backend.embedded.onDocumentAccess { $0.path != "rooms/attic" }
    let missing = #"{"update":{"name":"@/rooms/den"},"currentDocument":{"exists":true}}"#
    let denied = #"{"update":{"name":"@/rooms/attic"}}"#
    #expect(try await client.call("commit", #"{"writes":[\#(missing),\#(denied)]}"#).status == 403)
    #expect(try await client.call("commit", #"{"writes":[\#(missing)]}"#).status == 404)
  }

  /// A value that only the existing document makes invalid isn't revealed either.
  @Test func theSizeOfADocumentIsNotRevealed() async throws {
    let text = String(repeating: "x", count: 900_000)
    try await backend.embedded.documents().set("rooms/den", ["text": .string(text)])
    let write =
      #"{"update":{"name":"@/rooms/den","fields":{"more":{"stringValue":"\#(text)"}}},"updateMask":{"fieldPaths":["more"]}}"#
    #expect(try await client.call("commit", #"{"writes":[\#(write)]}"#).status == 400)
    backend.embedded.onDocumentAccess { _ in false }
    #expect(try await client.call("commit", #"{"writes":[\#(write)]}"#).status == 403)
  }

  @Test(arguments: ["here", "missing"])
  func aPatchOfAnObjectRevealsNothing(name: String) async throws {
    let base = "http://127.0.0.1:9199/v0/b/demo/o"
    _ = try await backend.send(.post, "\(base)?name=here", body: Data("x".utf8))
    backend.embedded.onObjectAccess { _ in false }
    let invalid = Data(#"{"contentType":"a\u0001b"}"#.utf8)
    #expect(try await backend.send(.patch, "\(base)/\(name)", body: invalid).status == 403)
  }

  // MARK: - Credentials

  /// What isn't an ID token of this project, for the services that take one in `Authorization`.
  private static let invalidClaims: [(String, [String: JSON])] = [
    ("session cookie", ["iss": "https://session.firebase.google.com/demo"]),
    ("without issuer", ["iss": .null]),
    ("foreign issuer", ["iss": "https://securetoken.google.com/other"]), ("other audience", ["aud": "other"]),
    ("empty user", ["sub": ""]), ("without user", ["sub": .null]),
    ("long user", ["sub": .string(String(repeating: "u", count: 129))]), ("expired", ["exp": 1_700_000_000]),
    ("without expiration", ["exp": .null]), ("issued in the future", ["iat": 1_700_000_600]),
    ("signed in in the future", ["auth_time": 1_700_000_600]),
  ]

  @Test(arguments: invalidClaims.map(\.0))
  func onlyIDTokensOfTheProjectAreIDTokens(name: String) async throws {
    let claims = try #require(Self.invalidClaims.first { $0.0 == name }?.1)
    backend.embedded.onCall("whoami") { (request: CallableRequest<Int?>) in request.auth?.uid }
    let json = ["Content-Type": "application/json"]
    for (client, status) in [(try user(), 200), (try user(claims), 401)] {
      #expect(try await client.document(.get, "rooms").status == status)
      #expect(
        try await client.send(.post, "/demo/us-central1/whoami", Data(#"{"data":null}"#.utf8), headers: json)
          .status == status)
      #expect(try await client.send(.get, "/v0/b/demo/o").status == status)
    }
    let text = try token(claims)
    let (_, lookup) = try await backend.call("accounts:lookup", ["idToken": .string(text)])
    #expect(["INVALID_ID_TOKEN", "TOKEN_EXPIRED"].contains(lookup.errorMessage))
  }

  @Test(arguments: ["Bearer owner", "bearer OWNER", "Bearer ya29.token"])
  func anAdministratorIsOneForEveryService(authorization: String) async throws {
    backend.embedded.settings.appCheckRequired = [.auth, .functions, .storage, .firestore]
    backend.embedded.onDocumentAccess { _ in false }
    backend.embedded.onObjectAccess { _ in false }
    backend.embedded.onCall("whoami") { (request: CallableRequest<Int?>) in request.auth?.uid ?? "nobody" }
    var administrator = client
    administrator.authorization = authorization
    let json = ["Content-Type": "application/json"]
    let base = "/v0/b/demo/o"
    #expect(try await administrator.send(.post, "\(base)?name=a", Data("x".utf8)).status == 200)
    #expect(try await administrator.send(.get, "\(base)/a?alt=media").text == "x")
    #expect(try await administrator.send(.post, "\(base)/a?create_token=true").status == 200)
    #expect(try await administrator.send(.get, "/storage/v1/b/demo/o/a").status == 200)
    #expect(try await administrator.document(.get, "rooms").status == 200)
    let call = try await administrator.send(
      .post, "/demo/us-central1/whoami", Data(#"{"data":null}"#.utf8), headers: json)
    #expect(call.status == 200 && call.text.contains("nobody"))
    let accounts = "/identitytoolkit.googleapis.com/v1/projects/demo/accounts:batchGet"
    #expect(try await administrator.send(.get, accounts).status == 200)
  }

  // MARK: - Streams

  @Test func aTransactionBelongsToTheAdministratorWhoBeganIt() async throws {
    let begun = try await owner.result("beginTransaction", "{}")
    let body = #"{"transaction":"\#(try #require(begun["transaction"]?.string))"}"#
    #expect(try await client.call("rollback", body).status == 400)
    #expect(try await owner.call("rollback", body).status == 200)
  }

  private static let den = #"{"addTarget":{"documents":{"documents":["@/rooms/den"]},"targetId":2}}"#
  private static let rooms =
    #"{"addTarget":{"query":{"parent":"@","structuredQuery":{"from":[{"collectionId":"rooms"}]}},"targetId":4}}"#

  /// A listener's right ends with its token, at the latest when there is something to send.
  @Test func aListenerEndsWithItsToken() async throws {
    backend.embedded.onDocumentAccess { $0.auth?.uid == "ann" }
    let channel = try await WireChannel(try user(), [Self.rooms])
    let last = try #require(try await channel.read { $0.isSnapshot }.last?.number)
    backend.clock.advance(bySeconds: 3_601)
    try await backend.embedded.documents().set("rooms/den", ["secret": true])
    let contents = try await channel.read(after: last) { $0["error"] != nil || $0["documentChange"] != nil }
    #expect(contents.last?.content["error"]?["status"] == "UNAUTHENTICATED")
  }

  /// No change is needed: the stream ends when the token expires.
  @Test func anIdleListenerEndsWithItsToken() async throws {
    let time = TestTime()
    let backend = Backend(timers: time)
    let client = WireClient(embedded: backend.embedded, authorization: "Bearer \(try token())")
    let channel = try await WireChannel(client, [Self.rooms])
    let last = try #require(try await channel.read { $0.isSnapshot }.last?.number)
    backend.clock.advance(bySeconds: 3_601)
    async let ended = channel.read(after: last) { $0["error"] != nil }
    time.advance(by: 3_601)
    #expect(try await ended.last?.content["error"]?["status"] == "UNAUTHENTICATED")
  }

  @Test func aWriteStreamEndsWithItsToken() async throws {
    let begin = #"{"database":"projects/demo/databases/(default)"}"#
    let write = #"{"streamToken":"MA==","writes":[{"update":{"name":"@/rooms/den"}}]}"#
    let channel = try await WireChannel(try user(), to: "Write", [begin])
    let last = try #require(try await channel.read { $0["streamId"] != nil }.last?.number)
    backend.clock.advance(bySeconds: 3_601)
    _ = try await channel.post([write], first: 1)
    let contents = try await channel.read(after: last) { $0["error"] != nil || $0["commitTime"] != nil }
    #expect(contents.last?.content["error"]?["status"] == "UNAUTHENTICATED")
    #expect(try await backend.embedded.documents().get("rooms/den") == nil)
  }

  /// A closure that is replaced, and a document that doesn't fulfil it any longer, end the targets.
  @Test func aListenerLosesItsRight() async throws {
    let documents = backend.embedded.documents()
    try await documents.set("rooms/den", ["owner": "ann"])
    backend.embedded.onDocumentAccess {
      $0.operation == .list || $0.document?["owner"]?.stringValue == $0.auth?.uid
    }
    let channel = try await WireChannel(try user(), [Self.den, Self.rooms])
    var last = 0
    for target in [2, 4] as [JSON] {
      last = try #require(
        try await channel.read(after: last) {
          $0["targetChange"]?["targetChangeType"] == "CURRENT" && $0["targetChange"]?["targetIds"] == [target]
        }.last?.number)
    }
    try await documents.set("rooms/den", ["owner": "bob"])
    let removed = try await channel.read(after: last) {
      $0["targetChange"]?["targetChangeType"] == "REMOVE" || $0["documentChange"] != nil
    }
    #expect(removed.last?.content["targetChange"]?["targetIds"] == [2])
    #expect(removed.last?.content["targetChange"]?["cause"]?["code"] == 7)
    last = try #require(
      try await channel.read(after: removed.last?.number ?? 0) { $0.isSnapshot }.last?.number)
    backend.embedded.onDocumentAccess { _ in false }
    let revoked = try await channel.read(after: last) {
      $0["targetChange"]?["targetChangeType"] == "REMOVE"
    }
    #expect(revoked.last?.content["targetChange"]?["targetIds"] == [4])
    try await channel.terminate()
  }

  // MARK: - Other projects, and content

  @Test func anotherProjectIsRefused() async throws {
    for (method, path) in [
      (.get, "oobCodes"), (.get, "verificationCodes"), (.delete, "accounts"), (.get, "config"),
      (.patch, "config"),
    ] as [(HTTPMethod, String)] {
      #expect(try await client.send(method, "/emulator/v1/projects/other/\(path)").status == 404)
      #expect(try await client.send(method, "/emulator/v1/projects/demo/\(path)").status == 200)
    }
    var other = owner
    other.project = "other"
    #expect([403, 404].contains(try await other.document(.get, "rooms").status))
    let clear = "/emulator/v1/projects/other/databases/(default)/documents"
    #expect([403, 404].contains(try await owner.send(.delete, clear).status))
    #expect(try await owner.send(.get, "/storage/v1/b?project=other").status == 404)
    #expect(try await owner.send(.get, "/storage/v1/b?project=demo").status == 200)
    backend.embedded.onCall("whoami") { (request: CallableRequest<Int?>) in request.auth?.uid }
    let call = Data(#"{"data":null}"#.utf8)
    let json = ["Content-Type": "application/json"]
    #expect(try await owner.send(.post, "/other/us-central1/whoami", call, headers: json).status == 404)
    let channel = try await WireChannel(other, [Self.rooms])
    let last = try await channel.read { $0["error"] != nil || $0.isSnapshot }.last?.content
    #expect(last?["error"]?["status"] == "NOT_FOUND")
  }

  /// A page that a user uploaded gets neither the server's origin nor scripts.
  @Test(arguments: ["/v0/b/demo/o/a?alt=media", "/download/storage/v1/b/demo/o/a?alt=media"])
  func contentIsSandboxed(path: String) async throws {
    let base = "http://127.0.0.1:9199"
    _ = try await backend.send(
      .post, "\(base)/v0/b/demo/o?name=a", body: Data("<script>1</script>".utf8),
      headers: ["Content-Type": "text/html"])
    let answer = try await backend.send(.get, base + path)
    #expect(answer.headers["Content-Type"] == "text/html")
    #expect(answer.headers["Content-Security-Policy"] == "sandbox")
    #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
  }
}
