import Foundation
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonRules
import TenonStore
import TenonTestSupport
import Testing

/// What Store refuses by the rules of the app is rejected by a backend with the same rules, and what it
/// queues although it knows all that the rules read is accepted.
@Suite(.limited) struct RulesOnDeviceTests {
  private static let source = """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{database}/documents {
        function role() { return get(/databases/$(database)/documents/roles/$(request.auth.uid)).data.role; }
        match /users/{user} {
          allow read;
          allow create: if request.auth.uid == user && request.resource.data.keys().hasOnly(['name']);
          allow update: if request.resource.data.diff(resource.data).affectedKeys().hasOnly(['name', 'tags', 'visits'])
            && request.resource.data.visits <= 3 && request.resource.data.tags.size() <= 2;
          allow delete: if role() == 'admin';
        }
        match /posts/{post} {
          allow read;
          allow create: if request.resource.data.author == request.auth.uid && request.resource.data.at == request.time;
          allow update: if role() in ['editor', 'admin'] && request.resource.data.author == resource.data.author;
          allow delete: if resource.data.author == request.auth.uid;
        }
        match /pairs/{pair} {
          allow read;
          allow write: if getAfter(/databases/$(database)/documents/totals/$(pair)).data.n == request.resource.data.n;
        }
        match /totals/{total} { allow read, write; }
        match /roles/{user} { allow read; }
        match /claims/{d} { allow read; allow write: if request.auth.token.level >= 2 && !('banned' in request.auth.token); }
      }
    }
    """

  private static let documents: [(path: String, fields: Fields)] = [
    ("users/ann", ["name": "Ann", "visits": 2, "tags": ["a"]]),
    ("users/bob", ["name": "Bob", "visits": 0, "tags": []]),
    ("roles/ann", ["role": "editor"]), ("posts/hers", ["author": "ann", "text": "a"]),
    ("posts/his", ["author": "bob", "text": "b"]), ("totals/p", ["n": 1]), ("pairs/p", ["n": 1]),
    ("claims/c", ["a": 1]),
  ]

  /// A write, and whether the rules allow it.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let isAllowed: Bool
    let write: @Sendable (Store) async throws -> WriteConfirmation

    init(
      _ name: String, _ isAllowed: Bool,
      _ write: @escaping @Sendable (Store) async throws -> WriteConfirmation
    ) {
      (testDescription, self.isAllowed, self.write) = (name, isAllowed, write)
    }
  }

  private static let cases: [Case] = [
    Case("another name", true) { try await $0.document("users/ann").updateData(["name": "A"]) },
    Case("another field", false) { try await $0.document("users/ann").updateData(["age": 1]) },
    Case("a replacement with another field", false) {
      try await $0.document("users/ann").setData(["name": "A", "visits": 2, "tags": ["a"], "age": 1])
    },
    Case("a replacement", true) {
      try await $0.document("users/ann").setData(["name": "A", "visits": 2, "tags": ["a"]])
    },
    Case("an increment up to the limit", true) {
      try await $0.document("users/ann").updateData(["visits": FieldValue.increment(1)])
    },
    Case("an increment beyond the limit", false) {
      try await $0.document("users/ann").updateData(["visits": FieldValue.increment(2)])
    },
    Case("an element that is there", true) {
      try await $0.document("users/ann").updateData(["tags": FieldValue.arrayUnion(["a", "b"])])
    },
    Case("too many elements", false) {
      try await $0.document("users/ann").updateData(["tags": FieldValue.arrayUnion(["b", "c"])])
    },
    Case("a deletion with the wrong role", false) { try await $0.document("users/bob").delete() },
    Case("a creation for another user", false) { try await $0.document("users/eve").create(["name": "E"]) },
    Case("a new post", true) {
      try await $0.document("posts/new").create(["author": "ann", "at": FieldValue.serverTimestamp()])
    },
    Case("a new post of another author", false) {
      try await $0.document("posts/new").create(["author": "bob", "at": FieldValue.serverTimestamp()])
    },
    Case("a new post with another time", false) {
      try await $0.document("posts/new").create(["author": "ann", "at": Timestamp(seconds: 5)])
    },
    Case("an edited post", true) { try await $0.document("posts/his").updateData(["text": "c"]) },
    Case("a post given away", false) { try await $0.document("posts/his").updateData(["author": "ann"]) },
    Case("the user's post", true) { try await $0.document("posts/hers").delete() },
    Case("another user's post", false) { try await $0.document("posts/his").delete() },
    Case("a claim", true) { try await $0.document("claims/c").setData(["a": 2]) },
    Case("a pair without its total", false) { try await $0.document("pairs/p").setData(["n": 2]) },
    Case("a pair with its total", true) { store in
      let batch = store.batch()
      try batch.setData(["n": 2], forDocument: store.document("pairs/p"))
      try batch.setData(["n": 2], forDocument: store.document("totals/p"))
      return try await batch.commit()
    },
    Case("no rule", false) { try await $0.document("secrets/s").setData([:]) },
  ]

  @Test(arguments: cases) func whatIsRefusedHereIsRejectedByTheBackend(_ example: Case) async throws {
    let app = try App.configure(
      name: "rules-\(UUID())",
      options: AppOptions(projectID: "demo-rules", backend: .embedded(directory: nil), data: .memory))
    do { try await check(example, app) } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  private func check(_ example: Case, _ app: App) async throws {
    struct Claims: Codable { var level: Int }
    let embedded = try Embedded.embedded(app: app)
    let rules = try SecurityRules(source: Self.source)
    for database in ["(default)", "plain"] {
      for (path, fields) in Self.documents {
        try await embedded.documents(database: database).set(path, fields)
      }
    }
    embedded.documentSecurityRules = rules
    let token = try embedded.customToken(for: "ann", claims: Claims(level: 2))
    try await Auth.auth(app: app).signIn(withCustomToken: token)

    // The same write in a database that asks the rules, and in one that doesn't.
    let checked = try Store.store(app: app, settings: StoreSettings(rules: .refuse(rules)))
    let plain = try Store.store(app: app, database: "plain")
    for (path, _) in Self.documents { _ = try await checked.document(path).getDocument(source: .server) }
    for path in ["users/eve", "posts/new"] {
      #expect(try await !checked.document(path).getDocument(source: .server).exists)
    }

    if example.isAllowed {
      try await example.write(checked).confirmed()
      try await example.write(plain).confirmed()
    } else {
      let refused = await #expect(throws: StoreError.self) { _ = try await example.write(checked) }
      #expect(refused?.code == .permissionDenied)
      #expect(try await checked.queuedWrites.isEmpty)
      let rejected = await #expect(throws: StoreError.self) { try await example.write(plain).confirmed() }
      #expect(rejected?.code == .permissionDenied)
    }
  }
}
