import Foundation
import TenonAppCheckInterop
import TenonAuthInterop
import TenonCore
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@Suite(.limited)
struct RequestSignerTests {
  private let time = TestTime()

  private func sign(
    _ url: String, for service: String, auth: (any AuthInterop)? = nil,
    appCheck: (any AppCheckInterop)? = nil,
    scheme: RequestSigner.Scheme = .bearer, limitedUse: Bool = false
  ) async throws -> HTTPHeaders {
    let signer = RequestSigner(auth: auth, appCheck: appCheck, scheme: scheme, time: time.source)
    let request = TransportRequest(.get, try #require(URL(string: url)))
    let service = Origin(try #require(URL(string: service)))
    return try await signer.sign(
      request, for: service, limitedUse: limitedUse, by: time.now + .seconds(30)
    ).headers
  }

  private func ann() -> FakeAuth {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    return auth
  }

  @Test(
    arguments: [
      ("https://a.example/x", "https://a.example", true),
      ("https://A.example:443/x", "https://a.example", true),
      ("https://b.example/x", "https://a.example", false),
      ("https://a.example:8443/x", "https://a.example", false),
      ("http://a.example/x", "https://a.example", false),
      ("http://a.example/x", "http://a.example", false),
      ("http://192.168.1.5:5001/x", "http://192.168.1.5:5001", false),
      ("http://127.0.0.1:5001/x", "http://127.0.0.1:5001", true),
      ("http://localhost:5001/x", "http://127.0.0.1:5001", true),
      ("http://[::1]:5001/x", "http://localhost:5001", true),
      ("http://127.0.0.1:5002/x", "http://127.0.0.1:5001", false),
      ("https://127.0.0.1:5001/x", "http://127.0.0.1:5001", false),
    ])
  func p6TokensAreSentOnlyToTheServicesOwnOrigin(url: String, service: String, isSent: Bool) async throws {
    let headers = try await sign(url, for: service, auth: ann(), appCheck: FakeAppCheck())
    #expect(headers["Authorization"] == (isSent ? "Bearer ann-token-0" : nil))
    #expect(headers["X-Firebase-AppCheck"] == (isSent ? "app-check-1" : nil))
  }

  @Test func schemeIsTheOneOfTheService() async throws {
    let url = "https://a.example"
    #expect(
      try await sign(url, for: url, auth: ann(), scheme: .firebase)["Authorization"] == "Firebase ann-token-0"
    )
  }

  @Test func requestIsUnchangedWhereNothingIsLinkedAndNobodyIsSignedIn() async throws {
    let url = "https://a.example"
    #expect(try await sign(url, for: url).fields.isEmpty)
    #expect(try await sign(url, for: url, auth: FakeAuth()).fields.isEmpty)
  }

  @Test func limitedUseTokenIsTheRequestsOwn() async throws {
    let (url, appCheck) = ("https://a.example", FakeAppCheck())
    for number in 1...2 {
      let headers = try await sign(url, for: url, appCheck: appCheck, limitedUse: true)
      #expect(headers["X-Firebase-AppCheck"] == "limited-use-\(number)")
    }
  }

  @Test func errorOfAuthIsThrown() async throws {
    let auth = ann()
    auth.failTokens(with: CocoaError(.fileReadUnknown))
    let url = "https://a.example"
    await #expect(throws: CocoaError.self) { _ = try await sign(url, for: url, auth: auth) }
  }

  @Test(arguments: ["Auth", "App Check"])
  func p4TokenThatNeverArrivesEndsWithTheDeadline(product: String) async throws {
    var waits = time.waits.makeAsyncIterator()
    let signing = Task {
      try await sign(
        "https://a.example", for: "https://a.example", auth: product == "Auth" ? SilentTokens() : nil,
        appCheck: product == "App Check" ? SilentTokens() : nil)
    }
    #expect(await waits.next() == 30)
    time.advance(by: 30)
    let timeout = await #expect(throws: RequestSigner.TokenTimeout.self) { _ = try await signing.value }
    #expect(timeout?.product == product)
  }
}
