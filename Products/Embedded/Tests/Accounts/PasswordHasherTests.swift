import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct PasswordHasherTests {
  /// Counts the computations of hashes that have begun, and makes each one wait until a given number has.
  private final class Meeting: Sendable {
    private let counts = Lock((present: 0, most: 0, arrived: 0))
    private let arrivals = NSCondition()
    private let size: Int

    init(of size: Int) { self.size = size }

    var most: Int { counts.withLock { $0.most } }

    /// Waits until enough computations have begun, for at most ten seconds on a machine that isn't
    /// overloaded.
    func attend() {
      counts.withLock {
        $0.present += 1
        $0.arrived += 1
        $0.most = max($0.most, $0.present)
      }
      defer { counts.withLock { $0.present -= 1 } }
      arrivals.lock()
      defer { arrivals.unlock() }
      arrivals.broadcast()
      let limit = Date(timeIntervalSinceNow: 10 * MachineLoad.patience)
      while counts.withLock({ $0.arrived }) < size, arrivals.wait(until: limit) {}
    }
  }

  @Test func passwordsAreHashedOnAllCores() async throws {
    #expect(PasswordHasher().width == ProcessInfo.processInfo.activeProcessorCount)
    let meeting = Meeting(of: 4)
    let hasher = PasswordHasher(width: 4) { password, _ in
      meeting.attend()
      return "hash of \(password)"
    }
    let passwords = (0..<12).map { "password \($0)" }
    let hashes = try await hasher.hashes(of: passwords)
    #expect(hashes == passwords.map { "hash of \($0)" })
    #expect(meeting.most == 4)
  }

  @Test func separateRequestsShareTheCoresForHashing() async throws {
    let meeting = Meeting(of: 3)
    let hasher = PasswordHasher(width: 3) { _, setting in
      meeting.attend()
      return setting
    }
    let results = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<9 {
        group.addTask {
          try await hasher.verify("password", against: number.isMultiple(of: 2) ? "hash" : nil)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.filter { $0 }.count == 5)
    #expect(meeting.most == 3)
  }

  @Test func aRequestThatIsCancelledWhileWaitingLeavesTheQueue() async throws {
    let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let hasher = PasswordHasher(width: 1) { password, _ in
      if password == "first" {
        begun.signal()
        mayEnd.wait()
      }
      return password
    }
    let first = Task { try await hasher.hash("first") }
    try await Task.detached { () async throws in
      try await eventually { begun.wait(timeout: .now()) != .timedOut }
    }.value
    let second = Task { try await hasher.hash("second") }
    let third = Task { try await hasher.hash("third") }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    mayEnd.signal()
    #expect(try await first.value == "first")
    #expect(try await third.value == "third")
  }

  /// How a computation ends whose thread others use afterwards.
  enum Ending: CaseIterable, Sendable { case success, failure, cancellation }

  /// A thread that is handed back twice would be given to two computations, one of which would wait for the
  /// other.
  @Test(arguments: Ending.allCases)
  func aThreadIsHandedBackOnce(after ending: Ending) async throws {
    struct Failure: Error {}
    let meeting = Meeting(of: 2)
    let hasher = PasswordHasher(width: 2) { password, _ in
      switch password {
      case "first": return password
      case "bad": throw Failure()
      default:
        meeting.attend()
        return password
      }
    }
    switch ending {
    case .success: _ = try await hasher.hash("first")
    case .failure: await #expect(throws: Failure.self) { try await hasher.hash("bad") }
    case .cancellation:
      let gate = Gate()
      let cancelled = Task {
        try? await gate.pass()
        return try await hasher.hash("first")
      }
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.value }
    }
    async let second = hasher.hash("second")
    async let third = hasher.hash("third")
    #expect(try await [second, third] == ["second", "third"])
    #expect(meeting.most == 2)
  }

  /// The kinds of account that a sign-in with a password can find.
  enum Known: CaseIterable, Sendable { case password, link, provider, unknown }

  private func make(_ known: Known, in backend: Backend) async throws {
    switch known {
    case .password:
      _ = try await backend.call("accounts:signUp", ["email": "ada@example.com", "password": "lovelace"])
    case .link:
      let send: JSON = ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com"]
      _ = try await backend.call("accounts:sendOobCode", send)
      let code = try #require(await backend.embedded.accountCodes().last).code
      let link: JSON = ["email": "ada@example.com", "oobCode": .string(code)]
      _ = try await backend.call("accounts:signInWithEmailLink", link)
    case .provider:
      let fields = "providerId=google.com&id_token=%7B%22sub%22:%22g%22,%22email%22:%22ada@example.com%22%7D"
      let body: JSON = ["requestUri": "http://localhost", "postBody": .string(fields)]
      _ = try await backend.call("accounts:signInWithIdp", body)
    case .unknown: break
    }
  }

  /// The duration of a sign-in is determined by its hash computations, so they are counted. A clock would
  /// measure the load of the machine.
  @Test(arguments: Known.allCases, ["analytical", String(repeating: "x", count: 600), "NUL \u{0}"])
  func emailPrivacyDoesTheSameWorkForEveryAddress(known: Known, password: String) async throws {
    let count = Lock(0)
    let hasher = PasswordHasher { password, setting in
      count.withLock { $0 += 1 }
      return "\(setting) \(password)"
    }
    let backend = Backend(hasher: hasher)
    backend.embedded.settings.emailPrivacy = true
    try await make(known, in: backend)
    count.withLock { $0 = 0 }
    let body: JSON = ["email": "ada@example.com", "password": .string(password)]
    let (status, json) = try await backend.call("accounts:signInWithPassword", body)
    #expect(status == 400 && json.errorMessage == "INVALID_LOGIN_CREDENTIALS")
    #expect(count.withLock { $0 } == 1)
  }

  @Test func noPasswordMatchesWithoutAHash() async throws {
    let hasher = PasswordHasher()
    #expect(try await !hasher.verify("lovelace", against: nil))
    #expect(try await !hasher.verify("", against: nil))
  }
}
