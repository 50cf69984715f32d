import Foundation
import TenonCore
import TenonDocuments
import TenonRules
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Security Rules decide about the documents of the backend. What the language means is tested in Core/Rules;
/// these tests show that each kind of request reaches it with the right values.
@Suite(.limited) struct DocumentSecurityRulesTests {
  private let backend = Backend()

  private static let source = """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{database}/documents {
        function signedIn() { return request.auth != null; }
        function isAdmin() { return get(/databases/$(database)/documents/roles/$(request.auth.uid)).data.role == 'admin'; }
        match /users/{uid} {
          allow read, create: if signedIn() && request.auth.uid == uid;
          allow update: if request.resource.data.diff(resource.data).affectedKeys().hasOnly(['name']);
          allow delete: if isAdmin();
        }
        match /public/{doc=**} { allow read; allow write: if request.auth.token.email.matches('.*@corp[.]com'); }
        match /notes/{note} {
          allow get: if resource.data.owner == request.auth.uid;
          allow list: if resource.data.owner == request.auth.uid && request.query.limit <= 10;
        }
        match /timed/{d} { allow create: if request.resource.data.at == request.time; }
        match /pair/{d} { allow create: if getAfter(/databases/$(database)/documents/counter/c).data.n == request.resource.data.n; }
        match /counter/{d} { allow read, write: if true; }
        match /{path=**}/open/{d} { allow read: if true; }
      }
    }
    """

  private func client(_ user: String? = nil, domain: String = "corp.com") throws -> WireClient {
    guard let user else { return WireClient(embedded: backend.embedded) }
    let now = backend.clock.now
    var account = Account(id: user, now: now)
    account.email = "\(user)@\(domain)"
    let token = try IDToken(account: account, provider: "password", projectID: "demo", now: now).text
    return WireClient(embedded: backend.embedded, authorization: "Bearer \(token)")
  }

  private func prepare() async throws {
    let documents = backend.embedded.documents()
    try await documents.set("roles/adm", ["role": "admin"])
    try await documents.set("notes/n1", ["owner": "ann"])
    try await documents.set("users/ann", ["name": "Ann", "age": 1])
    try await documents.set("rooms/den/open/o1", ["n": 1])
    backend.embedded.documentSecurityRules = try SecurityRules(source: Self.source)
  }

  private func status(_ user: String?, domain: String = "corp.com", _ method: String, _ body: String)
    async throws -> Int
  {
    try await client(user, domain: domain).call(method, body).status
  }

  private static func write(_ path: String, _ fields: String, mask: String? = nil) -> String {
    let mask = mask.map { #","updateMask":{"fieldPaths":["\#($0)"]}"# } ?? ""
    return #"{"writes":[{"update":{"name":"@/\#(path)","fields":{\#(fields)}}\#(mask)}]}"#
  }

  private static func list(_ limit: Int, owner: String? = "ann", from: String = #""collectionId":"notes""#)
    -> String
  {
    let filter =
      owner.map {
        #","where":{"fieldFilter":{"field":{"fieldPath":"owner"},"op":"EQUAL","value":{"stringValue":"\#($0)"}}}"#
      } ?? ""
    return #"{"structuredQuery":{"from":[{\#(from)}]\#(filter),"limit":\#(limit)}}"#
  }

  @Test(arguments: [
    ("ann", "commit", write("users/ann", #""name":{"stringValue":"A"}"#, mask: "name"), 200),
    ("ann", "commit", write("users/ann", #""age":{"integerValue":"2"}"#, mask: "age"), 403),
    ("bob", "commit", write("users/bob", ""), 200), ("bob", "commit", write("users/eve", ""), 403),
    ("ann", "commit", #"{"writes":[{"delete":"@/users/ann"}]}"#, 403),
    ("adm", "commit", #"{"writes":[{"delete":"@/users/ann"}]}"#, 200),
    ("ann", "runQuery", list(5), 200), ("ann", "runQuery", list(11), 403),
    ("ann", "runQuery", list(5, owner: nil), 403), ("eve", "runQuery", list(5), 403),
    ("ann", "commit", write("public/a/b/c", ""), 200),
    ("ann", "batchGet", #"{"documents":["@/notes/n1"]}"#, 200),
    ("eve", "batchGet", #"{"documents":["@/notes/n1"]}"#, 403),
    (
      "ann", "commit",
      #"{"writes":[{"update":{"name":"@/timed/t"},"updateTransforms":[{"fieldPath":"at","setToServerValue":"REQUEST_TIME"}]}]}"#,
      200
    ),
    ("ann", "commit", write("timed/t", #""at":{"timestampValue":"2023-11-14T22:13:21Z"}"#), 403),
    ("ann", "commit", write("other/x", ""), 403),
    (
      "ann", "runQuery",
      list(5, owner: nil, from: #""collectionId":"open","allDescendants":true"#), 200
    ),
    (
      "ann", "runQuery",
      list(5, owner: "ann", from: #""collectionId":"notes","allDescendants":true"#), 403
    ),
  ])
  func aRequestIsAllowedOrDeniedAsByGoogle(
    user: String, method: String, body: String, expected: Int
  ) async throws {
    try await prepare()
    let answer = try await client(user).call(method, body)
    #expect(answer.status == expected, "\(answer.text)")
  }

  @Test func claimsOfTheTokenReachTheRules() async throws {
    try await prepare()
    let write = Self.write("public/a", "")
    #expect(try await status("eve", domain: "evil.org", "commit", write) == 403)
    #expect(try await status(nil, "commit", write) == 403)
    #expect(try await status("ann", "commit", write) == 200)
  }

  @Test(arguments: [(7, 200), (8, 403)])
  func aBatchIsSeenAfterAllOfItsWrites(n: Int, expected: Int) async throws {
    try await prepare()
    let writes = """
      {"writes":[{"update":{"name":"@/pair/p","fields":{"n":{"integerValue":"\(n)"}}}},
      {"update":{"name":"@/counter/c","fields":{"n":{"integerValue":"7"}}}}]}
      """
    #expect(try await status("ann", "commit", writes) == expected)
    // All or nothing.
    let counter = try await backend.embedded.documents().get("counter/c")
    #expect((counter == nil) == (expected == 403))
  }

  @Test func aRefusalNamesTheStatementAndTheExpression() async throws {
    try await prepare()
    let answer = try await client("eve").call("batchGet", #"{"documents":["@/notes/n1"]}"#)
    #expect(answer.text.contains("PERMISSION_DENIED"))
    #expect(answer.text.contains("line 13: The condition is false. (L13:"), "\(answer.text)")
  }

  @Test func administratorsAreNotAsked() async throws {
    try await prepare()
    let owner = WireClient(embedded: backend.embedded, authorization: "Bearer owner")
    #expect(try await owner.call("batchGet", #"{"documents":["@/roles/adm"]}"#).status == 200)
  }

  // MARK: - Replacing rules

  private func put(_ path: String, _ source: String) async throws -> (status: Int, text: String) {
    let file: JSON = ["rules": ["files": [["name": "r", "content": .string(source)]]]]
    let response = try await backend.send(.put, "http://127.0.0.1:8080/\(path)", body: file.serialized)
    return (response.status, String(decoding: response.body, as: UTF8.self))
  }

  @Test func theEmulatorsEndpointReplacesTheRules() async throws {
    try await prepare()
    let path = "emulator/v1/projects/demo:securityRules"
    #expect(try await status(nil, "batchGet", #"{"documents":["@/notes/n1"]}"#) == 403)
    let open = """
      rules_version = '2';
      service cloud.firestore { match /databases/{d}/documents { match /{x=**} { allow read: if true; } } }
      """
    #expect(try await put(path, open).status == 200)
    #expect(backend.embedded.documentSecurityRules?.source == open)
    #expect(try await status(nil, "batchGet", #"{"documents":["@/notes/n1"]}"#) == 200)
    // Rules that can't be used change nothing.
    let mistake = try await put(path, "service cloud.firestore { match /x { allow read: if true;; } }")
    #expect(mistake.status == 400 && mistake.text.contains("Error compiling rules:\\nL1:"), "\(mistake.text)")
    #expect(try await put(path, "").status == 400)
    #expect(try await status(nil, "batchGet", #"{"documents":["@/notes/n1"]}"#) == 200)
    #expect(try await put("emulator/v1/projects/other:securityRules", open).status != 200)
  }

  @Test func aListenerEndsWhenTheRulesNoLongerAllowIt() async throws {
    try await prepare()
    let auth = SignedIn()
    let token = try IDToken(
      account: Account(id: "ann", now: backend.clock.now), provider: "password", projectID: "demo",
      now: backend.clock.now
    ).text
    auth.signIn("ann", token: token)
    let remote = EmbeddedStoreRemote(backend.embedded, auth: auth)
    let note = ResourcePath(segments: ["notes", "n1"])
    var listening = ListenClient(remote, RemoteContext(user: auth.user))
    listening.add(1, .documents([note]))
    try await listening.until { $0.held(1) == ["n1"] }
    // The document changes so that the rules deny it.
    try await backend.embedded.documents().set("notes/n1", ["owner": "bob"])
    try await listening.until { $0.error(1) != nil }
    #expect((listening.error(1) as? StoreRemoteError)?.code == .permissionDenied)
    listening.add(2, .documents([ResourcePath(segments: ["counter", "c"])]))
    try await listening.until { $0.isCurrent(2) }
    backend.embedded.documentSecurityRules = try SecurityRules(
      source: "rules_version = '2'; service cloud.firestore { match /none { allow read: if false; } }")
    try await listening.until { $0.error(2) != nil }
    listening.end()
  }

  @Test func aListenerEndsWhenADocumentThatItsRuleReadsChanges() async throws {
    try await backend.embedded.documents().set("roles/ann", ["role": "reader"])
    try await backend.embedded.documents().set("notes/n1", ["owner": "bob"])
    backend.embedded.documentSecurityRules = try SecurityRules(
      source: """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{d}/documents/notes/{n} {
            allow read: if get(/databases/$(d)/documents/roles/$(request.auth.uid)).data.role == 'reader';
          }
        }
        """)
    let auth = SignedIn()
    let token = try IDToken(
      account: Account(id: "ann", now: backend.clock.now), provider: "password", projectID: "demo",
      now: backend.clock.now
    ).text
    auth.signIn("ann", token: token)
    let remote = EmbeddedStoreRemote(backend.embedded, auth: auth)
    var listening = ListenClient(remote, RemoteContext(user: auth.user))
    listening.add(1, .documents([ResourcePath(segments: ["notes", "n1"])]))
    listening.add(
      2, .query(StructuredQuery(parent: ResourcePath(segments: []), collectionID: "notes")))
    try await listening.until { $0.held(1) == ["n1"] && $0.held(2) == ["n1"] }
    try await backend.embedded.documents().set("roles/ann", ["role": "none"])
    try await listening.until { $0.error(1) != nil && $0.error(2) != nil }
    #expect((listening.error(1) as? StoreRemoteError)?.code == .permissionDenied)
    listening.end()
  }

  @Test func closuresAndRulesReplaceEachOther() async throws {
    try await prepare()
    backend.embedded.onDocumentAccess { _ in true }
    #expect(backend.embedded.documentSecurityRules == nil)
    #expect(try await status(nil, "batchGet", #"{"documents":["@/roles/adm"]}"#) == 200)
    backend.embedded.documentSecurityRules = try SecurityRules(source: Self.source)
    #expect(try await status(nil, "batchGet", #"{"documents":["@/roles/adm"]}"#) == 403)
    backend.embedded.documentSecurityRules = nil
    #expect(try await status(nil, "batchGet", #"{"documents":["@/roles/adm"]}"#) == 200)
  }
}
