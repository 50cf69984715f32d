import Foundation
import TenonTestSupport
import Testing

@testable import TenonAppCheck

@Suite(.limited) struct CacheTests {
  @Test func aSecondLaunchUsesTheStoredToken() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let token = try await fixture.launch().token()
    #expect(try AppCheckFixture.mode(of: fixture.tokenFile) == 0o600)
    #expect(try AppCheckFixture.mode(of: fixture.libraryDirectory) == 0o700)
    let second = try fixture.launch()
    var changes = second.tokenChanges.makeAsyncIterator()
    #expect(await changes.next() == token)
    #expect(try await second.token() == token)
    #expect(fixture.provider.exchanges == 1)
    await second.keeper.close()
    fixture.time.advance(by: 3_600)
    #expect(try await fixture.launch().token().token == "token-2")
  }

  @Test func aTokenForAnotherAppIsNotUsed() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    try await fixture.launch().token()
    let other = AppCheckFixture(appID: "1:2:web:other")
    defer { other.remove() }
    let store = FileTokenStore(directory: try fixture.libraryDirectory)
    let appCheck = AppCheck(
      app: other.context, provider: other.provider, store: store, time: other.time.source)
    try await appCheck.token()
    #expect(other.provider.exchanges == 1)
    #expect(await appCheck.cacheProblem == nil)
  }

  @Test(arguments: ["", "{", #"{"version":2}"#, "s3cret"])
  func aDamagedFileIsMovedAsideAndReported(content: String) async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    try Data(content.utf8).write(to: URL(filePath: fixture.tokenFile))
    let appCheck = try fixture.launch()
    #expect(try await appCheck.token().token == "token-1")
    let problem = try #require(await appCheck.cacheProblem)
    #expect(problem.code == .cacheUnreadable)
    #expect(problem.message.contains(try fixture.tokenFile) && !"\(problem)".contains("s3cret"))
    let files = try FileManager.default.contentsOfDirectory(atPath: fixture.libraryDirectory)
    let aside = try #require(files.first { $0.hasPrefix("token.json.unreadable-") })
    #expect(
      try Data(contentsOf: URL(filePath: "\(fixture.libraryDirectory)/\(aside)")) == Data(content.utf8))
    let second = try fixture.launch()
    #expect(try await second.token().token == "token-1")
    #expect(await second.cacheProblem == nil)
  }

  @Test func aTokenThatCanNotBeStoredIsUsedAllTheSame() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let missing = "\(fixture.directory)/missing"
    let appCheck = AppCheck(
      app: fixture.context,
      provider: fixture.provider,
      store: FileTokenStore(directory: missing),
      time: fixture.time.source
    )
    #expect(try await appCheck.token().token == "token-1")
    #expect(try await appCheck.token().token == "token-1")
    #expect(await appCheck.cacheProblem?.code == .cacheUnwritable)
    try FileManager.default.createDirectory(atPath: missing, withIntermediateDirectories: true)
    try await appCheck.token(forcingRefresh: true)
    #expect(await appCheck.cacheProblem == nil)
  }

  @Test func aTokenThatAnotherProcessStoredIsUsed() async throws {
    let fixture = AppCheckFixture()
    defer { fixture.remove() }
    let (here, there) = (try fixture.launch(), try fixture.launch())
    for appCheck in [here, there] {
      appCheck.isTokenAutoRefreshEnabled = false
      #expect(try await appCheck.token().token == "token-1")
    }
    fixture.time.advance(by: 3_600)
    #expect(try await there.token().token == "token-2")
    #expect(try await here.token().token == "token-2")
    #expect(fixture.provider.exchanges == 2)
  }
}
