import Foundation
import TenonTestSupport
import Testing

@testable import TenonAuth

@Suite(.limited) struct AuthErrorTests {
  @Test func aDescriptionIsTheMessageWithTheCode() {
    let error = AuthError(.wrongPassword, "The password is wrong. Try again.")
    #expect(error.description == "The password is wrong. Try again. (wrong-password)")
    #expect(error.localizedDescription == error.description)
    #expect((error as any Error).localizedDescription == error.description)
  }

  @Test func anErrorWithAnNSErrorContainsNoDump() {
    let cause = NSError(domain: "TestDomain", code: 7, userInfo: [NSLocalizedDescriptionKey: "Disk full."])
    let error = AuthError(.sessionUnwritable, "The session can't be stored.", underlying: cause)
    #expect(!"\(error)".contains("TestDomain") && !error.localizedDescription.contains("Error Domain="))
  }

  @Test func anErrorOfTheFileSystemContainsNoDump() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    try await auth.signInAnonymously()
    let file = URL(fileURLWithPath: try fixture.sessionFile)
    try FileManager.default.removeItem(at: file.deletingLastPathComponent())
    let error = try #require(await #expect(throws: AuthError.self) { try await auth.signOut() })
    #expect(error.code == .sessionUnwritable && error.message.contains(file.path))
    #expect(!"\(error) \(error.underlying.map { "\($0)" } ?? "")".contains("Error Domain="))
  }
}
