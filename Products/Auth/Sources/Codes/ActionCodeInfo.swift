/// The purpose of an action code, as the server reports it (`accounts:resetPassword`).
public struct ActionCodeInfo: Sendable, Hashable {
  /// What the code does when it is applied.
  public let operation: ActionCodeOperation
  /// The user's email address; for a change of the address, the new one. `nil` for sign-in links, for which
  /// the server reports none.
  public let email: String?
  /// The email address before a change; `nil` for other operations.
  public let previousEmail: String?
}
