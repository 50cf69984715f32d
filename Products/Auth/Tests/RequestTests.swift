import Foundation
import TenonAuthInterop
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAuth

@Suite(.limited) struct RequestTests {
  @Test(arguments: [
    (
      AppBackend.production, "https://identitytoolkit.googleapis.com/v1/accounts:lookup?key=key",
      "https://securetoken.googleapis.com/v1/token?key=key"
    ),
    (
      .embedded(directory: nil), "https://identitytoolkit.googleapis.com/v1/accounts:lookup?key=key",
      "https://securetoken.googleapis.com/v1/token?key=key"
    ),
    (
      .emulator(EmulatorHosts(auth: "[::1]:9099")),
      "http://[::1]:9099/identitytoolkit.googleapis.com/v1/accounts:lookup?key=key",
      "http://[::1]:9099/securetoken.googleapis.com/v1/token?key=key"
    ),
  ])
  func eachBackendHasItsURLs(backend: AppBackend, method: String, token: String) throws {
    let endpoints = try Endpoints(AppOptions(projectID: "demo", apiKey: "key", backend: backend))
    #expect(endpoints.method("accounts:lookup").absoluteString == method)
    #expect(endpoints.token.absoluteString == token)
  }

  @Test func onlyTheEmbeddedBackendRequiresNoKey() {
    let production = #expect(throws: AuthError.self) { try Endpoints(AppOptions(projectID: "demo")) }
    #expect(production?.code == .invalidAPIKey)
    #expect(throws: Never.self) {
      try Endpoints(AppOptions(projectID: "demo", backend: .embedded(directory: nil)))
    }
  }

  @Test(arguments: [
    (AppBackend.production, true), (.emulator(EmulatorHosts(storage: "127.0.0.1:9199")), true),
    (.emulator(EmulatorHosts(auth: "127.0.0.1:9099")), false), (.embedded(directory: nil), false),
  ])
  func anEmulatorOfAnotherServiceLeavesAuthOnProduction(backend: AppBackend, areProduction: Bool) throws {
    let endpoints = try Endpoints(AppOptions(projectID: "demo", apiKey: "key", backend: backend))
    #expect(endpoints.areProduction == areProduction)
  }

  @Test func requestsNameTheClient() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    _ = try await fixture.launch().createUser(withEmail: "ada@example.com", password: "lovelace")
    let request = try #require(fixture.server.state.withLock { $0.requests.first })
    #expect(request.headers["X-Client-Version"] == "Swift/FirebaseSDK/\(AuthLibrary.version)/Tenon")
    #expect(request.headers["Content-Type"]?.hasPrefix("application/json") == true)
    #expect(request.json == ["email": "ada@example.com", "password": "lovelace"])
    #expect(request.deadline != nil)
  }

  @Test func anAppHasOneAuthWhichProvidesTheInterop() async throws {
    let name = "auth-\(UUID())"
    let options = AppOptions(
      projectID: "demo",
      apiKey: "key",
      backend: .emulator(EmulatorHosts(auth: "127.0.0.1:9")),
      data: .memory
    )
    let app = try App.configure(name: name, options: options, libraries: [AuthLibrary.self])
    let auth = try Auth.auth(app: app)
    #expect(auth.currentUser == nil)
    #expect(try Auth.auth(app: app) === auth)
    let interop = try app.resolve((any AuthInterop).self)
    #expect((interop as? SignedInUser)?.session === auth.session)
    await app.delete()
  }
}
