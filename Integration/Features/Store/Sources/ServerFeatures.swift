package import IntegrationReport
package import TenonCore
import TenonStore
import TenonStoreInterop

/// What a program gives to apps that use a server.
package struct ServerUse: Sendable {
  /// Signs users in to an app; `nil` without Auth.
  let session: (@Sendable (App) throws -> UserSession)?
  /// The further components of an app, such as an App Check provider.
  let sources: @Sendable (AppOptions) -> [any ComponentSource]

  package init(
    session: (@Sendable (App) throws -> UserSession)? = nil,
    sources: @escaping @Sendable (AppOptions) -> [any ComponentSource] = { _ in [] }
  ) {
    self.session = session
    self.sources = sources
  }
}

/// What Store does with a server in another process, tried out in the same way in every combination of
/// products.
struct ServerFeatures {
  private static let project = "demo-store"
  private static let appID = "1:42:web:a1"
  private static let missing = "nothing is sent: StoreSync isn't linked"

  let use: ServerUse
  private let isLinked: Bool

  init(_ use: ServerUse, in app: App) {
    self.use = use
    isLinked = app.graph.libraries.contains { $0.name == "tenon-store-sync" }
  }

  func tried() async throws -> [IntegrationReport.Feature] {
    [
      .init("Remote of `.embedded`, `.emulator`, `.production`", try await remotes()),
      .init("With a server", try await isLinked ? synchronized() : withoutRemote()),
      .init(
        "A user's documents on a server that protects them", isLinked ? try await protected() : Self.missing),
      .init("Documents of a server that requires App Check", isLinked ? try await attested() : Self.missing),
    ]
  }

  /// Runs a closure with an app, and deletes the app afterwards.
  private func withApp<Result>(
    _ backend: AppBackend, _ body: (App) async throws -> Result
  ) async throws -> Result {
    let options = AppOptions(
      projectID: Self.project, apiKey: "any", appID: Self.appID, backend: backend, data: .memory)
    let app = try App.configure(name: "server-use", options: options, sources: use.sources(options))
    do {
      let result = try await body(app)
      await app.delete()
      return result
    } catch {
      await app.delete()
      throw error
    }
  }

  /// Returns the products that contribute the remote of each backend.
  private func remotes() async throws -> String {
    var names: [String] = []
    for backend in [
      .embedded(directory: nil), .emulator(EmulatorHosts(firestore: "127.0.0.1:1")), AppBackend.production,
    ] {
      do {
        names.append(
          try await withApp(backend) { app in
            let remotes = try app.resolveAll((any StoreRemote).self).map { remote in
              // For example `TenonStoreSync.FirestoreRemote`.
              String(reflecting: type(of: remote)).split(separator: ".")[0].dropFirst("Tenon".count)
            }
            return remotes.isEmpty ? "none" : remotes.joined(separator: " and ")
          })
      } catch is ConfigurationError {
        // The backend itself isn't linked.
        names.append("none")
      }
    }
    return names.joined(separator: ", ")
  }

  /// Returns what happens without a remote, if it is the same with an emulator and in production.
  private func withoutRemote() async throws -> String {
    var outcomes: [String] = []
    for backend in [.emulator(EmulatorHosts(firestore: "127.0.0.1:1")), AppBackend.production] {
      outcomes.append(
        try await withApp(backend) { app in
          let store = try Store.store(app: app)
          try await store.document("notes/n").setData(["n": 1])
          let isQueued = try await store.queuedWrites.count == 1
          let isRead = try await store.document("notes/n").getDocument().exists
          let refused = await refusals(of: store)
          return (isQueued ? "writes wait" : "writes are lost")
            + (isRead ? ", reads come from this device" : ", reads fail") + ", the rest is \(refused)"
        })
    }
    return outcomes[0] == outcomes[1] ? outcomes[0] : outcomes.joined(separator: "; in production: ")
  }

  /// Returns how the calls fail that promise the server's answer.
  private func refusals(of store: Store) async -> String {
    var found: Set<String> = []
    for call in [
      { try await store.waitForPendingWrites() },
      { _ = try await store.document("notes/n").getDocument(source: .server) },
      { _ = try await store.collection("notes").getDocuments(source: .server) },
    ] {
      do {
        try await call()
        found.insert("accepted")
      } catch let error as StoreError {
        let advice = "Link TenonStoreSync"
        found.insert(
          "rejected (`\(error.code.rawValue)`)" + (error.message.contains(advice) ? ": “\(advice)”" : ""))
      } catch { found.insert("failed") }
    }
    return found.sorted().joined(separator: " or ")
  }

  /// Returns whether another device receives what one writes.
  private func synchronized() async throws -> String {
    try await Launch.withServer(project: Self.project) { address in
      let backend = AppBackend.emulator(EmulatorHosts(auth: address, firestore: address))
      return try await withApp(backend) { app in
        let other = try App.configure(name: "server-use-2", options: app.options)
        defer { Task { await other.delete() } }
        let listening = try Store.store(app: other).collection("notes").snapshots
        let store = try Store.store(app: app)
        try await store.document("notes/n").setData(["n": 1]).confirmed()
        for try await snapshot in listening where !snapshot.metadata.isFromCache && snapshot.count == 1 {
          return "writes are sent, another device receives them"
        }
        return "writes are sent, another device doesn't receive them"
      }
    }
  }

  /// Returns whether a user may write the user's own documents.
  private func protected() async throws -> String {
    try await Launch.withServer(project: Self.project, arguments: ["--protect-documents"]) { address in
      try await withApp(.emulator(EmulatorHosts(auth: address, firestore: address))) { app in
        let user = try await use.session?(app).signIn() ?? "nobody"
        let store = try Store.store(app: app)
        return try await outcome { try await store.document("users/\(user)").setData(["n": 1]).confirmed() }
      }
    }
  }

  /// Returns whether documents can be read where App Check is required.
  private func attested() async throws -> String {
    try await Launch.withServer(project: Self.project, arguments: ["--require-app-check"]) { address in
      try await withApp(.emulator(EmulatorHosts(auth: address, firestore: address))) { app in
        let store = try Store.store(app: app)
        return try await outcome { _ = try await store.document("notes/n").getDocument(source: .server) }
      }
    }
  }

  private func outcome(_ request: () async throws -> Void) async throws -> String {
    do {
      try await request()
      return "accepted"
    } catch let error as StoreError { return "rejected (`\(error.code.rawValue)`)" }
  }
}
