public import Foundation
import TenonTransportInterop

/// An error of an operation on users.
public struct AuthError: Error, Sendable, CustomStringConvertible {
  /// What went wrong.
  public let code: Code
  /// Sentences that say what went wrong and what to do. They contain no passwords and no tokens.
  public let message: String
  /// The cause, if it is known.
  public let underlying: (any Error)?
  /// The server's name of the error, for example `EMAIL_EXISTS`; `nil` if the server did not report it.
  public internal(set) var serverCode: String?
  /// The email address of a conflict; `nil` for other errors.
  public internal(set) var email: String?
  /// A credential with which to continue after a conflict: it signs the other user in, or can be linked to them.
  public internal(set) var credential: AuthCredential?
  /// The identifiers of the providers with which the other user of a conflict signs in; empty if the server reports
  /// none.
  public internal(set) var providers: [String] = []

  /// Creates an error.
  public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }

  init(
    _ code: Code,
    _ message: String,
    email: String?,
    credential: AuthCredential?,
    providers: [String]
  ) {
    self.init(code, message)
    self.email = email
    self.credential = credential
    self.providers = providers
  }

  /// The message and the code, for example `The password for "ada@example.com" is wrong. … (wrong-password)`.
  public var description: String { "\(message) (\(code.rawValue))" }

  /// Whether the server reports by this error that the session has ended.
  var endsSession: Bool {
    [.userNotFound, .userDisabled, .userTokenExpired, .invalidUserToken].contains(code)
  }

  /// Whether the server may have performed the operation in spite of the error.
  var leavesDoubt: Bool {
    if (underlying as? TransportError)?.code == .unreachable { return false }
    return endsSession || code == .networkError || code == .internalError
  }

  /// Returns the error with what is known of the other user of a conflict.
  func with(email: String?, credential: AuthCredential?) -> AuthError {
    var error = self
    error.email = email
    error.credential = credential
    return error
  }
}

extension AuthError: LocalizedError {
  /// The same text as ``description``, which thereby is the `localizedDescription`.
  public var errorDescription: String? { description }
}
