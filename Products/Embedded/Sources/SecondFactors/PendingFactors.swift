import TenonFoundation
import TenonValues

/// A user of the project itself or of a tenant. Users of different tenants may have the same ID.
struct UserKey: Sendable, Hashable {
  /// The user's ID.
  let userID: String
  /// The tenant; `nil` for the project itself.
  let tenantID: String?
}

/// The sign-ins that wait for a second factor, and the authenticator apps that are being enrolled. They are in
/// memory: after a restart, a client signs in again.
final class PendingFactors: Sendable {
  /// A sign-in whose first factor was proved.
  struct SignIn: Sendable {
    /// What the client has to send, a secret.
    let credential: String
    /// The user.
    let user: UserKey
    /// The account's epoch; the sign-in is void once the user's sessions are ended.
    let epoch: Int
    /// How the first factor was proved.
    let first: BlockedSignIn
    /// When the first factor was proved, in milliseconds since 1970.
    let began: Int64
  }

  /// An authenticator app whose first code is expected.
  struct Enrollment: Sendable {
    /// What the client has to send, a secret.
    let sessionInfo: String
    /// The user.
    let user: UserKey
    /// The secret that the app shares.
    let password: OneTimePassword
    /// When the enrollment began, in milliseconds since 1970.
    let began: Int64
  }

  private struct State {
    var signIns: [SignIn] = []
    var enrollments: [Enrollment] = []
    /// The wrong codes of authenticator apps since a time, by users.
    var failures: [UserKey: (count: Int, since: Int64)] = [:]
  }

  /// How many sign-ins, enrollments and users with failures are kept; beyond that, the oldest are deleted.
  private static let most = 1_000
  /// How long a sign-in waits for the second factor, and an enrollment for its code, in milliseconds.
  static let lifetime: Int64 = 10 * 60_000
  /// How many wrong codes of an authenticator app are accepted within ``lifetime``: a code has only a million
  /// values.
  static let mostFailures = 10

  private let state = Lock(State())

  /// Keeps a sign-in.
  func insert(_ signIn: SignIn) {
    state.withLock { state in
      state.signIns.append(signIn)
      if state.signIns.count > Self.most { state.signIns.removeFirst() }
    }
  }

  /// Keeps an enrollment.
  func insert(_ enrollment: Enrollment) {
    state.withLock { state in
      state.enrollments.append(enrollment)
      if state.enrollments.count > Self.most { state.enrollments.removeFirst() }
    }
  }

  /// Returns a sign-in that still waits; `nil` if there is none.
  func signIn(_ credential: String, now: Timestamp) -> SignIn? {
    state.withLock { state in
      state.signIns.first { $0.credential == credential && Self.isCurrent($0.began, now) }
    }
  }

  /// Ends a sign-in. Only one of several callers gets it.
  func take(_ signIn: SignIn) -> Bool {
    state.withLock { state in
      guard let index = state.signIns.firstIndex(where: { $0.credential == signIn.credential }) else {
        return false
      }
      state.signIns.remove(at: index)
      return true
    }
  }

  /// Returns an enrollment that still waits; `nil` if there is none.
  func enrollment(_ sessionInfo: String, now: Timestamp) -> Enrollment? {
    state.withLock { state in
      state.enrollments.first { $0.sessionInfo == sessionInfo && Self.isCurrent($0.began, now) }
    }
  }

  /// Ends an enrollment.
  func remove(_ enrollment: Enrollment) {
    state.withLock { state in
      state.enrollments.removeAll { $0.sessionInfo == enrollment.sessionInfo }
    }
  }

  /// Returns whether a user has entered too many wrong codes.
  func isExhausted(_ user: UserKey, now: Timestamp) -> Bool {
    state.withLock { state in
      guard let failures = state.failures[user], Self.isCurrent(failures.since, now) else { return false }
      return failures.count >= Self.mostFailures
    }
  }

  /// Counts a wrong code of a user.
  func noteFailure(of user: UserKey, now: Timestamp) {
    state.withLock { state in
      let known = state.failures[user].flatMap { Self.isCurrent($0.since, now) ? $0 : nil }
      state.failures[user] = (
        min(known?.count ?? 0, Self.mostFailures) + 1, known?.since ?? now.millisecondsSince1970
      )
      guard state.failures.count > Self.most else { return }
      if let oldest = state.failures.min(by: { $0.value.since < $1.value.since }) {
        state.failures[oldest.key] = nil
      }
    }
  }

  /// Forgets the wrong codes of a user, who has entered a right one.
  func forgetFailures(of user: UserKey) { state.withLock { $0.failures[user] = nil } }

  /// Returns whether something that began at a time hasn't expired.
  private static func isCurrent(_ began: Int64, _ now: Timestamp) -> Bool {
    // Both are clamped.
    now.millisecondsSince1970 - began <= lifetime
  }
}
