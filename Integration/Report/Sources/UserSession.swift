/// How a program that links Auth signs a user in and out. The features of the other products are tried out
/// without Auth, which they must not link, so they receive this.
package struct UserSession: Sendable {
  /// Signs a new user in, and returns the user's ID.
  package let signIn: @Sendable () async throws -> String
  /// Signs the user out.
  package let signOut: @Sendable () async throws -> Void

  package init(
    signIn: @escaping @Sendable () async throws -> String,
    signOut: @escaping @Sendable () async throws -> Void
  ) {
    self.signIn = signIn
    self.signOut = signOut
  }

  /// What features say that require a user, in programs without Auth.
  package static let missing = "nobody can sign in: Auth isn't linked"
}
