import Foundation
import TenonAuthInterop
import TenonCore
import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonTransport
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct DocumentRulesTests {
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

  private func signIn(_ user: String) throws { auth.signIn(user, token: try token(for: user)) }

  /// The context of the user who is signed in.
  private var context: RemoteContext { RemoteContext(user: auth.user) }

  private func expectRefusal(
    _ code: StoreRemoteError.Code = .permissionDenied, _ body: () async throws -> Void
  ) async {
    let error = await #expect(throws: StoreRemoteError.self) { try await body() }
    #expect(error?.code == code)
  }

  private func commit(_ write: DocumentWrite) async throws {
    _ = try await remote.commit(RemoteBatch(writes: [write]), in: context)
  }

  @Test func onlyTheOwnerCanWrite() async throws {
    backend.embedded.onDocumentAccess { access in
      switch access.operation {
      case .create: access.newDocument?["owner"]?.stringValue == access.auth?.uid
      case .update, .delete, .get: access.document?["owner"]?.stringValue == access.auth?.uid
      default: false
      }
    }
    await expectRefusal { try await commit(DocumentWrite(den, .set(["owner": "ann"]))) }
    try signIn("ann")
    await expectRefusal { try await commit(DocumentWrite(den, .set(["owner": "bob"]))) }
    try await commit(DocumentWrite(den, .set(["owner": "ann"])))
    try await commit(DocumentWrite(den, .update(["n": 1], mask: ["n"])))
    #expect(try await remote.fetch([den], in: context).first?.fields?["n"] == 1)
    try signIn("bob")
    await expectRefusal { try await commit(DocumentWrite(den, .delete)) }
    await expectRefusal { _ = try await remote.fetch([den], in: context) }
    #expect(try await backend.embedded.documents().get("rooms/den") == ["owner": "ann", "n": 1])
  }

  @Test func aDeniedWriteRejectsItsBatch() async throws {
    backend.embedded.onDocumentAccess { $0.path != "rooms/attic" }
    let attic = ResourcePath(segments: ["rooms", "attic"])
    var writing = RemoteWriting(remote, context, token: nil)
    _ = try await writing.next()
    writing.send(
      RemoteBatch(writes: [DocumentWrite(den, .set([:])), DocumentWrite(attic, .set([:]))]))
    await expectRefusal { _ = try await writing.next() }
    #expect(try await backend.embedded.documents().list("rooms").isEmpty)
  }

  @Test func queriesAreAllowedOrDeniedAsAWhole() async throws {
    let seen = Seen()
    backend.embedded.onDocumentAccess { access in
      seen.add("\(access.operation.rawValue) \(access.path)")
      return access.auth != nil
    }
    await expectRefusal { _ = try await remote.run(rooms, in: context) }
    await expectRefusal { _ = try await remote.aggregate(rooms, [.count], in: context) }
    try signIn("ann")
    #expect(try await remote.aggregate(rooms, [.count], in: context) == [0])
    #expect(seen.texts == ["list rooms", "list rooms", "list rooms"])
  }

  /// The closure for documents isn't asked about collection groups.
  @Test func aGroupIsAllowedByItsOwnClosureOnly() async throws {
    let group = StructuredQuery(
      parent: ResourcePath(segments: ["houses", "h"]), collectionID: "rooms", allDescendants: true)
    let seen = Seen()
    backend.embedded.onDocumentAccess { access in
      seen.add("\(access.target)")
      return true
    }
    await expectRefusal { _ = try await remote.run(group, in: context) }
    await expectRefusal { _ = try await remote.aggregate(group, [.count], in: context) }
    #expect(seen.texts.isEmpty)
    backend.embedded.onCollectionGroupAccess("rooms") { access in
      seen.add("\(access.operation.rawValue) \(access.path)")
      return access.target == .collectionGroup("rooms", under: "houses/h")
    }
    #expect(try await remote.run(group, in: context).isEmpty)
    #expect(seen.texts == ["list houses/h/**/rooms"])
    var whole = group
    whole.parent = ResourcePath(segments: [])
    await expectRefusal { _ = try await remote.run(whole, in: context) }
    var other = group
    other.collectionID = "attics"
    await expectRefusal { _ = try await remote.run(other, in: context) }
    backend.embedded.onCollectionGroupAccess("rooms", nil)
    await expectRefusal { _ = try await remote.run(group, in: context) }
    backend.embedded.onDocumentAccess(nil)
    #expect(try await remote.run(whole, in: context).isEmpty)
  }

  @Test func aDeniedTargetEndsWithoutTheOthers() async throws {
    backend.embedded.onDocumentAccess { $0.operation == .get }
    var listening = ListenClient(remote, context)
    listening.add(1, .query(rooms))
    listening.add(2, .documents([den]))
    try await listening.until { $0.error(1) != nil && $0.isCurrent(2) }
    #expect((listening.error(1) as? StoreRemoteError)?.code == .permissionDenied)
    try await backend.embedded.documents().set("rooms/den", [:])
    try await listening.until { $0.held(2) == ["den"] }
    listening.end()
  }

  @Test func anInvalidTokenIsRejected() async throws {
    for text in ["garbage", try token(for: "ann", project: "other")] {
      auth.signIn("ann", token: text)
      await expectRefusal(.unauthenticated) { _ = try await remote.fetch([den], in: context) }
    }
    try signIn("ann")
    backend.clock.advance(bySeconds: 4_000)
    await expectRefusal(.unauthenticated) { _ = try await remote.fetch([den], in: context) }
  }

  @Test func aRequestForOneUserIsNotMadeForAnother() async throws {
    backend.embedded.onDocumentAccess { _ in true }
    try signIn("bob")
    for context in [RemoteContext(), RemoteContext(user: "ann")] {
      await expectRefusal(.unauthenticated) { _ = try await remote.fetch([den], in: context) }
      await expectRefusal(.unauthenticated) { _ = try await remote.run(rooms, in: context) }
      await expectRefusal(.unauthenticated) { _ = try await remote.aggregate(rooms, [.count], in: context) }
      let batch = RemoteBatch(writes: [DocumentWrite(den, .set(["n": 1]))])
      await expectRefusal(.unauthenticated) { _ = try await remote.commit(batch, in: context) }
      var writing = RemoteWriting(remote, context, token: nil)
      writing.send(batch)
      await expectRefusal(.unauthenticated) { while try await writing.next() != nil {} }
      var listening = ListenClient(remote, context)
      listening.add(1, .documents([den]))
      await expectRefusal(.unauthenticated) { try await listening.until { $0.isCurrent(1) } }
    }
    #expect(try await remote.fetch([den], in: RemoteContext(user: "bob")).first?.fields == nil)
  }

  @Test func theUserComesFromTheAppsAuth() async throws {
    let options = AppOptions(projectID: "demo", backend: .embedded(directory: nil))
    let app = try App.configure(
      name: "rules-\(UUID())", options: options, libraries: [EmbeddedLibrary.self, SignedInLibrary.self])
    let remote = try #require(try app.resolveAll((any StoreRemote).self).first)
    try Embedded.embedded(app: app).onDocumentAccess { $0.auth?.uid == "ann" }
    #expect(try await remote.fetch([den], in: RemoteContext(user: "ann")).count == 1)
    try Embedded.embedded(app: app).onDocumentAccess { $0.auth?.uid == "bob" }
    await expectRefusal { _ = try await remote.fetch([den], in: RemoteContext(user: "ann")) }
    await app.delete()
  }
}

/// A library with an `AuthInterop` whose user is always Ann.
private enum SignedInLibrary: Library {
  static let name = "signed-in"
  static let version = SemanticVersion(1, 0, 0)
  @ComponentBuilder static var components: [AnyComponent] {
    Component((any AuthInterop).self) { _ in
      let auth = SignedIn()
      let now = Timestamp(date: Date())
      let token = try IDToken(
        account: Account(id: "ann", now: now), provider: "password", projectID: "demo", now: now
      ).text
      auth.signIn("ann", token: token)
      return auth
    }
  }
}

/// An `AuthInterop` with the user and the token that the test sets.
final class SignedIn: AuthInterop {
  private let state = Lock<(user: String?, token: String?)>((nil, nil))

  func signIn(_ user: String, token: String) { state.withLock { $0 = (user, token) } }

  var user: String? { state.withLock { $0.user } }
  var currentUserID: String? { get async { user } }
  func token(forcingRefresh: Bool) async throws -> String? { state.withLock { $0.token } }
  var stateChanges: AsyncStream<AuthState> { AsyncStream { $0.finish() } }
}

private final class Seen: Sendable {
  private let state = Lock<[String]>([])
  var texts: [String] { state.withLock { $0 } }
  func add(_ text: String) { state.withLock { $0.append(text) } }
}
