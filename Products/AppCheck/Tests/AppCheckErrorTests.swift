import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonAppCheck

@Suite(.limited) struct AppCheckErrorTests {
  @Test func aDescriptionIsTheMessageWithTheCode() {
    let error = AppCheckError(.serverFailed, "The App Check server failed. Try again later.")
    #expect(error.description == "The App Check server failed. Try again later. (server-failed)")
    #expect(error.localizedDescription == error.description)
    #expect((error as any Error).localizedDescription == error.description)
  }

  @Test func anErrorWithAnNSErrorContainsNoDump() {
    let cause = NSError(domain: "TestDomain", code: 7, userInfo: [NSLocalizedDescriptionKey: "Disk full."])
    let error = AppCheckError(.cacheUnwritable, "The token can't be stored.", underlying: cause)
    #expect(!"\(error)".contains("TestDomain") && !error.localizedDescription.contains("Error Domain="))
  }

  @Test func anErrorOfTheFileSystemContainsNoDump() throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let store = FileTokenStore(directory: "\(fixture.directory)/missing")
    let token = KeptToken(source: "", value: Secret("t"), received: .now, expires: .now)
    let error = try #require(#expect(throws: AppCheckError.self) { try store.save(token) })
    #expect(error.code == .cacheUnwritable && error.message.contains("missing/token.json"))
    #expect(!"\(error) \(error.underlying.map { "\($0)" } ?? "")".contains("Error Domain="))
  }
}
