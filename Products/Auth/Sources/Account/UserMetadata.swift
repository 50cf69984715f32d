public import TenonFoundation

/// The times of an account, by the server's clock.
public struct UserMetadata: Sendable, Hashable {
  /// The time at which the account was created; `nil` if the server didn't report it.
  public let creationDate: Date?
  /// The time of the last sign-in; `nil` if the server didn't report it.
  public let lastSignInDate: Date?
}
