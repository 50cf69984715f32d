import TenonFoundation

/// Checking a password before it is sent.
extension Auth {
  /// Checks a password with the policy of the project, or of the tenant that ``tenantID`` selects.
  ///
  /// The password isn't sent. The policy is loaded when it is first needed, and again after the server has refused
  /// a password because of it, which shows that it has changed. The server checks each new password itself; this
  /// is for an app that shows the requirements while the user types.
  ///
  /// - Parameter password: the password.
  /// - Returns: which requirements it meets, whether or not the server enforces them.
  /// - Throws: ``AuthError`` with ``AuthError/Code/networkError`` if the policy can't be loaded, and with
  ///   ``AuthError/Code/unsupportedPasswordPolicySchemaVersion``; `CancellationError`.
  public func validatePassword(_ password: String) async throws -> PasswordValidationStatus {
    let server = server.begun()
    let policy: PasswordPolicy
    if let known = server.policies.policy(of: server.tenantID) {
      policy = known
    } else {
      let generation = server.policies.generation
      policy = try await server.passwordPolicy().policy
      server.policies.keep(policy, of: server.tenantID, generation)
    }
    return PasswordValidationStatus(password, policy)
  }
}

/// The password policies that were loaded.
final class PasswordPolicies: Sendable {
  private struct State {
    /// The policies by the ID of the tenant; that of the project has none.
    var policies: [String?: PasswordPolicy] = [:]
    /// How often the policies were discarded.
    var generation = 0
  }

  /// The greatest number of policies. Beyond it, they are loaded again.
  private static let most = 64

  private let state = Lock(State())

  /// How often the policies were discarded. A policy that was requested before isn't kept.
  var generation: Int { state.withLock { $0.generation } }

  /// Returns the policy of a tenant, or that of the project; `nil` if it must be loaded.
  func policy(of tenantID: String?) -> PasswordPolicy? { state.withLock { $0.policies[tenantID] } }

  /// Keeps a policy, unless the policies were discarded since the generation in which it was requested.
  func keep(_ policy: PasswordPolicy, of tenantID: String?, _ generation: Int) {
    state.withLock { state in
      guard state.generation == generation else { return }
      if state.policies.count >= Self.most { state.policies = [:] }
      state.policies[tenantID] = policy
    }
  }

  /// Discards all policies, because a server has refused a password.
  func discard() {
    state.withLock { state in
      state.policies = [:]
      state.generation &+= 1
    }
  }
}
