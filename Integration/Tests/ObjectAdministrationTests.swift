import Foundation
import TenonAdmin
import TenonCore
import TenonEmbedded
import TenonStorage
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// Copies, moves and signed URLs of objects that are hidden from users, on the embedded backend in the process
/// and on the served one.
@Suite(.limited(of: .processes)) struct ObjectAdministrationTests {
  private func withApp(_ backend: AppBackend, _ body: (App) async throws -> Void) async throws {
    let options = AppOptions(
      projectID: ServedBackend.project, apiKey: "any", storageBucket: "demo.appspot.com", backend: backend,
      data: .memory)
    let app = try App.configure(name: "objects-\(UUID().uuidString)", options: options)
    do { try await body(app) } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  /// Copies and moves an object, with preconditions that hold and don't.
  private func checkCopies(of app: App) async throws {
    let storage = try Storage.storage(app: app, as: .admin)
    let (tea, copy, moved) = (
      storage.reference(withPath: "a b/tea"), storage.reference(withPath: "ü/copy"),
      storage.reference(withPath: "moved")
    )
    #expect(try await !tea.exists())
    let metadata = StorageMetadata(contentType: "text/plain", customMetadata: ["k": "v"])
    let original = try await tea.putDataAsync(Data("leaves".utf8), metadata: metadata)
    #expect(try await tea.exists())
    let copied = try await tea.copy(to: copy, ifGeneration: original.generation, ifTargetGeneration: 0)
    #expect(try await copy.data() == Data("leaves".utf8))
    #expect(copied.customMetadata == ["k": "v"] && copied.contentType == "text/plain")
    #expect(try await copy.getMetadata().generation == copied.generation)
    for attempt in [
      { try await tea.copy(to: copy, ifTargetGeneration: 0) },
      { try await tea.copy(to: copy, ifGeneration: 1) },
      { try await tea.move(to: copy, ifTargetGeneration: 0) },
      { try await tea.move(to: moved, ifGeneration: 1) },
    ] {
      let error = await #expect(throws: StorageError.self) { _ = try await attempt() }
      #expect(error?.code == .preconditionFailed)
    }
    let other = try Storage.storage(app: app, url: "gs://other-bucket", as: .admin).reference(withPath: "x")
    _ = try await other.putDataAsync(Data("old".utf8))
    let replaced = try await tea.copy(
      to: other, metadata: StorageMetadata(contentType: "text/html", customMetadata: ["n": "1"]))
    #expect(replaced.contentType == "text/html" && replaced.customMetadata == ["n": "1"])
    #expect(try await other.data() == Data("leaves".utf8))
    let result = try await tea.move(to: moved, ifGeneration: original.generation)
    #expect(result.path == "moved" && result.md5Hash == original.md5Hash)
    #expect(try await !tea.exists())
    #expect(try await moved.data() == Data("leaves".utf8))
    let missing = await #expect(throws: StorageError.self) { try await tea.copy(to: copy) }
    #expect(missing?.code == .objectNotFound)
  }

  /// Uses signed URLs for what they permit and for what they don't.
  private func checkSignedURLs(
    of app: App,
    _ send: @Sendable (HTTPMethod, URL, [String: String], String?) async throws -> TransportResponse
  ) async throws {
    let object = try Storage.storage(app: app, as: .admin).reference(withPath: "a b/ü+&=?#%")
    // The bucket exists when it has had an object.
    _ = try await object.root().child("first").putDataAsync(Data())
    let upload = try await object.signedURL(
      .put, expiresIn: .seconds(60), headers: ["Content-Type": "text/plain", "x-goog-meta-k": "a  b"])
    let fields = ["Content-Type": "text/plain", "x-goog-meta-k": "a b"]
    #expect(try await send(.put, upload, [:], "tea").status == 403)
    #expect(try await send(.put, upload, fields, "tea").status == 200)
    #expect(try await object.getMetadata().contentType == "text/plain")
    let url = try await object.signedURL(
      expiresIn: .seconds(60), responseContentType: "text/html; charset=utf-8",
      responseContentDisposition: #"attachment; filename="ä.txt""#)
    let response = try await send(.get, url, [:], nil)
    #expect(response.status == 200 && response.body == Data("tea".utf8))
    #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
    #expect(response.headers["Content-Disposition"] == #"attachment; filename="ä.txt""#)
    let delete = try await object.signedURL(.delete, expiresIn: .seconds(60))
    #expect(try await send(.delete, delete, [:], nil).status == 204)
    #expect(try await !object.exists())
  }

  @Test func theEmbeddedBackendCopiesAndMoves() async throws {
    try await withApp(.embedded(directory: nil)) { app in
      try Embedded.embedded(app: app).onObjectAccess { _ in false }
      try await checkCopies(of: app)
    }
  }

  @Test func aSignedURLIsLoadedWithTheAppsTransport() async throws {
    try await withApp(.embedded(directory: nil)) { app in
      let embedded = try Embedded.embedded(app: app)
      embedded.onObjectAccess { _ in false }
      try await checkSignedURLs(of: app) { method, url, fields, body in
        #expect(url.scheme == "tenon-embedded")
        let headers = HTTPHeaders(fields.map { HTTPHeader(name: $0.key, value: $0.value) })
        return try await embedded.send(
          TransportRequest(method, url, headers: headers, body: body.map { .data(Data($0.utf8)) } ?? .none))
      }
    }
  }

  @Test func aServerCopiesAndAnyClientUsesItsSignedURLs() async throws {
    try await withServedBackend { server in
      try await withApp(.emulator(EmulatorHosts(storage: server.address))) { app in
        try await checkCopies(of: app)
        try await checkSignedURLs(of: app) { method, url, fields, body in
          let headers = HTTPHeaders(fields.map { HTTPHeader(name: $0.key, value: $0.value) })
          return try await SystemTransport.shared.send(
            TransportRequest(method, url, headers: headers, body: body.map { .data(Data($0.utf8)) } ?? .none))
        }
      }
    }
  }

  @Test func usersCanDoNeither() async throws {
    try await withApp(.embedded(directory: nil)) { app in
      let storage = try Storage.storage(app: app)
      let object = storage.reference(withPath: "a")
      _ = try await object.putDataAsync(Data("x".utf8))
      for attempt in [
        { _ = try await object.copy(to: storage.reference(withPath: "b")) },
        { _ = try await object.move(to: storage.reference(withPath: "b")) },
        { _ = try await object.signedURL(expiresIn: .seconds(1)) },
      ] as [() async throws -> Void] {
        let error = await #expect(throws: StorageError.self) { try await attempt() }
        #expect(error?.code == .unauthorized)
      }
      #expect(try await object.exists())
    }
  }
}
