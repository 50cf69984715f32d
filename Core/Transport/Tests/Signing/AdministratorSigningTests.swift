import Foundation
import TenonAdminInterop
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

/// The tokens of administrators on requests.
@Suite(.limited) struct AdministratorSigningTests {
  private let time = TestTime()
  private let admin = FakeAdmin()

  private func signer(
    _ identity: (RequestSigner.AdminSource) -> RequestSigner.Identity, isEmbedded: Bool = false
  ) -> RequestSigner {
    RequestSigner(
      identity(RequestSigner.AdminSource(admin, isEmbedded: isEmbedded)), appCheck: nil, time: time.source)
  }

  private func request(_ url: String, body: HTTPBody = .none) throws -> TransportRequest {
    TransportRequest(.post, try #require(URL(string: url)), body: body)
  }

  @Test(
    arguments: [
      ("https://a.example/x", "https://a.example", false, "Bearer admin-token-1"),
      ("https://b.example/x", "https://a.example", false, nil),
      ("https://a.example:8443/x", "https://a.example", false, nil),
      ("http://a.example/x", "https://a.example", false, nil),
      ("http://127.0.0.1:8080/x", "http://127.0.0.1:8080", false, "Bearer owner"),
      ("http://firestore:8080/x", "http://firestore:8080", false, "Bearer owner"),
      ("http://other:8080/x", "http://firestore:8080", false, nil),
      ("https://a.example/x", "https://a.example", true, "Bearer owner"),
    ] as [(String, String, Bool, String?)])
  func p6AnAccessTokenIsSentToTheServiceAloneAndToNoEmulator(
    url: String, service: String, isEmbedded: Bool, expected: String?
  ) async throws {
    admin.quotaProject = "payer"
    let signed = try await signer({ .admin($0) }, isEmbedded: isEmbedded).sign(
      request(url), for: Origin(try #require(URL(string: service))), by: time.now + .seconds(30))
    #expect(signed.headers["Authorization"] == expected)
    let isToken = expected?.contains("admin-token") == true
    #expect(signed.headers["X-Goog-User-Project"] == (isToken ? "payer" : nil))
    #expect(signed.headers["X-Serverless-Authorization"] == nil)
  }

  @Test func anIdentityTokenIsForTheServiceAndLeavesAuthorizationToUsers() async throws {
    let url = "https://a.example/greet?name=Ada"
    let signed = try await signer { .serviceAccount($0) }.sign(
      request(url), for: Origin(try #require(URL(string: url))), by: time.now + .seconds(30))
    #expect(
      signed.headers["X-Serverless-Authorization"] == "Bearer identity-1 https://a.example/greet")
    #expect(signed.headers["Authorization"] == nil)
    #expect(signed.credentials.contains("Bearer identity-1 https://a.example/greet"))
    #expect(!"\(signed.headers.fields)".contains("identity-1"))
    for (isEmbedded, url) in [(true, url), (false, "http://127.0.0.1:5001/greet")] {
      let emulated = try await signer({ .serviceAccount($0) }, isEmbedded: isEmbedded).sign(
        request(url), for: Origin(try #require(URL(string: url))), by: time.now + .seconds(30))
      #expect(emulated.headers.fields.isEmpty)
    }
  }

  @Test func aRefusedTokenIsReplacedOnceAndTheRequestSentAgain() async throws {
    let service = Origin(try #require(URL(string: "https://a.example")))
    let sent = Lock<[String?]>([])
    func status(when isAccepted: @escaping @Sendable (String?) -> Bool, body: HTTPBody) async throws -> Int {
      sent.withLock { $0 = [] }
      return try await signer { .admin($0) }.exchange(
        request("https://a.example/x", body: body), for: service, by: time.now + .seconds(30),
        status: { (status: Int) in status }
      ) { request in
        let token = request.headers["Authorization"]
        sent.withLock { $0.append(token) }
        return isAccepted(token) ? 200 : 401
      }.response
    }
    #expect(try await status(when: { $0 == "Bearer admin-token-2" }, body: .data(Data("a".utf8))) == 200)
    #expect(sent.withLock(\.self) == ["Bearer admin-token-1", "Bearer admin-token-2"])
    #expect(try await status(when: { _ in false }, body: .none) == 401)
    #expect(sent.withLock(\.self) == ["Bearer admin-token-2", "Bearer admin-token-3"])
    let stream = HTTPBody.stream(AsyncThrowingStream { $0.finish() }, length: 0)
    #expect(try await status(when: { _ in false }, body: stream) == 401)
    #expect(sent.withLock(\.self) == ["Bearer admin-token-3"])
  }

  @Test func usersAndAdministratorsOfEmulatorsAreNotAskedAgain() async throws {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let user = RequestSigner(auth: auth, appCheck: nil, scheme: .bearer, time: time.source)
    for (signer, url) in [(user, "https://a.example"), (signer { .admin($0) }, "http://127.0.0.1:8080")] {
      let count = Lock(0)
      let answer = try await signer.exchange(
        request(url), for: Origin(try #require(URL(string: url))), by: time.now + .seconds(30),
        status: { (status: Int) in status }
      ) { _ in
        count.withLock { $0 += 1 }
        return 401
      }
      #expect(answer.response == 401 && count.withLock(\.self) == 1)
    }
  }

  @Test func withoutATokenNothingIsSent() async throws {
    admin.fail(with: CocoaError(.fileReadUnknown))
    let service = Origin(try #require(URL(string: "https://a.example")))
    await #expect(throws: CocoaError.self) {
      _ = try await signer { .admin($0) }.sign(
        request("https://a.example"), for: service, by: time.now + .seconds(30))
    }
  }
}
