import Foundation
import TenonFoundation
import TenonJSON
import TenonTestSupport
import TenonTransportInterop
import Testing

@testable import TenonAdmin

/// When the keys of tokens are loaded, and what happens when that fails.
@Suite(.limited) struct KeySetTests {
  private static func other() throws -> String {
    try AdminFixture.token(["exp": .double(1e12)], header: ["kid": "b"], key: SampleKeys.otherPrivateKey)
  }

  private static func token() throws -> String { try AdminFixture.token(["exp": .double(1e12)]) }

  @Test func keysAreLoadedOnceForManyVerifications() async throws {
    let fixture = try AdminFixture()
    let token = try Self.token()
    try await withThrowingTaskGroup { group in
      for _ in 0..<50 { group.addTask { _ = try await fixture.admin.verifyIDToken(token) } }
      try await group.waitForAll()
    }
    #expect(fixture.requests.count == 1)
  }

  @Test(
    arguments: [
      ("public, max-age=3600, must-revalidate", 3_600), ("max-age=7200", 7_200), ("MAX-AGE=\"120\"", 120),
      ("max-age=0", 60), ("no-store, max-age=3600", 60), (nil, 60), ("max-age=soon", 60),
      ("max-age=99999999999999999999", 86_400), ("max-age=-5", 60),
    ] as [(String?, Int)])
  func keysAreKeptAsLongAsTheServerAllows(control: String?, seconds: Int) async throws {
    let fixture = try AdminFixture()
    fixture.server.withLock { $0.cacheControl = control }
    let token = try Self.token()
    _ = try await fixture.admin.verifyIDToken(token)
    fixture.time.advance(by: Double(seconds) - 1)
    _ = try await fixture.admin.verifyIDToken(token)
    #expect(fixture.requests.count == 1)
    fixture.time.advance(by: 2)
    _ = try await fixture.admin.verifyIDToken(token)
    #expect(fixture.requests.count == 2)
  }

  @Test func aNewKeyIsLoadedWhenATokenNamesIt() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.admin.verifyIDToken(try Self.token())
    fixture.server.withLock { $0.keys["b"] = SampleKeys.otherModulus }
    fixture.time.advance(by: 31)
    #expect(try await fixture.admin.verifyIDToken(try Self.other()).uid == "ada")
    #expect(fixture.requests.count == 2)
  }

  /// Anyone can make tokens that name unknown keys.
  @Test func unknownKeysCauseFewRequests() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.admin.verifyIDToken(try Self.token())
    for number in 0..<100 {
      let token = try AdminFixture.token(header: ["kid": .string("key \(number)")])
      let error = await #expect(throws: AdminError.self) { try await fixture.admin.verifyIDToken(token) }
      #expect(error?.code == .invalidIDToken && error?.claim == "kid")
    }
    #expect(fixture.requests.count == 1)
  }

  @Test func keysThatCanNotBeLoadedSayNothingAboutTheToken() async throws {
    let fixture = try AdminFixture()
    fixture.server.withLock { $0.failure = TransportError(.unreachable, "There is no network.") }
    let token = try Self.token()
    let error = await #expect(throws: AdminError.self) { try await fixture.admin.verifyIDToken(token) }
    #expect(error?.code == .certificateFetchFailed && error?.message.contains("no network") == true)
    fixture.server.withLock { $0.failure = nil }
    fixture.time.advance(by: 2)
    #expect(try await fixture.admin.verifyIDToken(token).uid == "ada")
    // Keys that may still be used survive a failure of the server.
    fixture.server.withLock { $0.status = 503 }
    fixture.time.advance(by: 60)
    #expect(try await fixture.admin.verifyIDToken(token).uid == "ada")
    fixture.time.advance(by: 3_600)
    let late = await #expect(throws: AdminError.self) { try await fixture.admin.verifyIDToken(token) }
    #expect(late?.code == .certificateFetchFailed && late?.message.contains("503") == true)
  }

  @Test(arguments: [SampleKeys.weakModulus, "", "AQAB", "AAAA", "!", String(repeating: "_", count: 3_000)])
  func aKeyThatIsTooWeakOrMalformedIsNotUsed(modulus: String) async throws {
    let fixture = try AdminFixture()
    fixture.server.withLock { $0.keys = ["a": modulus, "b": SampleKeys.otherModulus] }
    let token = try Self.token()
    let error = await #expect(throws: AdminError.self) { try await fixture.admin.verifyIDToken(token) }
    #expect(error?.code == .invalidIDToken && error?.claim == "kid")
    #expect(try await fixture.admin.verifyIDToken(try Self.other()).uid == "ada")
  }
}
