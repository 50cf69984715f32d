import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonAuth

/// P5: a stored session that isn't the one that was stored is never used, and doesn't keep users out.
@Suite(.limited) struct SessionDamageTests {
  /// Returns the content of a real session file.
  private func content() async throws -> Data {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    _ = try await fixture.launch().createUser(withEmail: "ada@example.com", password: "lovelace")
    return try Data(contentsOf: URL(fileURLWithPath: try fixture.sessionFile))
  }

  private func isDamaged(_ content: Data) -> Bool {
    if case .damaged = SessionFormat.decode(content) { true } else { false }
  }

  private func isPresentVersion(_ content: Data) -> Bool {
    if case .session(_, isPresentVersion: true) = SessionFormat.decode(content) { true } else { false }
  }

  @Test func p5EveryChangedBitIsNoticed() async throws {
    let content = try await content()
    #expect(isPresentVersion(content))
    for index in content.indices {
      for bit in 0..<8 {
        var changed = content
        changed[index] ^= 1 << UInt8(bit)
        #expect(isDamaged(changed), "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test func p5EveryMissingEndIsNoticed() async throws {
    let content = try await content()
    for count in content.indices { #expect(isDamaged(content.prefix(count)), "\(count) bytes") }
    #expect(isDamaged(content + content) && isDamaged(content + [0]))
  }

  @Test func p5TokensOfAnotherUserAreNotTheUsers() async throws {
    let content = try await content()
    guard case .session(var session, _) = SessionFormat.decode(content) else { return }
    session.profile.uid = "somebody"
    #expect(isDamaged(try SessionFormat.encode(session)))
    session.profile.uid = "user-1"
    session.tokens.idToken = Secret("no token")
    #expect(isDamaged(try SessionFormat.encode(session)))
  }

  @Test(arguments: ["", "{}", "not json", #"{"version":2}"#, #"{"version":1}"#, #"{"version":-1}"#])
  func p5ADamagedFileIsMovedAsideAndUsersCanSignIn(content: String) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let file = URL(fileURLWithPath: try fixture.sessionFile)
    try Data(content.utf8).write(to: file)
    let auth = try fixture.launch()
    #expect(auth.currentUser == nil && auth.sessionProblem?.code == .sessionDamaged)
    var states = auth.authStateChanges.makeAsyncIterator()
    #expect(await states.next() == .some(nil))
    try await eventually { try aside(file).count == 1 }
    #expect(try String(contentsOf: try #require(try aside(file).first), encoding: .utf8) == content)
    #expect(auth.sessionProblem?.code == .sessionDamaged)
    let user = try await auth.signInAnonymously().user
    #expect(await states.next() == user)
    #expect(auth.sessionProblem == nil)
    #expect(try fixture.launch().user.uid == user.uid)
    #expect(try aside(file).count == 1)
  }

  @Test func p5ASignInReplacesASessionThatWasDamagedSince() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signInAnonymously()
    let file = URL(fileURLWithPath: try fixture.sessionFile)
    try Data("damage".utf8).write(to: file)
    let user = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    #expect(try fixture.launch().user.uid == user.uid)
    #expect(try aside(file).count == 1)
    try Data("damage".utf8).write(to: file)
    try await auth.signOut()
    #expect(try fixture.launch().sessionProblem == nil)
  }

  /// A later version of the library may give the content another meaning.
  @Test func aSessionOfALaterVersionIsKept() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let file = URL(fileURLWithPath: try fixture.sessionFile)
    try Data(#"{"version":3,"checksum":"none"}"#.utf8).write(to: file)
    let auth = try fixture.launch()
    #expect(auth.sessionProblem?.code == .sessionUnreadable)
    await #expect(throws: AuthError.self) { try await auth.signInAnonymously() }
    #expect(try aside(file).isEmpty)
    try await auth.signOut()
    _ = try await auth.signInAnonymously()
  }

  @Test func aSessionOfVersion1IsReadAndRewritten() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let user = try await fixture.launch().signInAnonymously().user
    let file = URL(fileURLWithPath: try fixture.sessionFile)
    var session = try #require(try SessionRecord(store: FileSessionStore(directory: file.directory)).load())
    session.version = 1
    try JSONEncoder().encode(session).write(to: file)
    let auth = try fixture.launch()
    #expect(try auth.user.profile == user.profile)
    try await eventually { isPresentVersion(try Data(contentsOf: file)) }
    #expect(try fixture.launch().user.profile == user.profile)
  }

  /// Root may read any file, so that its permissions don't show this.
  @Test func aFileThatCanNotBeReadNowIsWaitedFor() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let user = try await fixture.launch().signInAnonymously().user
    let file = try fixture.sessionFile
    try FileManager.default.moveItem(atPath: file, toPath: file + ".away")
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: fixture.directory)
    let auth = try fixture.launch()
    let problem = try #require(auth.sessionProblem)
    #expect(problem.code == .sessionUnreadable && problem.message.contains("Auth waits"))
    var states = auth.authStateChanges.makeAsyncIterator()
    await #expect(throws: AuthError.self) { try await auth.signIn(withEmail: "a@b", password: "secret") }
    // In one step: without a file, nobody would be signed in.
    #expect(rename(file + ".away", file) == 0)
    #expect(await states.next()??.uid == user.uid)
    #expect(auth.sessionProblem == nil)
  }

  @Test func aFileThatOthersMayReadBecomesPrivate() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    _ = try await fixture.launch().signInAnonymously()
    let file = try fixture.sessionFile
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    #expect(try fixture.launch().currentUser != nil)
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
  }

  @Test func aFileThatIsLargerThanAnySessionIsDamagedWithoutBeingRead() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let file = URL(fileURLWithPath: try fixture.sessionFile)
    // Sparse: reading it would take a TiB of memory.
    #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
    try FileHandle(forWritingTo: file).truncate(atOffset: 1 << 40)
    let auth = try fixture.launch()
    #expect(auth.sessionProblem?.code == .sessionDamaged)
    _ = try await auth.signInAnonymously()
    #expect(try aside(file).count == 1)
  }

  /// Returns the files that were moved aside.
  private func aside(_ file: URL) throws -> [URL] {
    let names = try FileManager.default.contentsOfDirectory(atPath: file.directory)
    return names.filter { $0.hasPrefix("session.json.unreadable-") }.map {
      URL(fileURLWithPath: "\(file.directory)/\($0)")
    }
  }
}

extension URL {
  fileprivate var directory: String { deletingLastPathComponent().path }
}
