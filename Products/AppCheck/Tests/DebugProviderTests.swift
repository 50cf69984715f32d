import Foundation
import TenonAppCheckInterop
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAppCheck

@Suite(.limited) struct DebugProviderTests {
  /// The paths that were announced.
  private final class Announcements: Sendable {
    let all = Lock<[String]>([])
  }

  private func provider(
    _ fixture: AppCheckFixture,
    token: Secret? = nil,
    announcements: Announcements
  ) throws -> (provider: AppCheckDebugProvider, transport: FakeTransport) {
    let transport = FakeTransport { _ in
      TransportResponse(status: 200, body: Data(#"{"token":"signed","ttl":"60s"}"#.utf8))
    }
    let provider = try AppCheckDebugProvider(
      app: fixture.context, transport: transport, token: token, time: fixture.time.source
    ) { path in announcements.all.withLock { $0.append(path ?? "") } }
    return (provider, transport)
  }

  @Test func aDebugTokenIsCreatedAndAnnouncedOnce() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let announcements = Announcements()
    let (first, transport) = try provider(fixture, announcements: announcements)
    let token = try await first.currentDebugToken()
    #expect(UUID(uuidString: token) != nil)
    _ = try await first.getToken()
    _ = try await first.getLimitedUseToken()
    for request in transport.requests {
      guard case .data(let body) = request.body else { continue }
      #expect(try JSON(parsing: body)["debug_token"]?.string == token)
    }
    let path = "\(try fixture.libraryDirectory)/debug-token"
    #expect(try AppCheckFixture.mode(of: path) == 0o600)
    let (second, _) = try provider(fixture, announcements: announcements)
    #expect(try await second.currentDebugToken() == token)
    #expect(announcements.all.withLock { $0 } == [path])
  }

  @Test func p6TheLogNamesTheFileOfADebugTokenAndNotTheToken() {
    let kept = AppCheckDebugProvider.announcement(path: "/data/debug-token")
    #expect(kept.contains("/data/debug-token") && kept.contains("Register"))
    let forgotten = AppCheckDebugProvider.announcement(path: nil)
    #expect(
      forgotten.contains("AppCheckDebugToken") && forgotten.contains("AppCheckDebugProviderFactory(token:)"))
  }

  @Test func theEmbeddedBackendRequiresNoRegistration() async throws {
    let fixture = AppCheckFixture(backend: .embedded(directory: nil))
    defer { fixture.remove() }
    let announcements = Announcements()
    _ = try await provider(fixture, announcements: announcements).provider.currentDebugToken()
    #expect(announcements.all.withLock { $0 } == [])
  }

  @Test func aGivenDebugTokenIsNeitherStoredNorAnnounced() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let announcements = Announcements()
    let (provider, _) = try provider(fixture, token: Secret("given"), announcements: announcements)
    #expect(try await provider.currentDebugToken() == "given")
    #expect(announcements.all.withLock { $0 } == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.libraryDirectory) == [])
  }

  @Test func aFileWithoutADebugTokenIsMovedAside() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let path = "\(try fixture.libraryDirectory)/debug-token"
    try Data("nonsense".utf8).write(to: URL(filePath: path))
    let (provider, _) = try provider(fixture, announcements: Announcements())
    let token = try await provider.currentDebugToken()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "\(token)\n")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: fixture.libraryDirectory)
        .contains { $0.hasPrefix("debug-token.unreadable-") }
    )
  }

  @Test func theEnvironmentMayContainADebugToken() {
    #expect(DebugToken.given(in: ["AppCheckDebugToken": "a", "FIRAAppCheckDebugToken": "b"])?.value == "a")
    #expect(DebugToken.given(in: ["AppCheckDebugToken": "", "FIRAAppCheckDebugToken": "b"])?.value == "b")
    #expect(DebugToken.given(in: ["FIREBASE_APPCHECK_DEBUG_TOKEN": "c"])?.value == "c")
    #expect(DebugToken.given(in: ["HOME": "/root"]) == nil)
  }

  @Test(arguments: [AppBackend.production, .emulator(EmulatorHosts())])
  func thereIsNoProviderUnlessTheEnvironmentContainsADebugToken(backend: AppBackend) throws {
    let fixture = AppCheckFixture(backend: backend)
    defer { fixture.remove() }
    #expect(throws: ComponentUnavailable.self) {
      try AppCheckLibrary.defaultProvider(fixture.context, transport: nil, debugToken: nil)
    }
    let provider = try AppCheckLibrary.defaultProvider(
      fixture.context, transport: nil, debugToken: Secret("given"))
    #expect(provider is AppCheckDebugProvider)
    let incomplete = AppContext(
      name: "tests",
      options: AppOptions(projectID: "demo", backend: backend, data: .memory),
      userAgent: ""
    )
    #expect(throws: ComponentUnavailable.self) {
      try AppCheckLibrary.defaultProvider(
        incomplete,
        transport: nil,
        debugToken: Secret("given")
      )
    }
  }
}
