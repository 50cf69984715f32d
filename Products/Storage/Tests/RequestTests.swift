import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

@Suite(.limited) struct RequestTests {
  /// Returns a bucket with a transport that returns responses in order and repeats the last one.
  private func storage(
    _ answers: [TransportResponse],
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

  private func answer(_ status: Int = 200, _ body: String = "{}") -> TransportResponse {
    TransportResponse(status: status, body: Data(body.utf8))
  }

  /// The metadata of an object of the default bucket.
  private func object(_ name: String = "a", _ more: String = "") -> TransportResponse {
    metadataResponse(name, bucket: "demo.appspot.com", more)
  }

  private static let base = "https://firebasestorage.googleapis.com/v0/b/demo.appspot.com/o"

  @Test(
    arguments: [
      ("a/b.txt", "a%2Fb.txt"), ("/a//b c/", "a%2Fb%20c"), ("ü+%?#&.md", "%C3%BC%2B%25%3F%23%26.md"),
      ("keep-._~!$'()*,=:@", "keep-._~!$'()*,=:@"),
    ])
  func pathIsOneSegmentOfTheURL(path: String, segment: String) async throws {
    let name = path.split(separator: "/").joined(separator: "/")
    let (storage, transport) = try storage([object(name)])
    _ = try await storage.reference(withPath: path).getMetadata()
    #expect(transport.requests.map(\.url.absoluteString) == ["\(Self.base)/\(segment)"])
    #expect(transport.requests.first?.method == .get)
    #expect(transport.requests.first?.headers["X-Firebase-GMPID"] == "1:2:web:ab")
  }

  @Test func uploadContainsMetadataAndContent() async throws {
    let (storage, transport) = try storage([
      answer(200, #"{"name": "a/b+c", "bucket": "demo.appspot.com", "size": "5", "generation": "7"}"#)
    ])
    let content = Data([0, 13, 10, 45, 45])
    let metadata = try await storage.reference(withPath: "a/b+c").putDataAsync(
      content,
      metadata: StorageMetadata(contentType: "text/plain", customMetadata: ["k": "v"])
    )
    #expect(
      metadata.size == 5 && metadata.generation == 7 && metadata.path == "a/b+c" && metadata.name == "b+c")
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

  @Test func updateSendsOnlyChangedMetadata() async throws {
    let old =
      #"{"name": "a", "contentType": "text/plain", "cacheControl": "no-store", "metadata": {"x": "1", "y": "2"}}"#
    let (storage, transport) = try storage([answer(200, old)])
    let object = storage.reference(withPath: "a")
    var metadata = try await object.getMetadata()
    metadata.cacheControl = nil
    metadata.contentLanguage = "de"
    metadata.customMetadata?["x"] = nil
    metadata.customMetadata?["z"] = "3"
    try await object.updateMetadata(metadata)
    guard case .data(let body) = transport.requests.last?.body else { throw CocoaError(.fileReadUnknown) }
    #expect(transport.requests.last?.method == .patch)
    #expect(
      String(decoding: body, as: UTF8.self)
        == #"{"cacheControl":null,"contentLanguage":"de","metadata":{"x":null,"z":"3"}}"#
    )
    #expect(try await object.updateMetadata(object.getMetadata()) == object.getMetadata())
    #expect(transport.requests.map(\.method) == [.get, .patch, .get, .get, .get])
  }

  @Test func listAllRequestsEveryPage() async throws {
    let (storage, transport) = try storage([
      answer(
        200,
        #"{"prefixes": ["a/x/"], "items": [{"name": "a/1", "bucket": "demo.appspot.com"}], "nextPageToken": "t+1"}"#
      ),
      answer(
        200,
        #"{"prefixes": ["a/x/", "a/y/"], "items": [{"name": "a/2", "bucket": "demo.appspot.com"}]}"#),
    ])
    let list = try await storage.reference(withPath: "a").listAll()
    #expect(list.prefixes.map(\.fullPath) == ["a/x", "a/y"])
    #expect(list.items.map(\.name) == ["1", "2"])
    #expect(
      transport.requests.map(\.url.absoluteString) == [
        "\(Self.base)?prefix=a%2F&delimiter=%2F&maxResults=1000",
        "\(Self.base)?prefix=a%2F&delimiter=%2F&maxResults=1000&pageToken=t%2B1",
      ]
    )
    for count: Int64 in [0, 1001, .min, .max] {
      let error = await #expect(throws: StorageError.self) {
        try await storage.reference().list(maxResults: count)
      }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func listingThatRepeatsAPageTokenIsAnError() async throws {
    let pages = [#"{"items": [{"name": "a/1"}], "nextPageToken": "t"}"#, #"{"nextPageToken": "u"}"#]
    for answers in [[pages[0]], [pages[0], pages[1], pages[0]]] {
      let (storage, transport) = try storage(answers.map { answer(200, $0) })
      let thrown = await #expect(throws: StorageError.self) {
        try await storage.reference(withPath: "a").listAll()
      }
      #expect(thrown?.code == .unknown && thrown?.message.contains("page token repeats") == true)
      #expect(transport.requests.count <= 3)
    }
  }

  @Test func listingOfEmptyPagesIsAnError() async throws {
    let count = Lock(0)
    let transport = FakeTransport { _ in
      let number = count.withLock {
        $0 += 1; return $0
      }
      return TransportResponse(status: 200, body: Data(#"{"nextPageToken": "\#(number)"}"#.utf8))
    }
    let context = AppContext(
      name: "tests", options: AppOptions(projectID: "demo", storageBucket: "b.c"), userAgent: "")
    let instances = try StorageInstances(app: context, auth: nil, appCheck: nil, transport: transport)
    let root = try instances.storage(bucket: nil).reference()
    await #expect(throws: StorageError.self) { try await root.listAll() }
    #expect(count.withLock(\.self) == 1_000)
  }

  /// Each of the pages in between, one with a folder and one with an object, restarts the count.
  @Test func emptyPagesBetweenOthersDoNotEndTheListing() async throws {
    let count = Lock(0)
    let transport = FakeTransport { _ in
      let number = count.withLock {
        $0 += 1; return $0
      }
      let content =
        switch number {
        case 700: #""prefixes": ["folder/"],"#
        case 1_400: #""items": [{"name": "object"}],"#
        default: ""
        }
      let token = number < 2_100 ? "\(number)" : ""
      return TransportResponse(status: 200, body: Data(#"{\#(content) "nextPageToken": "\#(token)"}"#.utf8))
    }
    let context = AppContext(
      name: "tests", options: AppOptions(projectID: "demo", storageBucket: "b.c"), userAgent: "")
    let instances = try StorageInstances(app: context, auth: nil, appCheck: nil, transport: transport)
    let list = try await instances.storage(bucket: nil).reference().listAll()
    #expect(list.prefixes.map(\.name) == ["folder"] && list.items.map(\.name) == ["object"])
    #expect(count.withLock(\.self) == 2_100)
  }

  @Test func emptyPageTokenEndsTheListing() async throws {
    let (storage, transport) = try storage([answer(200, #"{"items": [{"name": "a"}], "nextPageToken": ""}"#)])
    #expect(try await storage.reference().listAll().items.count == 1)
    #expect(transport.requests.count == 1)
  }

  @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\0b", "\u{7F}", "a\tb"])
  func controlCharactersInMetadataAreAnErrorBeforeAnythingIsSent(text: String) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "tenon-upload-\(UUID())")
    try Data("x".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    for metadata in [
      StorageMetadata(contentType: text), StorageMetadata(cacheControl: text),
      StorageMetadata(contentDisposition: text), StorageMetadata(contentEncoding: text),
      StorageMetadata(contentLanguage: text), StorageMetadata(customMetadata: ["k": text]),
      StorageMetadata(customMetadata: [text: "v"]),
    ] {
      let (storage, transport) = try storage([answer()])
      let object = storage.reference(withPath: "a")
      let operations: [() async throws -> Void] = [
        { try await object.putDataAsync(Data(), metadata: metadata) },
        { try await object.putFileAsync(from: file, metadata: metadata) },
        { try await object.updateMetadata(metadata) },
      ]
      for operation in operations {
        let thrown = await #expect(throws: StorageError.self) { try await operation() }
        #expect(thrown?.code == .invalidArgument)
      }
      #expect(transport.requests.isEmpty)
    }
  }

  @Test(
    arguments: [
      (404, "Not Found", "object-not-found"), (401, "{}", "unauthenticated"),
      (403, #"{"error": {"message": "Permission denied."}}"#, "unauthorized"), (402, "", "quota-exceeded"),
      (400, #"{"error": {"message": "Bad prefix."}}"#, "unknown"),
      (401, #"{"error": {"message": "Firebase App Check token is invalid."}}"#, "unauthorized-app"),
    ])
  func failuresAreTypedErrors(status: Int, body: String, code: String) async throws {
    let (storage, _) = try storage([answer(status, body)])
    let object = storage.reference(withPath: "a/b")
    let operations: [() async throws -> Void] = [
      { _ = try await object.getMetadata() }, { _ = try await object.data() }, { try await object.delete() },
      { try await object.putDataAsync(Data()) }, { _ = try await object.downloadURL() },
    ]
    for (index, operation) in operations.enumerated() {
      let thrown = await #expect(throws: StorageError.self) { try await operation() }
      // An upload doesn't need the object.
      let code = index == 3 && status == 404 ? "bucket-not-found" : code
      #expect(thrown?.code.rawValue == code)
      #expect(thrown?.message.contains("gs://demo.appspot.com/a/b") == true, "\(thrown?.message ?? "")")
      #expect(thrown?.localizedDescription == "\(thrown?.message ?? "") (\(code))")
    }
  }

  @Test(arguments: [
    ("The specified bucket does not exist.", StorageError.Code.bucketNotFound),
    ("Not Found.  Could not access bucket demo.appspot.com", .bucketNotFound),
    ("The project demo was not found.", .projectNotFound),
    ("Not Found.  Could not get object", .objectNotFound),
  ])
  func whatIsMissingIsSaid(message: String, code: StorageError.Code) async throws {
    let (storage, _) = try storage([answer(404, #"{"error": {"code": 404, "message": "\#(message)"}}"#)])
    let object = storage.reference(withPath: "bucket/project")
    let read = await #expect(throws: StorageError.self) { _ = try await object.getMetadata() }
    #expect(read?.code == code)
    // An upload doesn't need the object, so it is the bucket that is missing.
    for size in [1, Upload.largestSingleRequest + 1] {
      let written = await #expect(throws: StorageError.self) {
        try await object.putDataAsync(Data(count: size))
      }
      #expect(written?.code == (code == .objectNotFound ? .bucketNotFound : code))
      #expect(written?.message.contains(message) == true)
    }
  }

  @Test func objectLargerThanMaxSizeIsAnError() async throws {
    let (storage, _) = try storage([answer(200, "12345")])
    let object = storage.reference(withPath: "a")
    #expect(try await object.data(maxSize: 5) == Data("12345".utf8))
    let thrown = await #expect(throws: StorageError.self) { try await object.data(maxSize: 4) }
    #expect(thrown?.code == .downloadSizeExceeded)
  }

  @Test(arguments: [("10.0.0.5:9199", false), ("localhost:9199", true)])
  func p6TokensAreNeverSentUnencryptedToAnotherMachine(host: String, isSent: Bool) async throws {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let options = AppOptions(
      projectID: "demo",
      storageBucket: "b.c",
      backend: .emulator(EmulatorHosts(storage: host))
    )
    let (storage, transport) = try storage(
      [metadataResponse()], options: options, auth: auth, appCheck: FakeAppCheck())
    _ = try await storage.reference(withPath: "a").getMetadata()
    #expect(transport.requests.first?.url.absoluteString == "http://\(host)/v0/b/b.c/o/a")
    #expect(transport.requests.first?.headers["Authorization"] == (isSent ? "Firebase ann-token-0" : nil))
    #expect(transport.requests.first?.headers["X-Firebase-AppCheck"] == (isSent ? "app-check-1" : nil))
  }

  @Test(arguments: ["", "/", "//"])
  func rootIsNotAnObject(path: String) async throws {
    let (storage, transport) = try storage([answer()])
    let root = storage.reference(withPath: path)
    #expect(root == storage.reference().root() && root.parent() == nil && root.name == "")
    let operations: [() async throws -> Void] = [
      { _ = try await root.getMetadata() }, { try await root.putDataAsync(Data()) },
      { try await root.delete() },
    ]
    for operation in operations {
      let thrown = await #expect(throws: StorageError.self) { try await operation() }
      #expect(thrown?.code == .invalidArgument)
    }
    #expect(transport.requests.isEmpty)
  }

  @Test func referencesHaveParentsAndChildren() throws {
    let (storage, _) = try storage([answer()])
    let object = storage.reference(withPath: "a").child("b/c.txt")
    #expect(object.fullPath == "a/b/c.txt" && object.name == "c.txt")
    #expect(object.parent()?.fullPath == "a/b" && object.parent()?.parent()?.parent() == object.root())
    #expect("\(object)" == "gs://demo.appspot.com/a/b/c.txt")
  }

  @Test(arguments: ["a\nb", "a\rb", "a\r\nb", String(repeating: "x", count: 1025)])
  func invalidPathIsReportedByTheFirstOperation(path: String) async throws {
    let (storage, transport) = try storage([answer()])
    let object = storage.reference(withPath: path)
    let operations: [() async throws -> Void] = [
      { _ = try await object.getMetadata() }, { try await object.putDataAsync(Data()) },
      { try await object.delete() }, { _ = try await object.data() }, { _ = try await object.downloadURL() },
      { _ = try await object.list(maxResults: 1) }, { _ = try await object.listAll() },
      { try await object.updateMetadata(StorageMetadata(contentType: "a/b")) },
    ]
    for operation in operations {
      let thrown = await #expect(throws: StorageError.self) { try await operation() }
      #expect(thrown?.code == .pathError)
    }
    #expect(transport.requests.isEmpty)
  }

  @Test func downloadURLHasTheObjectsFirstToken() async throws {
    let (storage, _) = try storage([
      answer(200, #"{"name": "a b", "downloadTokens": "one,two"}"#), answer(200, #"{"name": "a b"}"#),
    ])
    let object = storage.reference(withPath: "a b")
    #expect(try await object.downloadURL().absoluteString == "\(Self.base)/a%20b?alt=media&token=one")
    let thrown = await #expect(throws: StorageError.self) { try await object.downloadURL() }
    #expect(thrown?.code == .unknown && thrown?.message.contains("no download token") == true)
  }

  @Test func downloadURLOfTheEmbeddedBackendIsNotThatOfProduction() async throws {
    let (storage, _) = try storage(
      [answer(200, #"{"name": "a b", "downloadTokens": "one"}"#)],
      options: AppOptions(
        projectID: "demo", storageBucket: "demo.appspot.com", backend: .embedded(directory: nil)))
    let object = storage.reference(withPath: "a b")
    let url = try await object.downloadURL()
    #expect(
      url.absoluteString == "tenon-embedded://storage/v0/b/demo.appspot.com/o/a%20b?alt=media&token=one")
    #expect(try storage.reference(for: url) == object)
    #expect(try storage.reference(forURL: url.absoluteString) == object)
  }

  @Test(
    arguments: [
      (401, "", "no user is signed in, or the token isn't accepted: (empty). Sign in first."),
      (402, "", "the bucket's quota is exhausted: (empty). Raise it, or try again when it is renewed."),
      (
        403, #"{"error": {"message": "Permission denied."}}"#,
        "the user lacks the permission: Permission denied. Check the bucket's security rules."
      ),
      (
        418, "", "the server answered with status 418: (empty). Check that the app uses the intended backend."
      ),
    ])
  func aRefusalNamesTheObjectAndSaysWhatToDo(status: Int, body: String, text: String) async throws {
    let (storage, _) = try storage([answer(status, body)])
    let thrown = await #expect(throws: StorageError.self) {
      try await storage.reference(withPath: "a").getMetadata()
    }
    #expect(thrown?.message == "gs://demo.appspot.com/a: \(text)")
  }

  @Test func anAbsentObjectIsNamedWithWhatToCheck() async throws {
    let (storage, _) = try storage([answer(404)])
    let thrown = await #expect(throws: StorageError.self) {
      try await storage.reference(withPath: "a").getMetadata()
    }
    #expect(
      thrown?.message == "There is no object gs://demo.appspot.com/a. Check its path and its bucket.")
  }

  @Test func metadataAreEqualIfTheirVisiblePropertiesAre() async throws {
    let (storage, _) = try storage([object("a", #""contentType": "a/b""#), object()])
    let object = storage.reference(withPath: "a")
    let typed = try await object.getMetadata()
    var plain = try await object.getMetadata()
    #expect(typed != plain)
    plain.contentType = "a/b"
    #expect(typed == plain && typed.hashValue == plain.hashValue)
  }

  @Test(arguments: ["2026-02-30T10:00:00.000Z", "2026-01-01T25:00:00Z", "soon", ""])
  func invalidDateIsAnError(date: String) async throws {
    for name in ["timeCreated", "updated"] {
      let (storage, _) = try storage([answer(200, #"{"name": "a", "\#(name)": "\#(date)"}"#)])
      let object = storage.reference(withPath: "a")
      for operation: () async throws -> StorageMetadata in [
        { try await object.getMetadata() }, { try await object.putDataAsync(Data()) },
      ] {
        let thrown = await #expect(throws: StorageError.self) { _ = try await operation() }
        #expect(thrown?.code == .unknown && thrown?.message.contains(name) == true)
      }
    }
  }

  @Test(
    arguments: [
      ("\"9223372036854775807\"", .max), ("7", 7), ("\"-5\"", 0), ("-5", 0), ("1e300", 0), ("\"1e300\"", 0),
      ("9223372036854775808", 0), ("-9223372036854775808", 0), ("\"999999999999999999999\"", 0),
      ("1e-400", 0),
      ("\"NaN\"", 0), ("\"+5\"", 0), ("\"0x10\"", 0), ("\"\"", 0), ("\" 5\"", 0), ("null", 0), ("[1]", 0),
    ] as [(String, Int64)])
  func numberOfMetadataIsNotNegative(json: String, number: Int64) async throws {
    let body = #"{"name": "a", "size": \#(json), "generation": \#(json), "metageneration": \#(json)}"#
    let (storage, _) = try storage([answer(200, body)])
    let metadata = try await storage.reference(withPath: "a").getMetadata()
    #expect(metadata.size == number && metadata.generation == number && metadata.metageneration == number)
  }

  @Test(arguments: ["5", "1e300", "-9223372036854775808", "[]", "true"])
  func pageTokenThatIsNoTextIsAnError(json: String) async throws {
    let (storage, _) = try storage([answer(200, #"{"items": [{"name": "a"}], "nextPageToken": \#(json)}"#)])
    let error = await #expect(throws: StorageError.self) { try await storage.reference().list(maxResults: 1) }
    #expect(error?.code == .unknown && error?.message.contains("page token") == true)
  }

  @Test func datesAreParsed() async throws {
    let dates = #""timeCreated": "2024-02-29T00:00:00.500Z", "updated": "2024-02-29T01:00:00+01:00""#
    let (storage, _) = try storage([object("a", dates)])
    let metadata = try await storage.reference(withPath: "a").getMetadata()
    #expect(metadata.timeCreated == Date(timeIntervalSince1970: 1_709_164_800.5))
    #expect(metadata.updated == Date(timeIntervalSince1970: 1_709_164_800))
  }
}
