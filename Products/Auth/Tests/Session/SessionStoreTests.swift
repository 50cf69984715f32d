import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTransportInterop
import Testing

@testable import TenonAuth

/// Where a session is stored.
@Suite(.limited) struct SessionStoreTests {
  /// An app's own store, which fails on demand.
  final class Vault: SessionStore {
    struct Locked: Error {}

    private let content = Lock<Data?>(nil)
    private let locks = Lock(false)
    let location = "the vault"

    var isLocked: Bool {
      get { locks.withLock { $0 } }
      set { locks.withLock { $0 = newValue } }
    }
    var kept: Data? { content.withLock { $0 } }

    func load() throws -> Data? {
      guard !isLocked else { throw Locked() }
      return kept
    }

    func update(_ change: (Data?) throws -> Data?) throws {
      let changed = try change(try load())
      content.withLock { $0 = changed }
    }

    func setAside() throws {
      guard !isLocked else { throw Locked() }
      content.withLock { $0 = nil }
    }
  }

  private struct Parts: ComponentSource {
    let vault: Vault
    let server: ScriptedServer

    var components: [AnyComponent] {
      let (vault, server) = (vault, server)
      Component((any SessionStore).self) { _ in vault }
      Component((any TransportInterop).self) { _ in server }
    }
  }

  private func withAuth(_ vault: Vault, _ server: ScriptedServer, _ body: (Auth) async throws -> Void)
    async throws
  {
    let app = try App.configure(
      name: "vault-\(UUID())",
      options: AppOptions(
        projectID: "demo", apiKey: "key", backend: .emulator(EmulatorHosts(auth: "127.0.0.1:9099")),
        data: .memory),
      libraries: [AuthLibrary.self],
      sources: [Parts(vault: vault, server: server)])
    do { try await body(try Auth.auth(app: app)) } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  @Test func anAppMayProvideItsOwnStore() async throws {
    let (vault, server) = (Vault(), ScriptedServer())
    try await withAuth(vault, server) { auth in try await auth.signInAnonymously() }
    #expect(vault.kept != nil)
    try await withAuth(vault, server) { auth in
      #expect(auth.currentUser?.uid == "user-1")
      try await auth.signOut()
    }
    #expect(vault.kept == nil)
  }

  @Test func aLockedStoreIsNotSignedOut() async throws {
    let (vault, server) = (Vault(), ScriptedServer())
    try await withAuth(vault, server) { auth in try await auth.signInAnonymously() }
    let kept = vault.kept
    vault.isLocked = true
    try await withAuth(vault, server) { auth in
      #expect(auth.currentUser == nil)
      let problem = auth.sessionProblem
      #expect(problem?.code == .sessionUnreadable && problem?.underlying is Vault.Locked)
      #expect(problem?.message.contains("the vault") == true)
      let unwritable = await #expect(throws: AuthError.self) { try await auth.signOut() }
      #expect(unwritable?.code == .sessionUnwritable)
      #expect(auth.currentUser == nil && auth.sessionProblem != nil)
      vault.isLocked = false
      var states = auth.authStateChanges.makeAsyncIterator()
      let user = await states.next()
      #expect(user??.uid == "user-1" && auth.currentUser == user ?? nil)
      #expect(auth.sessionProblem == nil)
    }
    #expect(vault.kept == kept)
  }

  @Test func aSignInThatCanNotBeStoredLeavesTheCurrentUser() async throws {
    let (vault, server) = (Vault(), ScriptedServer())
    try await withAuth(vault, server) { auth in
      let guest = try await auth.signInAnonymously().user
      let kept = vault.kept
      vault.isLocked = true
      let error = await #expect(throws: AuthError.self) {
        try await auth.createUser(withEmail: "ada@example.com", password: "lovelace")
      }
      #expect(error?.code == .sessionUnwritable)
      #expect(auth.currentUser === guest && guest.isAnonymous && vault.kept == kept)
    }
  }

  @Test(arguments: [
    (AppData.memory, "memory"), (.directory("/tmp/tenon-store-test"), "/session.json"),
  ])
  func theOptionsDetermineTheStore(data: AppData, location: String) throws {
    let context = AppContext(
      name: "tests", options: AppOptions(projectID: "demo", data: data), userAgent: "tenon-tests/1")
    defer { try? FileManager.default.removeItem(atPath: "/tmp/tenon-store-test") }
    let store = try context.standardSessionStore
    #expect(store.location.hasSuffix(location))
  }
}
