import Foundation
import TenonAuthInterop
import TenonCore
import TenonDocuments
import TenonStoreInterop
import TenonTesting
import TenonTransport
import Testing

@testable import TenonEmbedded

struct DocumentRulesTests {
  private let backend = Backend()
  private let auth = SignedIn()
  private var remote: EmbeddedStoreRemote { EmbeddedStoreRemote(backend.embedded, auth: auth) }
  private let den = ResourcePath(segments: ["rooms", "den"])
  private let rooms = StructuredQuery(parent: ResourcePath(segments: []), collectionID: "rooms")

  private func token(for user: String, project: String = "demo") throws -> String {
    try IDToken(
      account: Account(id: user, now: backend.clock.now), provider: "password", projectID: project,
      now: backend.clock.now
    ).text
  }

  private func expectRefusal(
    _ code: StoreRemoteError.Code = .permissionDenied, _ body: () async throws -> Void
  ) async {
    let error = await #expect(throws: StoreRemoteError.self) { try await body() }
    #expect(error?.code == code)
  }

  private func commit(_ write: DocumentWrite) async throws {
    _ = try await remote.commit(RemoteBatch(writes: [write]), database: "(default)")
  }

  @Test func theOwnerMayWriteAndNobodyElse() async throws {
    backend.embedded.onDocumentAccess { access in
      switch access.operation {
      case .create: access.newDocument?["owner"]?.stringValue == access.auth?.uid
      case .update, .delete, .get: access.document?["owner"]?.stringValue == access.auth?.uid
      default: false
      }
    }
    await expectRefusal { try await commit(DocumentWrite(den, .set(["owner": "ann"]))) }
    auth.token = try token(for: "ann")
    await expectRefusal { try await commit(DocumentWrite(den, .set(["owner": "bob"]))) }
    try await commit(DocumentWrite(den, .set(["owner": "ann"])))
    try await commit(DocumentWrite(den, .update(["n": 1], mask: ["n"])))
    #expect(try await remote.fetch([den], database: "(default)").first?.fields?["n"] == 1)
    auth.token = try token(for: "bob")
    await expectRefusal { try await commit(DocumentWrite(den, .delete)) }
    await expectRefusal { _ = try await remote.fetch([den], database: "(default)") }
    #expect(try await backend.embedded.documents().get("rooms/den") == ["owner": "ann", "n": 1])
  }

  @Test func aRefusedWriteRefusesItsBatch() async throws {
    backend.embedded.onDocumentAccess { $0.path != "rooms/attic" }
    let attic = ResourcePath(segments: ["rooms", "attic"])
    var writing = RemoteWriting(remote, "(default)", token: nil)
    _ = try await writing.next()
    writing.send(
      RemoteBatch(writes: [DocumentWrite(den, .set([:])), DocumentWrite(attic, .set([:]))]))
    await expectRefusal { _ = try await writing.next() }
    #expect(try await backend.embedded.documents().list("rooms").isEmpty)
  }

  @Test func queriesAreAllowedAsAWhole() async throws {
    let seen = Seen()
    backend.embedded.onDocumentAccess { access in
      seen.add("\(access.operation.rawValue) \(access.path)")
      return access.auth != nil
    }
    await expectRefusal { _ = try await remote.run(rooms, database: "(default)") }
    await expectRefusal { _ = try await remote.aggregate(rooms, [.count], database: "(default)") }
    auth.token = try token(for: "ann")
    #expect(try await remote.aggregate(rooms, [.count], database: "(default)") == [0])
    var group = rooms
    group.allDescendants = true
    _ = try await remote.run(group, database: "(default)")
    #expect(seen.texts == ["list rooms", "list rooms", "list rooms", "list rooms"])
  }

  @Test func aTargetThatIsNotAllowedEndsAlone() async throws {
    backend.embedded.onDocumentAccess { $0.operation == .get }
    var listening = RemoteListening(remote, "(default)")
    listening.add(1, .query(rooms))
    listening.add(2, .documents([den]))
    try await listening.until { $0.error(1) != nil && $0.isCurrent(2) }
    #expect((listening.error(1) as? StoreRemoteError)?.code == .permissionDenied)
    try await backend.embedded.documents().set("rooms/den", [:])
    try await listening.until { $0.held(2) == ["den"] }
    listening.end()
  }

  @Test func aTokenThatDoesNotHoldIsRefused() async throws {
    for text in ["garbage", try token(for: "ann", project: "other")] {
      auth.token = text
      await expectRefusal(.unauthenticated) { _ = try await remote.fetch([den], database: "(default)") }
    }
    auth.token = try token(for: "ann")
    backend.clock.advance(bySeconds: 4_000)
    await expectRefusal(.unauthenticated) { _ = try await remote.fetch([den], database: "(default)") }
  }

  @Test func theUserComesFromTheAppsAuth() async throws {
    let options = AppOptions(projectID: "demo", backend: .embedded(directory: nil))
    let app = try App.configure(
      named: "rules-\(UUID())", options: options, libraries: [EmbeddedLibrary.self, SignedInLibrary.self])
    let remote = try app.resolve((any StoreRemote).self)
    try Embedded.embedded(app: app).onDocumentAccess { $0.auth?.uid == "ann" }
    #expect(try await remote.fetch([den], database: "(default)").count == 1)
    try Embedded.embedded(app: app).onDocumentAccess { $0.auth?.uid == "bob" }
    await expectRefusal { _ = try await remote.fetch([den], database: "(default)") }
    await app.delete()
  }
}

/// A library whose user is always Ann.
private enum SignedInLibrary: Library {
  static let name = "signed-in"
  static let version = SemanticVersion(1, 0, 0)
  @ComponentBuilder static var components: [AnyComponent] {
    Component((any AuthInterop).self) { _ in
      let auth = SignedIn()
      let now = TenonEmbedded.Timestamp(Date())
      auth.token = try IDToken(
        account: Account(id: "ann", now: now), provider: "password", projectID: "demo", now: now
      ).text
      return auth
    }
  }
}

/// An Auth that has the token that it was given.
private final class SignedIn: AuthInterop {
  private let state = Lock<String?>(nil)

  var token: String? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
  var currentUserID: String? { get async { nil } }
  func token(forcingRefresh: Bool) async throws -> String? { token }
  var stateChanges: AsyncStream<AuthState> { AsyncStream { $0.finish() } }
}

private final class Seen: Sendable {
  private let state = Lock<[String]>([])
  var texts: [String] { state.withLock { $0 } }
  func add(_ text: String) { state.withLock { $0.append(text) } }
}
