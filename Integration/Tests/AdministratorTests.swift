import Foundation
import TenonAdmin
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonFunctions
import TenonRules
import TenonStorage
import TenonStore
import TenonStoreSync
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// Store, Storage and Functions as an administrator, past the rules: on the embedded backend in the process, on
/// the served one, and on Google's Firestore emulator.
@Suite(.limited(of: .processes)) struct AdministratorTests {
  /// Rules that hide everything from everyone but administrators.
  private static let nothing = """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{database}/documents { match /{path=**} { allow read, write: if false; } }
    }
    """

  /// - Parameter id: part of the app's name. An app with the same one finds the files of the last one.
  private func withApp(
    _ options: AppOptions, id: String = UUID().uuidString, _ body: (App) async throws -> Void
  ) async throws {
    let app = try App.configure(name: "administrator-\(id)", options: options)
    do { try await body(app) } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  private func withEmbeddedApp(
    in directory: URL? = nil, _ body: (App, Embedded) async throws -> Void
  ) async throws {
    let options = AppOptions(
      projectID: "demo-admin", storageBucket: "demo.appspot.com",
      backend: .embedded(directory: directory.map { $0.appending(path: "backend").path }),
      data: directory.map { .directory($0.appending(path: "app").path) } ?? .memory)
    try await withApp(options, id: directory?.lastPathComponent ?? UUID().uuidString) { app in
      let embedded = try Embedded.embedded(app: app)
      embedded.documentSecurityRules = try SecurityRules(source: Self.nothing)
      embedded.onObjectAccess { _ in false }
      try await body(app, embedded)
    }
  }

  /// Writes and reads a document as an administrator, and checks that it is hidden from users.
  private func checkStore(of app: App) async throws {
    let (store, users) = (try Store.store(app: app, as: .admin), try Store.store(app: app))
    #expect(store !== users && store.authority == .admin && users.authority == .user)
    #expect(try Store.store(app: app, as: .admin) === store)
    let recipe = store.document("secrets/recipe")
    try await recipe.setData(["tea": "black"]).confirmed()
    #expect(try await recipe.getDocument(source: .server).fields?["tea"] == "black")
    let hidden = users.document("secrets/recipe")
    let error = await #expect(throws: StoreError.self) { try await hidden.getDocument(source: .server) }
    #expect(error?.code == .permissionDenied)
    #expect((try? await hidden.getDocument(source: .cache).exists) != true)
    // A listener, a query and a transaction.
    var snapshots = store.collection("secrets").snapshots(includeMetadataChanges: true).makeAsyncIterator()
    while let snapshot = try await snapshots.next(), snapshot.count != 1 || snapshot.metadata.isFromCache {}
    _ = try await store.runTransaction { transaction in
      let tea = try await transaction.getDocument(recipe).fields?["tea"]
      try transaction.setData(["tea": "green", "was": tea ?? .null], forDocument: recipe)
    }
    while let snapshot = try await snapshots.next(), snapshot.documents.first?.fields["was"] == nil {}
    #expect(try await store.collection("secrets").count.getAggregation(source: .server).count == 1)
  }

  @Test func aServerUsesDocumentsPastTheRulesOfTheEmbeddedBackend() async throws {
    try await withEmbeddedApp { app, _ in try await checkStore(of: app) }
  }

  @Test func usersWhoSignInAndOutDoNotMatter() async throws {
    try await withEmbeddedApp { app, _ in
      let store = try Store.store(app: app, as: .admin)
      let auth = try Auth.auth(app: app)
      try await store.disableNetwork()
      try await store.document("secrets/a").setData(["n": 1])
      _ = try await auth.signInAnonymously()
      #expect(try await store.currentUserID == nil)
      #expect(try await store.document("secrets/a").getDocument(source: .cache).exists)
      try await store.document("secrets/b").setData(["n": 2])
      #expect(try await store.queuedWrites.count == 2)
      #expect(try await Store.store(app: app).queuedWrites.isEmpty)
      try await auth.signOut()
      #expect(try await store.queuedWrites.count == 2)
      try await store.enableNetwork()
      try await store.waitForPendingWrites()
      #expect(try await store.rejectedWrites.isEmpty)
    }
  }

  @Test func theFilesOfAnAdministratorAreNotThoseOfUsers() async throws {
    try await withTemporaryDirectory { directory in
      for launch in 0..<2 {
        try await withEmbeddedApp(in: directory) { app, _ in
          let store = try Store.store(app: app, as: .admin)
          let recipe = store.document("secrets/recipe")
          // Written offline in the first launch, and sent in the second one.
          if launch == 0 {
            try await store.disableNetwork()
            try await recipe.setData(["tea": "black"])
          }
          #expect(try await recipe.getDocument(source: .cache).exists)
          let hidden = try Store.store(app: app).document("secrets/recipe")
          #expect((try? await hidden.getDocument(source: .cache).exists) != true)
          #expect(try Store.databases(app: app) == ["(default)"])
          if launch == 1 {
            try await store.waitForPendingWrites()
            #expect(try await recipe.getDocument(source: .server).exists)
          }
        }
      }
    }
  }

  @Test func rulesOnTheDeviceDoNotApply() async throws {
    try await withEmbeddedApp { app, _ in
      let rules = try SecurityRules(source: Self.nothing)
      let store = try Store.store(app: app, settings: StoreSettings(rules: .refuse(rules)), as: .admin)
      try await store.document("secrets/a").setData(["n": 1]).confirmed()
    }
  }

  @Test func aDatabaseOfThisDeviceAloneHasNoAdministrator() async throws {
    try await withEmbeddedApp { app, _ in
      let error = #expect(throws: StoreError.self) {
        try Store.store(app: app, settings: StoreSettings(isLocalOnly: true), as: .admin)
      }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func aServerUsesObjectsPastTheRulesAndBacksUpItsDocuments() async throws {
    try await withEmbeddedApp { app, embedded in
      embedded.settings.appCheckRequired = [.storage, .functions]
      let photo = try Storage.storage(app: app, as: .admin).reference(withPath: "photos/tea.jpg")
      _ = try await photo.putDataAsync(Data("tea".utf8))
      #expect(try await photo.data(maxSize: 100) == Data("tea".utf8))
      embedded.settings.appCheckRequired = []
      let error = await #expect(throws: StorageError.self) {
        try await Storage.storage(app: app).reference(withPath: "photos/tea.jpg").data(maxSize: 100)
      }
      #expect(error?.code == .unauthorized)
      let store = try Store.store(app: app, as: .admin)
      try await store.document("secrets/a").setData(["n": 1]).confirmed()
      try await store.backup(to: .storage(path: "backups/a.sqlite"))
      #expect(try await photo.root().child("backups/a.sqlite").getMetadata().size > 0)
    }
  }

  @Test func aFunctionThatAnAdministratorCallsHasNoUser() async throws {
    try await withEmbeddedApp { app, embedded in
      embedded.onCall("whoCalls") { (request: CallableRequest<Bool>) in request.auth?.uid ?? "nobody" }
      _ = try await Auth.auth(app: app).signInAnonymously()
      let functions = try Functions.functions(app: app, as: .admin)
      let call = functions.httpsCallable("whoCalls", requestAs: Bool.self, responseAs: String.self)
      #expect(try await call(true) == "nobody")
    }
  }

  /// StoreSync and Storage over HTTP, with `Bearer owner`.
  @Test func aServerUsesAnEmulatorPastItsRules() async throws {
    try await withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      let file = directory.appending(path: "firestore.rules")
      try Data(Self.nothing.utf8).write(to: file)
      try await withServedBackend(arguments: ["--rules", file.path]) { server in
        let hosts = EmulatorHosts(
          auth: server.address, functions: server.address, storage: server.address, firestore: server.address)
        let options = AppOptions(
          projectID: ServedBackend.project, apiKey: "any", storageBucket: "demo.appspot.com",
          backend: .emulator(hosts),
          data: .memory)
        try await withApp(options) { app in
          try await checkStore(of: app)
          let photo = try Storage.storage(app: app, as: .admin).reference(withPath: "photos/tea.jpg")
          _ = try await photo.putDataAsync(Data("tea".utf8))
          #expect(try await photo.data(maxSize: 100) == Data("tea".utf8))
        }
      }
    }
  }
}

/// Google's emulator, whose rules hide everything.
@Suite(.limited, .firestoreEmulator) struct AdministratorOnFirestoreTests {
  @Test func aServerUsesGooglesEmulatorPastItsRules() async throws {
    let project = "admin-\(UUID().uuidString.lowercased())"
    let emulator = try await FirestoreEmulator()
    defer { emulator.kill() }
    let origin = emulator.origin
    let rules = """
      service cloud.firestore {
        match /databases/{database}/documents { match /{path=**} { allow read, write: if false; } }
      }
      """
    let body: JSON = ["rules": ["files": [["name": "security.rules", "content": .string(rules)]]]]
    let request = TransportRequest(
      .put, origin.appending(path: "emulator/v1/projects/\(project):securityRules"),
      headers: HTTPHeaders([HTTPHeader(name: "Content-Type", value: "application/json")]),
      body: .data(try body.serialized))
    #expect(try await SystemTransport.shared.send(request).isSuccess)
    let host = "127.0.0.1:\(try #require(origin.port))"
    let app = try App.configure(
      name: project,
      options: AppOptions(
        projectID: project, apiKey: "any", backend: .emulator(EmulatorHosts(firestore: host)), data: .memory))
    let (store, users) = (try Store.store(app: app, as: .admin), try Store.store(app: app))
    try await explainingFailures(of: [store, users], on: emulator) {
      let recipe = store.document("secrets/recipe")
      try await recipe.setData(["tea": "black"]).confirmed()
      #expect(try await recipe.getDocument(source: .server).fields?["tea"] == "black")
      var snapshots = recipe.snapshots(includeMetadataChanges: true).makeAsyncIterator()
      while let snapshot = try await snapshots.next(), !snapshot.exists || snapshot.metadata.isFromCache {}
      let error = await #expect(throws: StoreError.self) {
        try await users.document("secrets/recipe").getDocument(source: .server)
      }
      #expect(error?.code == .permissionDenied)
      let refused = await #expect(throws: StoreError.self) {
        try await users.document("secrets/other").setData(["n": 1]).confirmed()
      }
      #expect(refused?.code == .permissionDenied)
    }
    await app.delete()
  }

  /// Runs an operation, and says what the databases wait for if it fails or is cancelled at its time limit:
  /// whether the emulator still answers, the pending writes, and what the emulator does.
  private func explainingFailures(
    of stores: [Store], on emulator: FirestoreEmulator, _ body: () async throws -> Void
  ) async throws {
    do { try await body() } catch {
      // The task of the test may be cancelled, which would end the questions as well.
      let report = await Task {
        let request = TransportRequest(.get, emulator.origin, deadline: .seconds(2))
        var lines: [String]
        do {
          lines = ["The emulator answers \(try await SystemTransport.shared.send(request).status)."]
        } catch {
          lines = ["The emulator doesn't answer: \(error)"]
        }
        for store in stores {
          do { lines.append("Pending: \(try await store.pendingWrites)") } catch { lines.append("\(error)") }
        }
        lines.append(await emulator.report())
        return lines.joined(separator: "\n")
      }.value
      Issue.record("\(error)\n\(report)")
      throw error
    }
  }
}
