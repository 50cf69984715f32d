import Foundation
import TenonCore
import TenonDocuments
import TenonFoundation
import TenonRules
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The rules of the server decide about writes before they are queued (`StoreSettings.rules`): what this
/// device knows that the server would reject is refused or reported, and nothing else.
@Suite(.limited) struct WriteRulesTests {
  private static let source = """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{database}/documents {
        match /users/{user} {
          allow create: if request.auth.uid == user;
          allow update: if request.resource.data.diff(resource.data).affectedKeys().hasOnly(['name', 'at']);
        }
        match /notes/{note} {
          allow create: if request.resource.data.owner == request.auth.uid;
          allow update, delete: if resource.data.owner == request.auth.uid;
        }
        match /claimed/{d} { allow write: if request.auth.token.admin == true; }
        match /roled/{d} { allow write: if get(/databases/$(database)/documents/roles/$(request.auth.uid)).data.level > 2; }
        match /known/{d} { allow write: if exists(/databases/$(database)/documents/roles/$(request.auth.uid)); }
        match /pairs/{d} { allow write: if getAfter(/databases/$(database)/documents/counters/c).data.n == request.resource.data.n; }
        match /counters/{d} { allow write: if !('n' in request.resource.data) || request.resource.data.n <= 10; }
        match /timed/{d} { allow write: if request.resource.data.at == request.time; }
        match /roles/{d} { allow write: if true; }
        match /drafts/{d} { allow write: if false; }
      }
    }
    """

  private static func settings(_ isAdvice: Bool = false, local: Set<String>? = nil) throws -> StoreSettings {
    let rules = try SecurityRules(source: source)
    return StoreSettings(localCollections: local, rules: isAdvice ? .advise(rules) : .refuse(rules))
  }

  /// Returns a store without a network. Its cache has `users/ann`, `notes/hers`, `notes/his`, `roles/ann` and
  /// `counters/c`, and knows that `notes/gone` and `roles/eve` are missing.
  private static func prepared(
    _ auth: TokenAuth = TokenAuth("ann"), isAdvice: Bool = false,
    logger: AppLogger = AppLogger(source: "tests")
  ) async throws -> Store {
    let remote = FakeStoreRemote()
    let documents: [(String, Fields)] = [
      ("users/ann", ["name": "Ann", "age": 7]), ("notes/hers", ["owner": "ann"]),
      ("notes/his", ["owner": "bob"]), ("roles/ann", ["level": 1]), ("counters/c", ["n": 9]),
    ]
    try remote.apply(documents.map { DocumentWrite(try ResourcePath(document: $0.0), .set($0.1)) })
    let store = makeStore(remote: remote, auth: auth, settings: try settings(isAdvice), logger: logger)
    for (path, _) in documents { _ = try await store.document(path).getDocument(source: .server) }
    for path in ["notes/gone", "roles/eve"] {
      _ = try await store.document(path).getDocument(source: .server)
    }
    try await store.disableNetwork()
    return store
  }

  /// A write, and whether it is queued.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let isQueued: Bool
    let write: @Sendable (Store) async throws -> Void

    init(_ name: String, _ isQueued: Bool, _ write: @escaping @Sendable (Store) async throws -> Void) {
      (testDescription, self.isQueued, self.write) = (name, isQueued, write)
    }
  }

  private static let cases: [Case] = [
    Case("a change of an allowed field", true) {
      try await $0.document("users/ann").updateData(["name": "A"])
    },
    Case("a change of another field", false) { try await $0.document("users/ann").updateData(["age": 8]) },
    Case("an increment", false) {
      try await $0.document("users/ann").updateData(["age": FieldValue.increment(1)])
    },
    Case("an increment by 0", true) {
      try await $0.document("users/ann").updateData(["age": FieldValue.increment(0)])
    },
    Case("an increment beyond a limit", false) {
      try await $0.document("counters/c").updateData(["n": FieldValue.increment(2)])
    },
    Case("an increment up to a limit", true) {
      try await $0.document("counters/c").updateData(["n": FieldValue.increment(1)])
    },
    Case("an increment of a document that isn't cached", true) {
      try await $0.document("counters/other").updateData(["n": FieldValue.increment(20)])
    },
    Case("a known field of a document that isn't cached", false) {
      try await $0.document("counters/other").updateData(["n": 20])
    },
    Case("a merge into a document that isn't cached", false) {
      try await $0.document("counters/other").setData(["n": 20], merge: true)
    },
    Case("a creation for another user", false) { try await $0.document("users/bob").create(["name": "B"]) },
    Case("a creation for the user", true) { try await $0.document("notes/gone").create(["owner": "ann"]) },
    Case("a creation for the user with another owner", false) {
      try await $0.document("notes/gone").setData(["owner": "bob"])
    },
    Case("a replacement of a document that isn't cached", true) {
      try await $0.document("notes/unread").setData(["owner": "bob"])
    },
    Case("the creation of a document that isn't cached", false) {
      try await $0.document("notes/unread").create(["owner": "bob"])
    },
    Case("a deletion by the owner", true) { try await $0.document("notes/hers").delete() },
    Case("a deletion by another user", false) { try await $0.document("notes/his").delete() },
    Case("a deletion of a document that isn't cached", true) {
      try await $0.document("notes/unread").delete()
    },
    Case("a deletion of a missing document", false) { try await $0.document("notes/gone").delete() },
    Case("what a cached document denies", false) { try await $0.document("roled/d").setData([:]) },
    Case("what a cached document proves", true) { try await $0.document("known/d").setData([:]) },
    Case("a server timestamp", true) {
      try await $0.document("timed/d").setData(["at": FieldValue.serverTimestamp()])
    },
    Case("another time", false) { try await $0.document("timed/d").setData(["at": Timestamp(seconds: 0)]) },
    Case("a collection without rules", false) { try await $0.document("secrets/d").setData([:]) },
  ]

  @Test(arguments: cases) func p2AWriteThatTheServerWouldRejectIsRefused(_ example: Case) async throws {
    let store = try await Self.prepared()
    if example.isQueued {
      try await example.write(store)
      #expect(try await store.queuedWrites.count == 1)
    } else {
      let error = await #expect(throws: StoreError.self) { try await example.write(store) }
      #expect(error?.code == .permissionDenied)
      #expect(try await store.queuedWrites.isEmpty)
    }
    await store.terminate()
  }

  @Test(arguments: cases) func adviceQueuesEveryWriteAndWarnsOfThoseThatAreDenied(_ example: Case)
    async throws
  {
    let log = LogRecorder()
    let store = try await Self.prepared(isAdvice: true, logger: log.logger)
    try await example.write(store)
    #expect(try await store.queuedWrites.count == 1)
    #expect(log.messages(.warning).count { $0.contains("would reject") } == (example.isQueued ? 0 : 1))
    await store.terminate()
  }

  @Test func theErrorNamesTheDocumentTheLineAndTheValues() async throws {
    let store = try await Self.prepared()
    let error = await #expect(throws: StoreError.self) { try await store.document("notes/his").delete() }
    let message = try #require(error?.message)
    for part in [
      "would reject the delete of notes/his", "line 10:", "`resource.data.owner` → 'bob'",
      "`request.auth.uid` → 'ann'",
    ] {
      #expect(message.contains(part), "\(message)")
    }
    await store.terminate()
  }

  // MARK: - The user

  @Test(arguments: [
    (#"{"exp":99999999999,"admin":true}"#, true), (#"{"exp":99999999999,"admin":false}"#, false),
    (#"{"exp":99999999999}"#, false),
    // The server will see another token.
    (#"{"exp":1,"admin":false}"#, true), (#"{"admin":false}"#, true), ("no token", true),
  ]) func claimsAreThoseOfATokenThatHasNotExpired(_ payload: String, isQueued: Bool) async throws {
    let store = try await Self.prepared(TokenAuth("ann", payload))
    if isQueued {
      try await store.document("claimed/d").setData([:])
    } else {
      await #expect(throws: StoreError.self) { try await store.document("claimed/d").setData([:]) }
    }
    await store.terminate()
  }

  @Test func aNewTokenAppliesToTheNextWrite() async throws {
    let auth = TokenAuth("ann")
    let store = try await Self.prepared(auth)
    await #expect(throws: StoreError.self) { try await store.document("claimed/d").setData([:]) }
    auth.refresh(#"{"exp":99999999999,"admin":true}"#)
    try await store.document("claimed/d").setData([:])
    await store.terminate()
  }

  @Test func withoutAUserRequestAuthIsNull() async throws {
    let store = try await Self.prepared(TokenAuth(nil))
    await #expect(throws: StoreError.self) { try await store.document("users/ann").create(["name": "A"]) }
    await store.terminate()
  }

  @Test func theRoleOfAUserIsUnknownUnlessItIsCached() async throws {
    let (bob, eve) = (TokenAuth("bob"), TokenAuth("eve"))
    let unread = try await Self.prepared(bob)
    try await unread.document("roled/d").setData([:])
    try await unread.document("known/d").setData([:])
    await unread.terminate()
    let missing = try await Self.prepared(eve)
    await #expect(throws: StoreError.self) { try await missing.document("known/d").setData([:]) }
    // A pending write is sent first.
    try await missing.document("roles/eve").setData(["level": 3])
    try await missing.document("known/d").setData([:])
    try await missing.document("roled/d").setData([:])
    await missing.terminate()
  }

  // MARK: - Batches and transactions

  @Test(arguments: [(10, 10, true), (10, 9, false)]) func rulesReadTheDocumentsAfterTheBatch(
    _ counter: Int, _ pair: Int, isQueued: Bool
  ) async throws {
    let store = try await Self.prepared()
    let batch = store.batch()
    try batch.setData(["n": pair], forDocument: store.document("pairs/p"))
    try batch.setData(["n": counter], forDocument: store.document("counters/c"))
    if isQueued {
      try await batch.commit()
    } else {
      await #expect(throws: StoreError.self) { try await batch.commit() }
      #expect(try await store.queuedWrites.isEmpty)
      #expect(try await store.document("counters/c").getDocument(source: .cache).fields?["n"] == 9)
    }
    await store.terminate()
  }

  @Test func aWriteOfABatchSeesThoseBeforeIt() async throws {
    let store = try await Self.prepared()
    let batch = store.batch()
    try batch.setData(["owner": "bob"], forDocument: store.document("notes/hers"))
    try batch.deleteDocument(store.document("notes/hers"))
    await #expect(throws: StoreError.self) { try await batch.commit() }
    await store.terminate()
  }

  @Test func aTransactionIsRefusedOnceAndNotRepeated() async throws {
    let store = try await Self.prepared()
    let runs = Lock(0)
    let error = await #expect(throws: StoreError.self) {
      try await store.runTransaction { transaction in
        runs.withLock { $0 += 1 }
        let document = store.document("counters/c")
        let number = try await transaction.getDocument(document).fields?["n"]?.int64Value ?? 0
        try transaction.setData(["n": number + 2], forDocument: document)
      }
    }
    #expect(error?.code == .permissionDenied)
    #expect(runs.withLock { $0 } == 1)
    #expect(try await store.queuedWrites.isEmpty)
    await store.terminate()
  }

  // MARK: - Where they don't apply

  @Test func collectionsOfThisDeviceAndLocalOnlyDatabasesHaveNoRules() async throws {
    let store = makeStore(
      remote: FakeStoreRemote(), auth: TokenAuth("ann"), settings: try Self.settings(local: ["drafts"]))
    try await store.document("drafts/d").setData([:])
    await store.terminate()
    let local = makeStore(settings: try Self.settings())
    try await local.document("secrets/d").setData([:])
    await local.terminate()
  }

  @Test func settingsWithOtherRulesAreOthers() throws {
    let other = try SecurityRules(source: Self.source + "\n")
    #expect(try Self.settings() == Self.settings())
    #expect(try Self.settings() != Self.settings(true))
    #expect(try Self.settings() != StoreSettings(rules: .refuse(other)))
    #expect(try Self.settings() != StoreSettings())
  }
}
