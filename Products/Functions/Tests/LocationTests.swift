import Foundation
import TenonCore
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonFunctions

/// The URLs of functions.
@Suite(.limited) struct LocationTests {
  private let transport = FakeTransport { _ in
    TransportResponse(status: 200, body: Data(#"{"result": 1}"#.utf8))
  }

  private func instances(_ backend: AppBackend = .production) throws -> FunctionsInstances {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let context = AppContext(
      name: "tests", options: AppOptions(projectID: "demo", backend: backend), userAgent: "tenon-tests/1")
    return try FunctionsInstances(app: context, auth: auth, appCheck: FakeAppCheck(), transport: transport)
  }

  private static let emulator = AppBackend.emulator(EmulatorHosts(functions: "127.0.0.1:5001"))
  private static let otherEmulator = AppBackend.emulator(EmulatorHosts(auth: "127.0.0.1:9099"))

  @Test(
    arguments: [
      (.production, nil, "https://europe-west1-demo.cloudfunctions.net/a/b"),
      (.production, "https://api.example.com", "https://api.example.com/a/b"),
      (.production, "https://api.example.com:8443/v1/", "https://api.example.com:8443/v1/a/b"),
      (Self.otherEmulator, "https://api.example.com", "https://api.example.com/a/b"),
      (Self.emulator, nil, "http://127.0.0.1:5001/demo/europe-west1/a/b"),
      (Self.emulator, "https://api.example.com", "http://127.0.0.1:5001/demo/us-central1/a/b"),
      (
        .embedded(directory: nil), "https://api.example.com",
        "https://us-central1-demo.cloudfunctions.net/a/b"
      ),
    ] as [(AppBackend, String?, String)])
  func functionIsCalledAtItsLocation(backend: AppBackend, domain: String?, url: String) async throws {
    let instances = try instances(backend)
    let functions =
      try domain.map { try instances.functions(customDomain: $0) }
      ?? instances.functions(region: "europe-west1")
    try await functions.httpsCallable("a/b").call()
    #expect(transport.requests.map(\.url.absoluteString) == [url])
  }

  @Test(
    arguments: [
      "", "api.example.com", "ftp://api.example.com", "https://", "https://a b", "https://u:p@example.com",
      "https://example.com?x=1", "https://example.com/?", "https://example.com#f", "file:///tmp",
      "/functions",
    ])
  func malformedCustomDomainIsAnError(domain: String) throws {
    let instances = try instances()
    let error = #expect(throws: FunctionsError.self) { try instances.functions(customDomain: domain) }
    #expect(error?.code == .invalidArgument && error?.message.contains("https://api.example.com") == true)
    #expect(error?.message.contains("u:p") == false)
  }

  @Test func domainAndRegionHaveInstancesOfTheirOwn() throws {
    let instances = try instances()
    let domain = try instances.functions(customDomain: "https://example.com/")
    #expect(domain === (try instances.functions(customDomain: "https://example.com")))
    #expect(domain !== (try instances.functions(region: "us-central1")))
    #expect(domain !== (try instances.functions(customDomain: "https://example.org")))
    #expect(domain.customDomain == "https://example.com" && domain.region == "us-central1")
    #expect(try instances.functions(region: "us-central1").customDomain == nil)
  }

  @Test func appHasInstancesOfCustomDomains() async throws {
    let app = try App.configure(
      name: "functions-domains", options: AppOptions(projectID: "demo", data: .memory),
      libraries: [FunctionsLibrary.self])
    let functions = try Functions.functions(app: app, customDomain: "https://example.com")
    #expect(try Functions.functions(app: app, customDomain: "https://example.com") === functions)
    #expect(throws: FunctionsError.self) { try Functions.functions(app: app, customDomain: "x") }
    await app.delete()
  }

  @Test(
    arguments: [
      ("https://greet-x2k7.a.run.app", true), ("https://example.com/f?key=1", true),
      ("http://127.0.0.1:5001/demo/r/f", true), ("http://localhost:8080/f", true),
      ("http://[::1]:8080/f", true),
      ("http://example.com/f", false), ("http://192.168.1.5/f", false),
    ])
  func functionIsCalledAtItsURLWithTokensOnlyIfNobodyCanReadThem(url: String, isSigned: Bool) async throws {
    let url = try #require(URL(string: url))
    for backend in [AppBackend.production, Self.emulator] {
      let functions = try instances(backend).functions(region: "us-central1")
      try await functions.httpsCallable(url).call()
      #expect(try await functions.httpsCallable(url, requestAs: Int.self, responseAs: Int.self)(1) == 1)
    }
    #expect(transport.requests.map(\.url) == Array(repeating: url, count: 4))
    for request in transport.requests {
      #expect((request.headers["Authorization"] == "Bearer ann-token-0") == isSigned)
      #expect((request.headers["X-Firebase-AppCheck"] != nil) == isSigned)
    }
  }

  @Test(arguments: ["f", "/f", "ftp://example.com/f", "https://u:p@example.com/f", "https://example.com/f#x"])
  func malformedURLIsAnError(url: String) async throws {
    let functions = try instances().functions(region: "us-central1")
    let callable = functions.httpsCallable(try #require(URL(string: url)))
    let error = await #expect(throws: FunctionsError.self) { try await callable.call() }
    #expect(error?.code == .invalidArgument && error?.message.contains("u:p") == false)
    #expect(throws: FunctionsError.self) { try callable.stream() }
    #expect(transport.requests.isEmpty)
  }

  @Test func errorNamesTheHostAndPathOfTheURLOnly() async throws {
    let transport = FakeTransport { _ in TransportResponse(status: 503) }
    let context = AppContext(name: "tests", options: AppOptions(projectID: "demo"), userAgent: "")
    let functions = try FunctionsInstances(app: context, auth: nil, appCheck: nil, transport: transport)
      .functions(region: "us-central1")
    let callable = functions.httpsCallable(try #require(URL(string: "https://example.com/f?secret=1")))
    let error = await #expect(throws: FunctionsError.self) { try await callable.call() }
    #expect(error?.message.contains("example.com/f") == true && error?.message.contains("secret") == false)
  }

  // MARK: - Tokens of streams

  @Test func streamCarriesTheTokensOfLinkedProducts() async throws {
    let functions = try instances().functions(region: "us-central1")
    let options = HTTPSCallableOptions(requireLimitedUseAppCheckTokens: true)
    for try await _ in try functions.httpsCallable("f", options: options).stream() {}
    let request = try #require(transport.requests.first)
    #expect(request.headers["Authorization"] == "Bearer ann-token-0")
    #expect(request.headers["X-Firebase-AppCheck"] == "limited-use-1")
  }

  @Test func unavailableTokenFailsTheStream() async throws {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    auth.failTokens(with: CocoaError(.fileReadUnknown))
    let context = AppContext(name: "tests", options: AppOptions(projectID: "demo"), userAgent: "")
    let functions = try FunctionsInstances(app: context, auth: auth, appCheck: nil, transport: transport)
      .functions(region: "us-central1")
    let stream = try functions.httpsCallable("f").stream()
    await #expect(throws: CocoaError.self) { for try await _ in stream {} }
    #expect(transport.requests.isEmpty)
  }
}
