import Foundation
import TenonDocuments
import TenonFoundation
import TenonRules
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonEmbedded

/// When the rules are asked again about a listener: when a document changes that they have read, or one of
/// its own, and when they are replaced.
@Suite(.limited) struct ListenerDependencyTests {
  private let backend = Backend()
  private let auth = SignedIn()

  private func listen() throws -> ListenClient {
    let token = try Credentials(now: backend.clock.now).idToken()
    auth.signIn("ann", token: token)
    return ListenClient(EmbeddedStoreRemote(backend.embedded, auth: auth), RemoteContext(user: auth.user))
  }

  private let query = StructuredQuery(parent: ResourcePath(segments: []), collectionID: "notes")
  private func note(_ id: String) -> ResourcePath { ResourcePath(segments: ["notes", id]) }

  /// Allows what the document `roles/ann` allows, and counts how often it is asked.
  private final class Counting: DocumentAuthorizer {
    let asked = Lock<[String]>([])
    var dependsOnlyOnDocuments: Bool { true }

    func refusal(of request: DocumentRequest, _ documents: DocumentStates) throws -> StoreRemoteError? {
      switch request.action {
      case .get(let path, _): asked.withLock { $0.append(path.id) }
      case .list: asked.withLock { $0.append("list") }
      case .write: return nil
      }
      let role = try documents.document(ResourcePath(segments: ["roles", "ann"]), isAfterWrites: false)
      return role == nil ? StoreRemoteError(.permissionDenied, "no role") : nil
    }

    func take() -> [String] {
      asked.withLock { asked in
        defer { asked = [] }; return asked.sorted()
      }
    }
  }

  @Test func onlyWhatATargetDependsOnIsCheckedAgain() async throws {
    let documents = backend.embedded.documents()
    for path in ["roles/ann", "notes/a", "notes/b"] { try await documents.set(path, ["n": 1]) }
    let counting = Counting()
    backend.embedded.documentRules.replace(with: counting)
    var listening = try listen()
    listening.add(1, .query(query))
    listening.add(2, .documents([note("a"), note("b")]))
    try await listening.until { $0.isCurrent(1) && $0.isCurrent(2) }
    #expect(counting.take() == ["a", "b", "list"])
    /// Changes a document, and waits until all listeners have seen it.
    func change(_ path: String) async throws -> [String] {
      let time = try await documents.commit([.set(path, ["n": .integer(Int64.random(in: 2...1_000_000))])])
      try await listening.until(time)
      return counting.take()
    }
    #expect(try await change("others/x") == [])
    #expect(try await change("notes/a") == ["a"])
    #expect(try await change("notes/c") == [])
    #expect(try await change("roles/bob") == [])
    #expect(try await change("roles/ann") == ["a", "b", "list"])
    try await documents.delete("roles/ann")
    try await listening.until { $0.error(1) != nil && $0.error(2) != nil }
    for target in [1, 2] {
      #expect((listening.error(target) as? StoreRemoteError)?.code == .permissionDenied)
    }
    listening.end()
  }

  /// The listeners are reviewed after the rules were replaced; a commit in between must not be delivered.
  @Test func aChangeIsNotDeliveredBeforeNewRulesAreAsked() async throws {
    let documents = backend.embedded.documents()
    try await documents.set("notes/a", ["n": 1])
    var listening = try listen()
    listening.add(1, .query(query))
    try await listening.until { $0.held(1) == ["a"] }
    // Without a review.
    backend.embedded.documentRules.replace(with: Counting())
    try await documents.set("notes/secret", ["n": 2])
    try await listening.until { $0.error(1) != nil || $0.held(1).contains("secret") }
    #expect((listening.error(1) as? StoreRemoteError)?.code == .permissionDenied)
    #expect(!listening.wasMentioned("secret"))
    listening.end()
  }

  /// A condition about the document `roles/ann`, which is there or isn't, and what happens to it.
  @Test(
    arguments: [
      ("get(R).data.role == 'reader'", "role", "none"), ("exists(R)", "role", nil),
      ("!exists(R)", nil, "reader"),
      ("get(/databases/$(d)/documents/roles/$(get(R).data.next)).data.ok", "next", "none"),
      ("getAfter(R).data.role == 'reader'", "role", "none"), ("existsAfter(R)", "role", nil),
      ("holds(R)", "role", "none"),
      ("request.auth.uid == 'eve' || get(R).data.role == 'reader'", "role", "none"),
    ] as [(String, String?, String?)])
  func aListenerEndsWhenADocumentThatItsRuleReadsChanges(
    condition: String, before: String?, after: String?
  ) async throws {
    let documents = backend.embedded.documents()
    let field = before ?? "role"
    if before != nil {
      try await documents.set("roles/ann", ["role": "reader", "next": "ok"])
      try await documents.set("roles/ok", ["ok": true])
    }
    try await documents.set("notes/n", ["n": 1])
    backend.embedded.documentSecurityRules = try SecurityRules(
      source: """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{d}/documents {
            function holds(path) { return get(path).data.role == 'reader'; }
            match /notes/{n} { allow read: if \(condition.replacing("R", with: "/databases/$(d)/documents/roles/$(request.auth.uid)")); }
          }
        }
        """)
    var listening = try listen()
    listening.add(1, .query(query))
    listening.add(2, .documents([note("n")]))
    try await listening.until { $0.held(1) == ["n"] && $0.held(2) == ["n"] }
    try await documents.set("roles/other", ["role": "none"])
    if let after {
      var fields: Fields = ["role": "reader", "next": "ok"]
      fields[FieldPath([field])] = .string(after)
      try await documents.set("roles/ann", fields)
    } else {
      try await documents.delete("roles/ann")
    }
    try await listening.until { $0.error(1) != nil && $0.error(2) != nil }
    for target in [1, 2] {
      #expect((listening.error(target) as? StoreRemoteError)?.code == .permissionDenied)
    }
    listening.end()
  }
}
