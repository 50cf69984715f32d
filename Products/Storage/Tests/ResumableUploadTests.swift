import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

@Suite(.limited) struct ResumableUploadTests {
  /// Uploads content to a server that loses every second chunk and then claims to have a number of bytes.
  private func upload(claiming count: String) async throws -> (error: StorageError?, chunks: Int) {
    let chunks = Lock(0)
    let server = try UploadServer { _, command in
      if command == "query" {
        return .answer(200, ["X-Goog-Upload-Status": "active", "X-Goog-Upload-Size-Received": count])
      }
      guard command.hasPrefix("upload") else { return .none }
      let isLost = chunks.withLock { chunks in
        chunks += 1
        return chunks % 2 == 0
      }
      return isLost ? .requestLost : .answer(200, ["X-Goog-Upload-Status": "active"])
    }
    defer { server.stop() }
    let object = try server.object()
    let error = await #expect(throws: StorageError.self) {
      try await object.putDataAsync(UploadServer.content(3 << 18))
    }
    return (error, chunks.withLock { $0 })
  }

  @Test(
    arguments: [
      "-1", "-5", "786433", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
      "999999999999999999999", "1e300", "1e-400", "NaN", "+5", "0x10", "5,5",
    ])
  func impossibleByteCountOfTheServerIsAnError(count: String) async throws {
    let (error, chunks) = try await upload(claiming: count)
    #expect(error?.code == .unknown && chunks == 2)
  }

  @Test func serverThatLosesBytesRepeatedlyEndsTheUpload() async throws {
    let (error, chunks) = try await upload(claiming: "0")
    // One chunk is stored again and again before the next one is lost.
    #expect(error?.code == .retryLimitExceeded && chunks == 30)
  }

  /// More than what is sent in one request.
  private static let content = Data(count: 300_000)

  /// Uploads a file to a server that names a URL for its content, and returns the requests.
  private func upload(
    to session: String?, backend: AppBackend = .production
  ) async throws -> (requests: [TransportRequest], error: (any Error)?) {
    let file = FileManager.default.temporaryDirectory.appending(path: "tenon-upload-\(UUID())")
    try Self.content.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let transport = FakeTransport { _ in
      let fields = session.map { [HTTPHeader(name: "X-Goog-Upload-URL", value: $0)] } ?? []
      return TransportResponse(
        status: 200, headers: HTTPHeaders(fields), body: UploadServer.description(of: Self.content))
    }
    let options = AppOptions(projectID: "demo", storageBucket: "b.c", backend: backend)
    let storage = try StorageInstances(
      app: AppContext(name: "tests", options: options, userAgent: ""), auth: auth,
      appCheck: FakeAppCheck(), transport: transport
    ).storage(bucket: nil)
    do {
      try await storage.reference(withPath: "a").putFileAsync(from: file)
      return (transport.requests, nil)
    } catch { return (transport.requests, error) }
  }

  @Test(arguments: [
    (AppBackend.production, "https://firebasestorage.googleapis.com/session"),
    (.production, "HTTPS://FirebaseStorage.googleapis.com:443/session"),
    (.emulator(EmulatorHosts(storage: "127.0.0.1:9199")), "http://127.0.0.1:9199/session"),
    // An emulator may name itself differently from the app.
    (.emulator(EmulatorHosts(storage: "127.0.0.1:9199")), "http://localhost:9199/session"),
    (.emulator(EmulatorHosts(storage: "localhost:9199")), "http://[::1]:9199/session"),
  ])
  func p6ContentAndTokensGoToTheServicesOwnOrigin(backend: AppBackend, session: String) async throws {
    let (requests, error) = try await upload(to: session, backend: backend)
    #expect(error == nil && requests.count == 2)
    #expect(requests.allSatisfy { $0.headers["Authorization"] == "Firebase ann-token-0" })
    #expect(requests.allSatisfy { $0.headers["X-Firebase-AppCheck"] != nil })
    #expect(requests.last?.url.absoluteString == session)
  }

  @Test(arguments: [
    (AppBackend.production, "https://upload.invalid/s3cret?upload_id=s3cret", "https://upload.invalid "),
    (
      .production, "https://firebasestorage.googleapis.com.upload.invalid/s3cret",
      "googleapis.com.upload.invalid "
    ),
    (
      .production, "https://firebasestorage.googleapis.com:444/s3cret",
      "https://firebasestorage.googleapis.com:444 "
    ),
    (.production, "http://firebasestorage.googleapis.com/s3cret", "http://firebasestorage.googleapis.com "),
    (.production, "http://127.0.0.1:9199/s3cret", "http://127.0.0.1:9199 "),
    (.production, "https://localhost/s3cret", "https://localhost "),
    (
      .emulator(EmulatorHosts(storage: "127.0.0.1:9199")), "http://127.0.0.1:9198/s3cret",
      "http://127.0.0.1:9198 "
    ),
    (
      .emulator(EmulatorHosts(storage: "127.0.0.1:9199")), "http://[2001:db8::1]:9199/s3cret",
      "http://[2001:db8::1]:9199 "
    ),
    (
      .emulator(EmulatorHosts(storage: "127.0.0.1:9199")), "http://192.168.1.5:9199/s3cret",
      "http://192.168.1.5:9199 "
    ),
    (
      .emulator(EmulatorHosts(storage: "127.0.0.1:9199")), "https://firebasestorage.googleapis.com/s3cret",
      "https://"
    ),
    (.production, "https://firebasestorage.googleapis.com@upload.invalid/s3cret", "without credentials"),
    (.production, "https://ann:s3cret@firebasestorage.googleapis.com/s3cret", "without credentials"),
    (.production, "/v0/b/b.c/o?upload_id=s3cret", "isn't an absolute"),
    (.production, "file:///etc/s3cret", "isn't an absolute"),
    (.production, "", "isn't an absolute"),
  ])
  func p6NothingIsSentToAnotherOriginThatTheServerNames(
    backend: AppBackend, session: String, text: String
  ) async throws {
    let (requests, thrown) = try await upload(to: session, backend: backend)
    let error = try #require(thrown as? StorageError)
    #expect(error.code == .untrustedOrigin && error.message.contains(text), "\(error)")
    #expect(requests.map { $0.headers["X-Goog-Upload-Command"] } == ["start"])
    for text in disclosedTexts(of: error) { #expect(!text.contains("s3cret"), "\(text)") }
  }

  @Test func serverThatNamesNoURLIsAnError() async throws {
    let (requests, error) = try await upload(to: nil)
    #expect((error as? StorageError)?.code == .unknown && requests.count == 1)
  }
}
