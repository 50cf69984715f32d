import Foundation
import TenonAuth
import TenonAuthInterop
import TenonCore
import TenonEmbedded
import TenonFunctions
import TenonStorage
import TenonStorageInterop
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

/// Several products, with their real protocols and the embedded backend.
@Suite(.limited) struct ProductsTests {
  /// Runs a closure with an app that has every linked product.
  private func withApp<Result>(
    _ backend: AppBackend = .embedded(directory: nil),
    bucket: String? = nil,
    _ body: (App) async throws -> Result
  ) async throws -> Result {
    let app = try App.configure(
      name: "app-\(UUID())",
      options: AppOptions(projectID: "demo-products", storageBucket: bucket, backend: backend)
    )
    do {
      let result = try await body(app)
      await app.delete()
      return result
    } catch {
      await app.delete()
      throw error
    }
  }

  @Test func authFulfilsTheContractOfItsInterop() async throws {
    try await withApp { app in
      let auth = try Auth.auth(app: app)
      try await AuthInteropContract.check(
        try app.resolve((any AuthInterop).self),
        signIn: { try await auth.createUser(withEmail: "a@b.c", password: "secret!") },
        signOut: { try await auth.signOut() }
      )
    }
  }

  @Test func storageFulfilsTheContractOfItsInterop() async throws {
    try await withApp(bucket: "demo.appspot.com") { app in
      try await StorageInteropContract.check(
        try app.resolve((any StorageInterop).self),
        otherBucket: "other-bucket"
      )
    }
  }

  @Test func aDownloadURLOfTheEmbeddedBackendIsResolvedByTheAppsTransport() async throws {
    try await withApp(bucket: "demo.appspot.com") { app in
      let storage = try Storage.storage(app: app)
      let photo = storage.reference(withPath: "photos/tea 1.png")
      try await photo.putDataAsync(Data("tea".utf8))
      let url = try await photo.downloadURL()
      #expect(url.scheme == "tenon-embedded")
      #expect(try await storage.reference(for: url).data() == Data("tea".utf8))
      let transport = try app.resolve((any TransportInterop).self)
      let response = try await transport.send(TransportRequest(.get, url))
      #expect(response.status == 200 && response.body == Data("tea".utf8))
    }
  }

  @Test func theEmbeddedBackendFulfilsTheContractOfTransport() async throws {
    try await withApp { app in
      try Embedded.embedded(app: app).onCall("echo") { (request: CallableRequest<String>) in request.data }
      try Embedded.embedded(app: app).onCall("never") { (_: CallableRequest<String>) in
        try await Task.sleep(for: .seconds(3600))
      }
      func call(_ name: String) throws -> TransportRequest {
        let url = try #require(URL(string: "https://us-central1-demo-products.cloudfunctions.net/\(name)"))
        let type = HTTPHeaders([HTTPHeader(name: "Content-Type", value: "application/json")])
        return TransportRequest(.post, url, headers: type, body: .data(Data(#"{"data":"hi"}"#.utf8)))
      }
      try await TransportInteropContract.check(
        try app.resolve((any TransportInterop).self),
        found: try call("echo"),
        missing: try call("missing"),
        unanswered: try call("never")
      )
    }
  }

  @Test func aSessionSurvivesARestart() async throws {
    try await withTemporaryDirectory { directory in
      let backend = AppBackend.embedded(directory: directory.path)
      // The session belongs to the app with this name.
      func configure() throws -> App {
        try App.configure(name: "restart", options: AppOptions(projectID: "demo-products", backend: backend))
      }
      let first = try configure()
      let user = try await Auth.auth(app: first).createUser(
        withEmail: "ada@example.com", password: "lovelace"
      ).user
      await first.delete()
      let second = try configure()
      let restored = try Auth.auth(app: second).currentUser
      #expect(restored == user && restored?.email == user.email && restored?.metadata == user.metadata)
      #expect(restored?.providerData == user.providerData)
      #expect(try await Auth.auth(app: second).currentUser?.getIDToken(forcingRefresh: true) != nil)
      try await Auth.auth(app: second).signOut()
      #expect(
        try await Auth.auth(app: second).signIn(withEmail: "ada@example.com", password: "lovelace").user.uid
          == user.uid
      )
      let thrown = await #expect(throws: AuthError.self) {
        try await Auth.auth(app: second).signIn(withEmail: "ada@example.com", password: "wrong!")
      }
      #expect(thrown?.code == .wrongPassword)
      await second.delete()
    }
  }

  struct Order: Codable, Sendable, Equatable {
    var item: String
    var count: Int64
    var due: Date
  }

  @Test func valuesAreUnchangedByAFunctionCall() async throws {
    try await withApp { app in
      try Embedded.embedded(app: app).onCall("double") { (request: CallableRequest<Order>) in
        Order(item: request.data.item + "!", count: request.data.count &- 1, due: request.data.due + 0.5)
      }
      let order = Order(item: "té\u{0}\"", count: .min, due: Date(timeIntervalSince1970: 1.25))
      let answer = try await Functions.functions(app: app).httpsCallable(
        "double", requestAs: Order.self, responseAs: Order.self)(order)
      #expect(answer == Order(item: "té\u{0}\"!", count: .max, due: Date(timeIntervalSince1970: 1.75)))
    }
  }

  @Test func aFunctionRejectsACallWithItsReason() async throws {
    try await withApp { app in
      let embedded = try Embedded.embedded(app: app)
      embedded.onCall("refuse") { (_: CallableRequest<Int?>) in
        throw CallableError(.failedPrecondition, "The shop is closed.", details: ["opens": 8])
      }
      embedded.onCall("break") { (_: CallableRequest<Int?>) in throw CocoaError(.fileReadUnknown) }
      let functions = try Functions.functions(app: app)
      let refusal = await #expect(throws: FunctionsError.self) {
        try await functions.httpsCallable("refuse").call(1)
      }
      #expect(refusal?.code == .failedPrecondition && refusal?.message == "The shop is closed.")
      #expect(try refusal?.details(as: [String: Int].self) == ["opens": 8])
      #expect(
        await #expect(throws: FunctionsError.self) { try await functions.httpsCallable("break").call(1) }?
          .code == .internal
      )
      #expect(
        await #expect(throws: FunctionsError.self) { try await functions.httpsCallable("missing").call(1) }?
          .code
          == .notFound
      )
      let mismatch = await #expect(throws: FunctionsError.self) {
        try await functions.httpsCallable("refuse").call("text")
      }
      #expect(mismatch?.code == .invalidArgument)
    }
  }

  @Test func aCallEndsAtItsTimeoutAndWhenItIsCancelled() async throws {
    try await withApp { app in
      let (calls, called) = AsyncStream<Void>.makeStream()
      let embedded = try Embedded.embedded(app: app)
      // On a busy machine, the deadline may pass before the function is called.
      embedded.onCall("never") { (_: CallableRequest<Int>) in try await Task.sleep(for: .seconds(3600)) }
      embedded.onCall("begins") { (_: CallableRequest<Int>) in
        called.yield()
        try await Task.sleep(for: .seconds(3600))
      }
      let functions = try Functions.functions(app: app)
      let thrown = await #expect(throws: FunctionsError.self) {
        let never = functions.httpsCallable("never")
        never.timeoutInterval = .milliseconds(50)
        try await never.call(1)
      }
      #expect(thrown?.code == .deadlineExceeded)
      let call = Task { try await functions.httpsCallable("begins").call(1) }
      var iterator = calls.makeAsyncIterator()
      await iterator.next()
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
    }
  }

  @Test func objectsAreStoredWithTheirMetadataAndListed() async throws {
    try await withTemporaryDirectory { directory in
      let backend = AppBackend.embedded(directory: directory.path)
      let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
      try await withApp(backend) { app in
        let storage = try Storage.storage(app: app)
        let photo = storage.reference(withPath: "photos/a b/tea ü.jpg")
        let metadata = try await photo.putDataAsync(
          content,
          metadata: StorageMetadata(contentType: "image/jpeg", customMetadata: ["k": "v"])
        )
        #expect(metadata.size == 100_000 && metadata.contentType == "image/jpeg" && metadata.md5Hash != nil)
        try await storage.reference(withPath: "photos/z.txt").putDataAsync(Data("z".utf8))
        var changed = metadata
        changed.cacheControl = "no-store"
        changed.customMetadata = nil
        try await photo.updateMetadata(changed)
      }
      try await withApp(backend) { app in
        let storage = try Storage.storage(app: app)
        let photo = storage.reference(withPath: "photos/a b/tea ü.jpg")
        #expect(try await photo.data() == content)
        let metadata = try await photo.getMetadata()
        #expect(
          metadata.cacheControl == "no-store" && metadata.customMetadata == nil
            && metadata.contentType == "image/jpeg"
        )
        let list = try await storage.reference(withPath: "photos").listAll()
        #expect(list.prefixes.map(\.fullPath) == ["photos/a b"] && list.items.map(\.name) == ["z.txt"])
        let page = try await storage.reference(withPath: "photos").list(maxResults: 1)
        #expect(page.items.count + page.prefixes.count == 1 && page.pageToken != nil)
        try await photo.delete()
        #expect(await #expect(throws: StorageError.self) { try await photo.data() }?.code == .objectNotFound)
      }
    }
  }

  @Test(.deep) func aLargeFileIsUploadedInChunksAndDownloadedCompletely() async throws {
    try await withTemporaryDirectory { directory in
      let source = directory.appending(path: "source")
      let copy = directory.appending(path: "copy")
      var content = Data(repeating: 1, count: 20 << 20)
      for index in stride(from: 0, to: content.count, by: 4093) {
        content[index] = UInt8(truncatingIfNeeded: index)
      }
      try content.write(to: source)
      try await withApp(.embedded(directory: directory.appending(path: "backend").path)) { app in
        let object = try Storage.storage(app: app).reference(withPath: "large")
        let metadata = try await object.putFileAsync(from: source)
        #expect(metadata.size == Int64(content.count))
        try await object.writeAsync(toFile: copy)
        #expect(try Data(contentsOf: copy) == content)
        // A failed download leaves the file unchanged.
        try await object.delete()
        await #expect(throws: StorageError.self) { try await object.writeAsync(toFile: copy) }
        #expect(try Data(contentsOf: copy) == content)
        #expect(
          try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == [
            "backend", "copy", "source",
          ]
        )
      }
    }
  }
}
