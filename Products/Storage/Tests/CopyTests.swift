import Foundation
import TenonCore
import TenonFoundation
import TenonJSON
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

/// Copies and moves, which the server makes, and whether an object exists.
@Suite(.limited) struct CopyTests {
  private static let service = "https://storage.googleapis.com/storage/v1"

  /// An answer of `rewriteTo`.
  private static func answer(
    _ name: String = "t", bucket: String = "b.c", more: String = ""
  ) -> TransportResponse {
    let resource = metadataText(name, bucket: bucket, more)
    return TransportResponse(status: 200, body: Data(#"{"done": true, "resource": \#(resource)}"#.utf8))
  }

  private static func body(_ request: TransportRequest?) throws -> JSON? {
    guard case .data(let data)? = request?.body else { return nil }
    return try JSON(parsing: data)
  }

  @Test func theServerCopiesTheObject() async throws {
    let transport = FakeTransport { _ in
      Self.answer("x/ü", more: #""metadata": {"k": "v", "firebaseStorageDownloadTokens": "t1,t2"}"#)
    }
    let storage = try administratorsBucket(transport)
    let copy = try await storage.reference(withPath: "a b/c").copy(to: storage.reference(withPath: "x/ü"))
    let request = try #require(transport.requests.first)
    #expect(request.method == .post && transport.requests.count == 1)
    #expect(request.url.absoluteString == "\(Self.service)/b/b.c/o/a%20b%2Fc/rewriteTo/b/b.c/o/x%2F%C3%BC")
    #expect(request.headers["Authorization"] == "Bearer admin-token-1")
    #expect(try Self.body(request) == nil)
    #expect(copy.path == "x/ü" && copy.customMetadata == ["k": "v"] && copy.downloadTokens == ["t1", "t2"])
  }

  @Test func settingsAndGenerationsAreSent() async throws {
    let transport = FakeTransport { _ in Self.answer() }
    let storage = try administratorsBucket(transport)
    try await storage.reference(withPath: "a").copy(
      to: storage.reference(withPath: "t"),
      metadata: StorageMetadata(contentType: "text/plain", customMetadata: ["k": "v"]), ifGeneration: 7,
      ifTargetGeneration: 0)
    let request = try #require(transport.requests.first)
    #expect(request.url.query() == "ifSourceGenerationMatch=7&ifGenerationMatch=0")
    #expect(request.headers["Content-Type"] == "application/json; charset=utf-8")
    #expect(try Self.body(request) == ["contentType": "text/plain", "metadata": ["k": "v"]])
  }

  @Test func aLargeObjectIsCopiedInSeveralRequests() async throws {
    let transport = FakeTransport { request in
      let query = request.url.query() ?? ""
      if query.contains("rewriteToken=b%2F") { return Self.answer() }
      let (count, token) = query.contains("rewriteToken=a") ? (2, "b/") : (1, "a")
      return TransportResponse(
        status: 200,
        body: Data(#"{"done": false, "totalBytesRewritten": "\#(count)", "rewriteToken": "\#(token)"}"#.utf8))
    }
    let storage = try administratorsBucket(transport)
    let copy = try await storage.reference(withPath: "a").copy(
      to: storage.reference(withPath: "t"), ifGeneration: 1)
    #expect(copy.path == "t")
    #expect(
      transport.requests.map { $0.url.query() } == [
        "ifSourceGenerationMatch=1", "ifSourceGenerationMatch=1&rewriteToken=a",
        "ifSourceGenerationMatch=1&rewriteToken=b%2F",
      ])
  }

  @Test(
    arguments: [
      "{}", #"{"done": false, "totalBytesRewritten": "1", "rewriteToken": "a"}"#,
      #"{"done": false, "totalBytesRewritten": "1"}"#, #"{"done": false, "rewriteToken": "a"}"#,
      #"{"done": true}"#, #"{"done": true, "resource": {"name": "other"}}"#,
      #"{"done": false, "totalBytesRewritten": "99999999999999999999", "rewriteToken": "a"}"#,
    ])
  func aCopyThatDoesNotAdvanceEnds(answer: String) async throws {
    let transport = FakeTransport { _ in TransportResponse(status: 200, body: Data(answer.utf8)) }
    let storage = try administratorsBucket(transport)
    let error = await #expect(throws: StorageError.self) {
      try await storage.reference(withPath: "a").copy(to: storage.reference(withPath: "t"))
    }
    #expect(error?.code == .unknown && transport.requests.count <= 2)
  }

  @Test func aGenerationThatIsAnotherOneIsAPrecondition() async throws {
    let transport = FakeTransport { _ in
      TransportResponse(status: 412, body: Data(#"{"error": {"message": "conditionNotMet"}}"#.utf8))
    }
    let storage = try administratorsBucket(transport)
    for operation in [false, true] {
      let error = await #expect(throws: StorageError.self) {
        let (object, target) = (storage.reference(withPath: "a"), storage.reference(withPath: "t"))
        if operation {
          try await object.copy(to: target, ifTargetGeneration: 0)
        } else {
          try await object.move(to: target, ifTargetGeneration: 0)
        }
      }
      #expect(error?.code == .preconditionFailed && error?.message.contains("conditionNotMet") == true)
    }
  }

  /// A request that was carried out, and whose response was lost, would fail if it were repeated.
  @Test func onlyARequestThatCanBeRepeatedIsRepeated() async throws {
    func count(_ operation: (StorageReference, StorageReference) async throws -> Void) async throws -> Int {
      let isFirst = Lock(true)
      let transport = FakeTransport { _ in
        let first = isFirst.withLock { value in
          defer { value = false }
          return value
        }
        return first ? TransportResponse(status: 503) : Self.answer()
      }
      let storage = try administratorsBucket(transport, time: .withoutDelays)
      try? await operation(storage.reference(withPath: "a"), storage.reference(withPath: "t"))
      return transport.requests.count
    }
    let repeated = try await count { try await $0.copy(to: $1) }
    #expect(repeated == 2)
    #expect(try await count { try await $0.copy(to: $1, ifGeneration: 1) } == 2)
    #expect(try await count { try await $0.copy(to: $1, ifTargetGeneration: 0) } == 1)
    #expect(try await count { try await $0.move(to: $1) } == 1)
  }

  @Test func theServerMovesTheObject() async throws {
    let transport = FakeTransport { _ in metadataResponse("x/y") }
    let storage = try administratorsBucket(transport)
    let moved = try await storage.reference(withPath: "a/b").move(
      to: storage.reference(withPath: "x/y"), ifGeneration: 3)
    let request = try #require(transport.requests.first)
    #expect(
      request.url.absoluteString
        == "\(Self.service)/b/b.c/o/a%2Fb/moveTo/o/x%2Fy?ifSourceGenerationMatch=3")
    #expect(request.method == .post && moved.path == "x/y")
  }

  @Test func aMoveStaysInItsBucketAndHasAnotherPath() async throws {
    let transport = FakeTransport { _ in metadataResponse("a") }
    let storage = try administratorsBucket(transport)
    let object = storage.reference(withPath: "a")
    let context = AppContext(
      name: "tests", options: AppOptions(projectID: "demo", storageBucket: "other"), userAgent: "")
    let other = try StorageInstances(
      app: context, auth: nil, appCheck: nil, transport: transport, admin: { FakeAdmin() }
    ).storage(bucket: nil, as: .admin)
    for target in [other.reference(withPath: "t"), object, storage.reference(withPath: "/a/")] {
      let error = await #expect(throws: StorageError.self) { try await object.move(to: target) }
      #expect(error?.code == .invalidArgument)
    }
    #expect(transport.requests.isEmpty)
  }

  @Test func wrongArgumentsAreRefusedBeforeARequest() async throws {
    let transport = FakeTransport { _ in Self.answer() }
    let storage = try administratorsBucket(transport)
    let (object, target) = (storage.reference(withPath: "a"), storage.reference(withPath: "t"))
    let foreign = try administratorsBucket(transport, app: "another").reference(withPath: "t")
    let attempts: [(StorageError.Code, () async throws -> Void)] = [
      (.invalidArgument, { try await object.copy(to: storage.reference()) }),
      (.invalidArgument, { try await storage.reference().copy(to: target) }),
      (.pathError, { try await object.copy(to: storage.reference(withPath: "a\nb")) }),
      (.invalidArgument, { try await object.copy(to: foreign) }),
      (.invalidArgument, { try await object.copy(to: target, ifGeneration: -1) }),
      (.invalidArgument, { try await object.move(to: target, ifTargetGeneration: -1) }),
      (
        .invalidArgument,
        { try await object.copy(to: target, metadata: StorageMetadata(contentType: "a\r\nb")) }
      ),
    ]
    for (code, attempt) in attempts {
      let error = await #expect(throws: StorageError.self) { try await attempt() }
      #expect(error?.code == code)
    }
    #expect(transport.requests.isEmpty)
  }

  @Test func usersCannotCopyOrMove() async throws {
    let transport = FakeTransport { _ in Self.answer() }
    let storage = try administratorsBucket(transport, as: .user)
    let (object, target) = (storage.reference(withPath: "a"), storage.reference(withPath: "t"))
    for isCopy in [true, false] {
      let error = await #expect(throws: StorageError.self) {
        if isCopy { try await object.copy(to: target) } else { try await object.move(to: target) }
      }
      #expect(error?.code == .unauthorized && error?.message.contains("Storage.storage(as: .admin)") == true)
    }
    #expect(transport.requests.isEmpty)
  }

  @Test func anEmulatorCopiesAtItsOwnAddress() async throws {
    let transport = FakeTransport { _ in Self.answer() }
    let storage = try administratorsBucket(
      transport, backend: .emulator(EmulatorHosts(storage: "storage:9199")))
    try await storage.reference(withPath: "a").copy(to: storage.reference(withPath: "t"))
    let request = try #require(transport.requests.first)
    #expect(request.url.absoluteString == "http://storage:9199/storage/v1/b/b.c/o/a/rewriteTo/b/b.c/o/t")
    #expect(request.headers["Authorization"] == "Bearer owner")
  }

  @Test func anObjectExistsOrNot() async throws {
    let status = Lock(200)
    let transport = FakeTransport { _ in
      let status = status.withLock(\.self)
      return status == 200 ? metadataResponse("a") : TransportResponse(status: status)
    }
    let object = try bucket(transport).reference(withPath: "a")
    #expect(try await object.exists())
    status.withLock { $0 = 404 }
    #expect(try await !object.exists())
    status.withLock { $0 = 403 }
    let error = await #expect(throws: StorageError.self) { try await object.exists() }
    #expect(error?.code == .unauthorized)
    let root = await #expect(throws: StorageError.self) { try await object.root().exists() }
    #expect(root?.code == .invalidArgument)
  }
}
