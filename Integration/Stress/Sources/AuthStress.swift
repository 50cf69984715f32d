import Foundation
import TenonAuth
import TenonAuthInterop
import TenonCore
import TenonEmbedded
import TenonFoundation

/// Several apps on one backend: in each, one task signs users in and out while others request tokens.
struct AuthStress {
  private static let apps = 3
  private static let readers = 4

  private let findings: Findings
  private let seed: UInt64
  private let directory: URL

  init(_ findings: Findings, _ seed: UInt64, _ directory: URL) {
    self.findings = findings
    self.seed = seed
    self.directory = directory
  }

  func run(until deadline: ContinuousClock.Instant) async throws -> String {
    let (changes, tokens, users) = (Counter(), Counter(), Users())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<Self.apps {
        group.addTask {
          let device = AuthDevice(
            app: try configure(number), findings: findings, users: users, changes: changes, tokens: tokens)
          try await device.run(seed &+ UInt64(number) &* 1000, readers: Self.readers, until: deadline)
          try await restart(device, number)
        }
      }
      try await group.waitForAll()
    }
    return "\(changes.value) sign-ins and sign-outs, \(tokens.value) tokens"
  }

  private func configure(_ number: Int) throws -> App {
    try App.configure(
      name: "auth-\(number)",
      options: AppOptions(
        projectID: "demo-stress", backend: .embedded(directory: directory.appending(path: "backend").path),
        data: .directory(directory.appending(path: "device-\(number)").path)))
  }

  /// Restarts the app and checks that the session is the same.
  private func restart(_ device: AuthDevice, _ number: Int) async throws {
    let before = try Auth.auth(app: device.app).currentUser?.uid
    await device.app.delete()
    let app = try configure(number)
    let after = try Auth.auth(app: app).currentUser?.uid
    findings.expect(
      before == after,
      "after a restart, the session of \(before ?? "no user") is that of \(after ?? "no user")")
    await app.delete()
  }
}

/// One app and its current user.
struct AuthDevice: Sendable {
  /// The user who is known to be signed in.
  private struct Known: Equatable {
    /// A version that is odd while the user changes.
    var generation = 0
    var userID: String?
    var isSettled: Bool { generation % 2 == 0 }
  }

  let app: App
  let findings: Findings
  let users: Users
  let changes: Counter
  let tokens: Counter
  private let state = SharedKnown()

  private final class SharedKnown: Sendable { let known = Lock(Known()) }

  private final class LastState: Sendable { let state = Lock<AuthState?>(nil) }

  init(app: App, findings: Findings, users: Users, changes: Counter, tokens: Counter) {
    self.app = app
    self.findings = findings
    self.users = users
    self.changes = changes
    self.tokens = tokens
  }

  private var known: Known { state.known.withLock { $0 } }

  func run(_ seed: UInt64, readers: Int, until deadline: ContinuousClock.Instant) async throws {
    let auth = try Auth.auth(app: app)
    let accounts = try await makeAccounts(auth)
    let interop = try app.resolve((any AuthInterop).self)
    let last = LastState()
    try await withThrowingTaskGroup(of: Void.self) { group in
      let watching = Task { [findings] in
        for await state in interop.stateChanges {
          if let token = state.token {
            let owner = try tokenOwner(token)
            findings.expect(
              owner == state.userID, "a state has \(state.userID ?? "no user") with \(owner)'s token")
          }
          last.state.withLock { $0 = state }
        }
      }
      group.addTask { try await change(auth, accounts, seed, until: deadline) }
      for reader in 1...readers {
        group.addTask {
          var random = SplitMix(state: seed &+ UInt64(reader))
          while !deadline.isPast { try await read(auth, interop, &random) }
        }
      }
      try await group.waitForAll()
      let current = auth.currentUser?.uid
      findings.expect(current == known.userID, "the user at the end isn't the last one who signed in")
      let isCurrent = await eventually { last.state.withLock { $0.map { $0.userID == current } ?? false } }
      findings.expect(isCurrent, "the stream of states ends in another state")
      watching.cancel()
    }
  }

  private func makeAccounts(_ auth: Auth) async throws -> [String] {
    var accounts: [String] = []
    for number in 0..<2 {
      let email = "\(app.name)-\(number)@example.com"
      let user = try await auth.createUser(withEmail: email, password: "secret of \(email)").user
      users.add(user.uid, of: app)
      accounts.append(email)
    }
    try await auth.signOut()
    return accounts
  }

  /// Signs in or out.
  private func change(
    _ auth: Auth, _ accounts: [String], _ seed: UInt64, until deadline: ContinuousClock.Instant
  ) async throws {
    var random = SplitMix(state: seed)
    while !deadline.isPast {
      state.known.withLock { $0.generation += 1 }
      var userID: String?
      switch Int.random(in: 0..<8, using: &random) {
      case 0...2: try await auth.signOut()
      case 3, 4:
        userID = try await auth.signInAnonymously().user.uid
      default:
        let email = accounts.randomElement(using: &random) ?? ""
        userID = try await auth.signIn(withEmail: email, password: "secret of \(email)").user.uid
      }
      if let userID { users.add(userID, of: app) }
      state.known.withLock { known in
        known.userID = userID
        known.generation += 1
      }
      changes.add(1)
      for _ in 0..<Int.random(in: 0..<4, using: &random) {
        _ = try? await auth.currentUser?.getIDToken(forcingRefresh: true)
      }
    }
  }

  /// Requests a token, which must belong to the user who was signed in throughout.
  private func read(_ auth: Auth, _ interop: any AuthInterop, _ random: inout SplitMix) async throws {
    let before = known
    let forcing = Int.random(in: 0..<10, using: &random) == 0
    let owner: String?
    do {
      switch Int.random(in: 0..<3, using: &random) {
      case 0: owner = try await auth.currentUser?.getIDTokenResult(forcingRefresh: forcing).userID
      case 1: owner = try await interop.token(forcingRefresh: forcing).map { try tokenOwner($0) }
      default: owner = try await interop.currentUserID
      }
    } catch {
      findings.expect(known != before || !before.isSettled, "a token was refused with \(error)")
      return
    }
    tokens.add(1)
    if before.isSettled, known == before {
      findings.expect(
        owner == before.userID, "\(before.userID ?? "no user") received the token of \(owner ?? "no user")")
    } else if let owner {
      findings.expect(users.app(of: owner) ?? app.name == app.name, "a token of another app's user")
    }
    await Task.yield()
  }
}

/// The app to which each user signed in.
final class Users: Sendable {
  private let apps = Lock<[String: String]>([:])

  func add(_ userID: String, of app: App) { apps.withLock { $0[userID] = app.name } }

  func app(of userID: String) -> String? { apps.withLock { $0[userID] } }
}

/// Returns the user of an ID token.
private func tokenOwner(_ token: String) throws -> String {
  struct Claims: Decodable { let sub: String }
  var payload =
    token.split(separator: ".", omittingEmptySubsequences: false).dropFirst().first.map(String.init) ?? ""
  payload = payload.replacing("-", with: "+").replacing("_", with: "/")
  payload += String(repeating: "=", count: (4 - payload.utf8.count % 4) % 4)
  return try JSONDecoder().decode(Claims.self, from: Data(base64Encoded: payload) ?? Data()).sub
}
