import Foundation

@testable import TenonAuth

/// An operation of a user, and its preconditions.
enum AuthOperation: String, CaseIterable, Sendable {
  case createUser, signInAnonymously, signIn, signInWithProvider
  case refresh, reload, link, linkProvider, unlink, updateEmail, updatePassword, updateProfile
  case reauthenticate, deleteUser, signOut

  /// The user of an app.
  struct Person: Sendable {
    let name: String
    var email: String { "\(name)@example.com" }
    var newEmail: String { "new-\(name)@example.com" }
    let password = "the first password"
    let newPassword = "the second password"
    var credential: AuthCredential { EmailAuthProvider.credential(withEmail: email, password: password) }
    var google: AuthCredential {
      OAuthProvider.credential(providerID: .google, idToken: #"{"sub": "google-\#(name)"}"#)
    }
  }

  /// Establishes the preconditions of the operation.
  func prepare(_ auth: Auth, _ person: Person) async throws {
    switch self {
    case .createUser, .signInWithProvider, .signInAnonymously: break
    case .signIn:
      try await auth.createUser(withEmail: person.email, password: person.password)
      try await auth.signOut()
      try await auth.signInAnonymously()
    case .link, .linkProvider: try await auth.signInAnonymously()
    case .unlink:
      try await auth.createUser(withEmail: person.email, password: person.password)
      try await auth.currentUser?.link(with: person.google)
    case .refresh, .reload, .updateEmail, .updatePassword, .updateProfile, .reauthenticate, .deleteUser,
      .signOut:
      try await auth.createUser(withEmail: person.email, password: person.password)
    }
  }

  /// Runs the operation. An operation on the user fails if nobody is signed in.
  ///
  /// - Returns: the user as the operation returned or changed them; `nil` for operations that return and
  ///   change none.
  func run(_ auth: Auth, _ person: Person) async throws -> UserProfile? {
    if let user = try await runOnAuth(auth, person) { return user.profile }
    if self == .signOut { return nil }
    guard let user = auth.currentUser else {
      throw AuthError(.userSignedOut, "Nobody is signed in. Sign in first.")
    }
    return try await run(on: user, person)
  }

  private func runOnAuth(_ auth: Auth, _ person: Person) async throws -> User? {
    switch self {
    case .createUser:
      return try await auth.createUser(withEmail: person.email, password: person.password).user
    case .signInAnonymously: return try await auth.signInAnonymously().user
    case .signIn: return try await auth.signIn(withEmail: person.email, password: person.password).user
    case .signInWithProvider: return try await auth.signIn(with: person.google).user
    case .signOut:
      try await auth.signOut()
      return nil
    default: return nil
    }
  }

  private func run(on user: User, _ person: Person) async throws -> UserProfile? {
    switch self {
    case .refresh:
      _ = try await user.getIDToken(forcingRefresh: true)
      return nil
    case .updatePassword:
      try await user.updatePassword(to: person.newPassword)
      return nil
    case .deleteUser:
      try await user.delete()
      return nil
    case .reload: try await user.reload()
    case .link: try await user.link(with: person.credential)
    case .linkProvider: try await user.link(with: person.google)
    case .unlink: try await user.unlink(fromProvider: GoogleAuthProvider.id)
    case .updateEmail: try await user.updateEmail(to: person.newEmail)
    case .updateProfile:
      let request = user.createProfileChangeRequest()
      request.displayName = "Ada"
      try await request.commitChanges()
    case .reauthenticate: try await user.reauthenticate(with: person.credential)
    default: return nil
    }
    return user.profile
  }

  /// Whether the operation changes the current user.
  var signsIn: Bool { [.createUser, .signInAnonymously, .signIn, .signInWithProvider].contains(self) }
  /// Whether no user is signed in afterwards.
  var signsOut: Bool { self == .deleteUser || self == .signOut }
  /// Whether the server ends all sessions of the user, including this one, except for the tokens in its
  /// response.
  var endsSessions: Bool { [.link, .updateEmail, .updatePassword].contains(self) }
  /// Whether the person's address and password return new tokens if the response is lost.
  var provesItself: Bool { self == .link || self == .updatePassword }
}
