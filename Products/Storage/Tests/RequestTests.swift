import Foundation
import TenonCore
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

struct RequestTests {
  /// A bucket over a transport that answers each request in turn; the last answer is repeated.
  private func storage(
    _ answers: [HTTPResponse],
    options: AppOptions = AppOptions(
      projectID: "demo",
      appID: "1:2:web:ab",
      storageBucket: "demo.appspot.com"
    ),
    auth: FakeAuth? = nil,
    appCheck: FakeAppCheck? = nil
  ) throws -> (storage: Storage, transport: FakeTransport) {
    let rest = Lock(answers)
    let transport = FakeTransport { _ in rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
    let context = AppContext(name: "tests", options: options, userAgent: "tenon-tests/1")
    let instances = try StorageInstances(app: context, auth: auth, appCheck: appCheck, transport: transport)
    return (try instances.storage(bucket: nil), transport)
  }

  private func answer(_ status: Int = 200, _ body: String = "{}") -> HTTPResponse {
    HTTPResponse(status: status, body: Data(body.utf8))
  }

  private static let base = "https://firebasestorage.googleapis.com/v0/b/demo.appspot.com/o"

  @Test(
    arguments: [
      ("a/b.txt", "a%2Fb.txt"), ("/a//b c/", "a%2Fb%20c"), ("ü+%?#&.md", "%C3%BC%2B%25%3F%23%26.md"),
      ("keep-._~!$'()*,=:@", "keep-._~!$'()*,=:@"),
    ])
  func aPathIsOneSegment(path: String, segment: String) async throws {
    let (storage, transport) = try storage([answer()])
    _ = try await storage.reference(path).metadata()
    #expect(transport.requests.map(\.url.absoluteString) == ["\(Self.base)/\(segment)"])
    #expect(transport.requests.first?.method == .get)
    #expect(transport.requests.first?.headers["X-Firebase-GMPID"] == "1:2:web:ab")
  }

  @Test func anUploadHoldsMetadataAndContent() async throws {
    let (storage, transport) = try storage([answer(200, #"{"name": "a/b", "size": "3", "generation": "7"}"#)])
    let content = Data([0, 13, 10, 45, 45])
    let metadata = try await storage.reference("a/b+c").put(
      content,
      metadata: StorageMetadata(contentType: "text/plain", custom: ["k": "v"])
    )
    #expect(metadata.size == 3 && metadata.generation == 7 && metadata.path == "a/b")
    let request = try #require(transport.requests.first)
    #expect(request.method == .post && request.url.absoluteString == "\(Self.base)?name=a%2Fb%2Bc")
    #expect(request.headers["X-Goog-Upload-Protocol"] == "multipart")
    let boundary = try #require(request.headers["Content-Type"]?.split(separator: "boundary=").last)
    guard case .data(let body) = request.body else { throw CocoaError(.fileReadUnknown) }
    let head =
      "--\(boundary)\r\nContent-Type: application/json; charset=utf-8\r\n\r\n"
      + #"{"contentType":"text/plain","metadata":{"k":"v"}}"#
      + "\r\n--\(boundary)\r\nContent-Type: text/plain\r\n\r\n"
    #expect(body == Data(head.utf8) + content + Data("\r\n--\(boundary)--".utf8))
  }

  @Test func changedMetadataIsSentAlone() async throws {
    let old =
      #"{"name": "a", "contentType": "text/plain", "cacheControl": "no-store", "metadata": {"x": "1", "y": "2"}}"#
    let (storage, transport) = try storage([answer(200, old)])
    try await storage.reference("a").updateMetadata { metadata in
      metadata.cacheControl = nil
      metadata.contentLanguage = "de"
      metadata.custom["x"] = nil
      metadata.custom["z"] = "3"
    }
    guard case .data(let body) = transport.requests.last?.body else { throw CocoaError(.fileReadUnknown) }
    #expect(transport.requests.last?.method == .patch)
    #expect(
      String(decoding: body, as: UTF8.self)
        == #"{"cacheControl":null,"contentLanguage":"de","metadata":{"x":null,"z":"3"}}"#
    )
    try await storage.reference("a").updateMetadata { _ in }
    #expect(transport.requests.map(\.method) == [.get, .patch, .get])
  }

  @Test func pagesAreListed() async throws {
    let (storage, transport) = try storage([
      answer(
        200,
        #"{"prefixes": ["a/x/"], "items": [{"name": "a/1", "bucket": "b"}], "nextPageToken": "t+1"}"#
      ),
      answer(200, #"{"items": [{"name": "a/2", "bucket": "b"}]}"#),
    ])
    let list = try await storage.reference("a").listAll()
    #expect(list.prefixes.map(\.fullPath) == ["a/x"])
    #expect(list.items.map(\.name) == ["1", "2"])
    #expect(
      transport.requests.map(\.url.absoluteString) == [
        "\(Self.base)?prefix=a%2F&delimiter=%2F&maxResults=1000",
        "\(Self.base)?prefix=a%2F&delimiter=%2F&maxResults=1000&pageToken=t%2B1",
      ]
    )
    await #expect(throws: StorageError.self) { try await storage.reference().list(maxResults: 0) }
  }

  @Test func aListingThatRepeatsItsPageTokenEndsWithAnError() async throws {
    let pages = [#"{"items": [{"name": "a/1"}], "nextPageToken": "t"}"#, #"{"nextPageToken": "u"}"#]
    for answers in [[pages[0]], [pages[0], pages[1], pages[0]]] {
      let (storage, transport) = try storage(answers.map { answer(200, $0) })
      let thrown = await #expect(throws: StorageError.self) { try await storage.reference("a").listAll() }
      #expect(thrown?.code == .unknown && thrown?.message.contains("page token repeats") == true)
      #expect(transport.requests.count <= 3)
    }
  }

  @Test func aListingOfEmptyPagesEndsWithAnError() async throws {
    let count = Lock(0)
    let transport = FakeTransport { _ in
      let number = count.withLock {
        $0 += 1; return $0
      }
      return HTTPResponse(status: 200, body: Data(#"{"nextPageToken": "\#(number)"}"#.utf8))
    }
    let context = AppContext(
      name: "tests", options: AppOptions(projectID: "demo", storageBucket: "b.c"), userAgent: "")
    let instances = try StorageInstances(app: context, auth: nil, appCheck: nil, transport: transport)
    let root = try instances.storage(bucket: nil).reference()
    await #expect(throws: StorageError.self) { try await root.listAll() }
  }

  @Test func anEmptyPageTokenIsTheEnd() async throws {
    let (storage, transport) = try storage([answer(200, #"{"items": [{"name": "a"}], "nextPageToken": ""}"#)])
    #expect(try await storage.reference().listAll().items.count == 1)
    #expect(transport.requests.count == 1)
  }

  @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\0b", "\u{7F}", "a\tb"])
  func controlCharactersInMetadataAreRefusedBeforeAnythingIsSent(text: String) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "tenon-upload-\(UUID())")
    try Data("x".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    for metadata in [
      StorageMetadata(contentType: text), StorageMetadata(cacheControl: text),
      StorageMetadata(contentDisposition: text), StorageMetadata(contentEncoding: text),
      StorageMetadata(contentLanguage: text), StorageMetadata(custom: ["k": text]),
      StorageMetadata(custom: [text: "v"]),
    ] {
      let (storage, transport) = try storage([answer()])
      let object = try storage.reference("a")
      let operations: [() async throws -> Void] = [
        { try await object.put(Data(), metadata: metadata) },
        { try await object.put(file: file, metadata: metadata) },
        {
          try await object.updateMetadata { changed in
            changed = metadata
          }
        },
      ]
      for operation in operations {
        let thrown = await #expect(throws: StorageError.self) { try await operation() }
        #expect(thrown?.code == .invalidArgument)
      }
      // Only the metadata that a change begins with are read.
      #expect(transport.requests.map(\.method) == [.get])
    }
  }

  @Test(
    arguments: [
      (404, "Not Found", "object-not-found"), (401, "{}", "unauthenticated"),
      (403, #"{"error": {"message": "Permission denied."}}"#, "unauthorized"), (402, "", "quota-exceeded"),
      (400, #"{"error": {"message": "Bad prefix."}}"#, "unknown"),
      (401, #"{"error": {"message": "Firebase App Check token is invalid."}}"#, "unauthorized-app"),
    ])
  func refusalsAreTypedErrors(status: Int, body: String, code: String) async throws {
    let (storage, _) = try storage([answer(status, body)])
    let object = try storage.reference("a/b")
    let operations: [() async throws -> Void] = [
      { _ = try await object.metadata() }, { _ = try await object.data() }, { try await object.delete() },
      { try await object.put(Data()) },
    ]
    for operation in operations {
      let thrown = await #expect(throws: StorageError.self) { try await operation() }
      #expect(thrown?.code.rawValue == code)
      #expect(thrown?.message.contains("gs://demo.appspot.com/a/b") == true, "\(thrown?.message ?? "")")
    }
  }

  @Test func moreThanIsWantedIsAnError() async throws {
    let (storage, _) = try storage([answer(200, "12345")])
    let object = try storage.reference("a")
    #expect(try await object.data(maxSize: 5) == Data("12345".utf8))
    let thrown = await #expect(throws: StorageError.self) { try await object.data(maxSize: 4) }
    #expect(thrown?.code == .downloadSizeExceeded)
  }

  @Test(arguments: [("10.0.0.5:9199", false), ("localhost:9199", true)])
  func tokensNeverLeaveTheMachineUnencrypted(host: String, isSent: Bool) async throws {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let options = AppOptions(
      projectID: "demo",
      storageBucket: "b.c",
      backend: .emulator(EmulatorHosts(storage: host))
    )
    let (storage, transport) = try storage(
      [answer()], options: options, auth: auth, appCheck: FakeAppCheck())
    _ = try await storage.reference("a").metadata()
    #expect(transport.requests.first?.url.absoluteString == "http://\(host)/v0/b/b.c/o/a")
    #expect(transport.requests.first?.headers["Authorization"] == (isSent ? "Firebase ann-token-0" : nil))
    #expect(transport.requests.first?.headers["X-Firebase-AppCheck"] == (isSent ? "app-check-1" : nil))
  }

  @Test(arguments: ["", "/", "//"])
  func theRootIsNoObject(path: String) async throws {
    let (storage, transport) = try storage([answer()])
    let root = try storage.reference(path)
    #expect(try root == storage.reference().root && root.parent == nil && root.name == "")
    let operations: [() async throws -> Void] = [
      { _ = try await root.metadata() }, { try await root.put(Data()) }, { try await root.delete() },
    ]
    for operation in operations {
      let thrown = await #expect(throws: StorageError.self) { try await operation() }
      #expect(thrown?.code == .invalidArgument)
    }
    #expect(transport.requests.isEmpty)
  }

  @Test func referencesLeadUpAndDown() throws {
    let (storage, _) = try storage([answer()])
    let object = try storage.reference("a").child("b/c.txt")
    #expect(object.fullPath == "a/b/c.txt" && object.name == "c.txt")
    #expect(object.parent?.fullPath == "a/b" && object.parent?.parent?.parent == object.root)
    #expect(object.url == "gs://demo.appspot.com/a/b/c.txt")
    #expect(throws: StorageError.self) { try storage.reference("a\nb") }
    #expect(throws: StorageError.self) { try storage.reference(String(repeating: "x", count: 1025)) }
  }

  @Test(arguments: ["2026-02-30T10:00:00.000Z", "2026-01-01T25:00:00Z", "soon", ""])
  func aDateThatDoesNotExistIsAnError(date: String) async throws {
    for name in ["timeCreated", "updated"] {
      let (storage, _) = try storage([answer(200, #"{"name": "a", "\#(name)": "\#(date)"}"#)])
      let object = try storage.reference("a")
      for operation: () async throws -> StorageMetadata in [
        { try await object.metadata() }, { try await object.put(Data()) },
      ] {
        let thrown = await #expect(throws: StorageError.self) { _ = try await operation() }
        #expect(thrown?.code == .unknown && thrown?.message.contains(name) == true)
      }
    }
  }

  @Test func datesAreRead() async throws {
    let body = #"{"timeCreated": "2024-02-29T00:00:00.500Z", "updated": "2024-02-29T01:00:00+01:00"}"#
    let (storage, _) = try storage([answer(200, body)])
    let metadata = try await storage.reference("a").metadata()
    #expect(metadata.timeCreated == Date(timeIntervalSince1970: 1_709_164_800.5))
    #expect(metadata.updated == Date(timeIntervalSince1970: 1_709_164_800))
  }
}
