import Foundation
import TenonAdminInterop
import TenonCore
import TenonFoundation
import TenonHashes
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

/// The bucket `b.c` of an app on the authority of an administrator, whose requests nothing answers.
func administratorsBucket(
  _ transport: FakeTransport = FakeTransport { _ in TransportResponse(status: 500) },
  admin: any AdminInterop = FakeAdmin(), backend: AppBackend = .production, time: TimeSource = .system,
  as authority: Authority = .admin, app name: String = "tests"
) throws -> Storage {
  let context = AppContext(
    name: name, options: AppOptions(projectID: "demo", storageBucket: "b.c", backend: backend), userAgent: "")
  return try StorageInstances(
    app: context, auth: nil, appCheck: nil, transport: transport, admin: { admin }, time: time
  ).storage(bucket: nil, as: authority)
}

/// URLs that permit one request.
@Suite(.limited) struct SignedURLTests {
  /// A URL and the digest that google-cloud-storage for Python 3 signs for the same arguments, at
  /// 2023-11-14T22:13:20Z (`Blob.generate_signed_url(version="v4")`).
  struct Vector: Sendable {
    let path: String
    var method = SignedURLMethod.get
    let seconds: Int64
    var headers: [String: String] = [:]
    var type: String?
    var disposition: String?
    /// The path of the URL, percent-encoded.
    let encoded: String
    /// The parameters from the names of the signed fields on.
    let end: String
    let digest: String
  }

  private static let vectors = [
    Vector(
      path: "photos/tea.jpg", seconds: 900, encoded: "photos/tea.jpg", end: "host",
      digest: "206e1615d84d87191234adbfcdb4a867ea871eb16cf0fe9b8da38b10eb4764d8"),
    Vector(
      path: "a b/ü~!$'()*,=:@&+%?#.txt", method: .put, seconds: 604_800,
      headers: ["Content-Type": "image/png", "x-goog-meta-a": "  x   y "],
      encoded: "a%20b/%C3%BC~%21%24%27%28%29%2A%2C%3D%3A%40%26%2B%25%3F%23.txt",
      end: "content-type%3Bhost%3Bx-goog-meta-a",
      digest: "740d200894b3e394a713127f6e0c85b5fa610c918b7f50bcee56e1cbf09267eb"),
    Vector(
      path: "r", seconds: 1, type: "text/plain; charset=utf-8",
      disposition: #"attachment; filename="ä b.txt""#,
      encoded: "r",
      end: "host&response-content-disposition=attachment%3B%20filename%3D%22%C3%A4%20b.txt%22"
        + "&response-content-type=text%2Fplain%3B%20charset%3Dutf-8",
      digest: "8851789afa2dceeae3ddb4573e0b7a5b939fdbe2bf5d2bd2cbf8764e73218092"),
    Vector(
      path: "d/e", method: .delete, seconds: 60, encoded: "d/e", end: "host",
      digest: "6aefd8fc842078ea4457ccb03a559f1339bdef7ef5394e4d8b98d12dc655e8d8"),
    Vector(
      path: "h", method: .head, seconds: 60, headers: ["X-Goog-Content-SHA256": "00ff"], encoded: "h",
      end: "host%3Bx-goog-content-sha256",
      digest: "266c6d7f800dc9ac8978961f8b6767521987bd1828372d2816bfb8c90911b69f"),
  ]

  private static let credential =
    "admin%40fake.iam.gserviceaccount.com%2F20231114%2Fauto%2Fstorage%2Fgoog4_request"

  @Test(arguments: vectors) func aURLIsSignedAsByGooglesLibrary(vector: Vector) async throws {
    let time = TimeSource(date: { Date(timeIntervalSince1970: 1_700_000_000.9) })
    let transport = FakeTransport { _ in TransportResponse(status: 500) }
    let object = try administratorsBucket(transport, time: time).reference(withPath: vector.path)
    let url = try await object.signedURL(
      vector.method, expiresIn: .seconds(vector.seconds), headers: vector.headers,
      responseContentType: vector.type, responseContentDisposition: vector.disposition)
    let parts = url.absoluteString.components(separatedBy: "&X-Goog-Signature=")
    try #require(parts.count == 2)
    #expect(
      parts[0]
        == "https://storage.googleapis.com/b.c/\(vector.encoded)?X-Goog-Algorithm=GOOG4-RSA-SHA256"
        + "&X-Goog-Credential=\(Self.credential)&X-Goog-Date=20231114T221320Z&X-Goog-Expires=\(vector.seconds)"
        + "&X-Goog-SignedHeaders=\(vector.end)")
    let text = """
      GOOG4-RSA-SHA256
      20231114T221320Z
      20231114/auto/storage/goog4_request
      \(vector.digest)
      """
    let signature = try await FakeAdmin().signature { _ in Array(text.utf8) }
    #expect(parts[1] == signature.bytes.hexadecimal)
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: [-1, 0, 604_801, .max] as [Int64]) func aURLIsValidForASecondToAWeek(seconds: Int64)
    async throws
  {
    let object = try administratorsBucket().reference(withPath: "a")
    let error = await #expect(throws: StorageError.self) {
      try await object.signedURL(expiresIn: .seconds(seconds))
    }
    #expect(error?.code == .invalidArgument && error?.message.contains("7 days") == true)
  }

  @Test func partsOfASecondAreIgnored() async throws {
    let object = try administratorsBucket().reference(withPath: "a")
    let url = try await object.signedURL(expiresIn: .milliseconds(1_900))
    #expect(url.absoluteString.contains("X-Goog-Expires=1&"))
    let error = await #expect(throws: StorageError.self) {
      try await object.signedURL(expiresIn: .milliseconds(900))
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test(
    arguments: [
      ["Host": "a"], ["authorization": "Bearer x"], ["a": "1", "A": "2"], ["a b": "1"], ["": "1"],
      ["a": "1\r\nb: 2"], ["a": "\u{7F}"],
    ] as [[String: String]])
  func aFieldThatCannotBeSignedIsRefused(headers: [String: String]) async throws {
    let object = try administratorsBucket().reference(withPath: "a")
    let error = await #expect(throws: StorageError.self) {
      try await object.signedURL(.put, expiresIn: .seconds(1), headers: headers)
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test func onlyADownloadHasFieldsOfItsResponse() async throws {
    let object = try administratorsBucket().reference(withPath: "a")
    for (method, type) in [(SignedURLMethod.put, "a/b"), (.delete, "a/b"), (.get, "a/b\r\nX: y")] {
      let error = await #expect(throws: StorageError.self) {
        try await object.signedURL(method, expiresIn: .seconds(1), responseContentType: type)
      }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test(arguments: ["", "a/../b", "./a", "a\nb", ".."]) func aPathThatClientsWouldChangeIsRefused(
    path: String
  )
    async throws
  {
    let object = try administratorsBucket().reference(withPath: path)
    let error = await #expect(throws: StorageError.self) {
      try await object.signedURL(expiresIn: .seconds(1))
    }
    #expect(error?.code == (path.isEmpty ? .invalidArgument : .pathError))
  }

  @Test func usersCannotSign() async throws {
    let object = try administratorsBucket(as: .user).reference(withPath: "a")
    let error = await #expect(throws: StorageError.self) {
      try await object.signedURL(expiresIn: .seconds(1))
    }
    #expect(error?.code == .unauthorized && error?.message.contains("TenonAdmin") == true)
  }

  @Test func theErrorOfACredentialThatCannotSignIsThrown() async throws {
    let admin = FakeAdmin()
    admin.fail(with: CocoaError(.fileReadUnknown))
    let object = try administratorsBucket(admin: admin).reference(withPath: "a")
    await #expect(throws: CocoaError.self) { try await object.signedURL(expiresIn: .seconds(1)) }
  }

  /// An emulator has no keys, so nobody's credential signs for it.
  @Test(arguments: [
    ("storage:9199", "storage:9199"), ("127.0.0.1:80", "127.0.0.1"), ("[::1]:9199", "[::1]:9199"),
  ])
  func nothingIsSignedForAnEmulator(address: String, host: String) async throws {
    let admin = FakeAdmin()
    admin.fail(with: CocoaError(.fileReadUnknown))
    let backend = AppBackend.emulator(EmulatorHosts(storage: address))
    let time = TimeSource(date: { Date(timeIntervalSince1970: 1_700_000_000) })
    let object = try administratorsBucket(admin: admin, backend: backend, time: time).reference(
      withPath: "a/b")
    let url = try await object.signedURL(expiresIn: .seconds(60)).absoluteString
    let scope = "20231114/auto/storage/goog4_request"
    let query =
      "X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=firebase-storage-emulator%40example.com%2F"
      + "\(scope.replacing("/", with: "%2F"))&X-Goog-Date=20231114T221320Z&X-Goog-Expires=60&X-Goog-SignedHeaders=host"
    let request = "GET\n/b.c/a/b\n\(query)\nhost:\(host)\n\nhost\nUNSIGNED-PAYLOAD"
    let digest = SHA256.digest(Data(request.utf8)).hexadecimal
    let signature = SHA256.digest(Data("GOOG4-RSA-SHA256\n20231114T221320Z\n\(scope)\n\(digest)".utf8))
      .hexadecimal
    #expect(url == "http://\(address)/b.c/a/b?\(query)&X-Goog-Signature=\(signature)")
  }

  /// An administrator who never answers.
  private struct SilentAdmin: AdminInterop {
    func accessToken(replacing refused: String?) async throws -> AdminToken { try await never() }
    func identityToken(for audience: String, replacing refused: String?) async throws -> AdminToken {
      try await never()
    }
    func signature(of message: @Sendable (_ account: String) -> [UInt8]) async throws -> AdminSignature {
      try await never()
    }

    private func never<Value>() async throws -> Value {
      for await _ in AsyncStream<Void>(unfolding: { try? await Task.sleep(for: .seconds(86_400)) }) {
        try Task.checkCancellation()
      }
      throw CancellationError()
    }
  }

  @Test func p4ASignatureThatNeverArrivesEndsWithTheTimeLimit() async throws {
    let time = TestTime()
    let storage = try administratorsBucket(admin: SilentAdmin(), time: time.source)
    storage.maxOperationRetryTime = .seconds(30)
    var waits = time.waits.makeAsyncIterator()
    let call = Task { try await storage.reference(withPath: "a").signedURL(expiresIn: .seconds(1)) }
    #expect(await waits.next() == 30)
    time.advance(by: 30)
    let error = await #expect(throws: StorageError.self) { try await call.value }
    #expect(error?.code == .retryLimitExceeded && error?.message.contains("Admin") == true)
  }
}
