import Foundation
import TenonAuth

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
    var google: AuthCredential { .provider(.google, idToken: #"{"sub": "google-\#(name)"}"#) }
  }

  /// Establishes the preconditions of the operation.
  func prepare(_ auth: Auth, _ person: Person) async throws {
    switch self {
    case .createUser, .signInWithProvider, .signInAnonymously: break
    case .signIn:
      try await auth.createUser(email: person.email, password: person.password)
      try await auth.signOut()
      try await auth.signInAnonymously()
    case .link, .linkProvider: try await auth.signInAnonymously()
    case .unlink:
      try await auth.createUser(email: person.email, password: person.password)
      _ = try await auth.link(with: person.google)
    case .refresh, .reload, .updateEmail, .updatePassword, .updateProfile, .reauthenticate, .deleteUser,
      .signOut:
      try await auth.createUser(email: person.email, password: person.password)
    }
  }

  /// - Returns: The user that the operation returns, if it returns one.
  func run(_ auth: Auth, _ person: Person) async throws -> User? {
    switch self {
    case .createUser: return try await auth.createUser(email: person.email, password: person.password).user
    case .signInAnonymously: return try await auth.signInAnonymously().user
    case .signIn: return try await auth.signIn(email: person.email, password: person.password).user
    case .signInWithProvider: return try await auth.signIn(with: person.google).user
    case .refresh: _ = try await auth.idToken(forcingRefresh: true)
    case .reload: return try await auth.reload()
    case .link: return try await auth.link(email: person.email, password: person.password)
    case .linkProvider: return try await auth.link(with: person.google)
    case .unlink: return try await auth.unlink(.google)
    case .updateEmail: return try await auth.updateEmail(person.newEmail)
    case .updatePassword: try await auth.updatePassword(person.newPassword)
    case .updateProfile: return try await auth.updateDisplayName("Ada")
    case .reauthenticate:
      return try await auth.reauthenticate(with: .password(email: person.email, password: person.password))
    case .deleteUser: try await auth.deleteUser()
    case .signOut: try await auth.signOut()
    }
    return nil
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
