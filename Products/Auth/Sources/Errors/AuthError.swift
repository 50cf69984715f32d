public import TenonFoundation
import TenonTransportInterop

/// The error of an operation of ``Auth`` or ``User``.
///
/// ```swift
/// do { try await auth.signIn(withEmail: email, password: password) } catch let error as AuthError {
///   switch error.code {
///   case .wrongPassword, .userNotFound, .invalidCredential: show("Wrong address or password.")
///   case .networkError: show("No connection.")
///   default: show(error.message)
///   }
/// }
/// ```
public struct AuthError: Error, Sendable, CustomStringConvertible {
  /// The kind of the error.
  public let code: Code
  /// A description of the error and of its remedy, in English. It contains no passwords and no tokens.
  public let message: String
  /// The cause, for example a `TransportError`; `nil` if there is none.
  public let underlying: (any Error)?
  /// The server's name of the error, for example `EMAIL_EXISTS`; `nil` if the error isn't the server's.
  public internal(set) var serverCode: String?
  /// The email address of a conflict; `nil` for other errors.
  public internal(set) var email: String?
  /// A credential with which to continue after a conflict: it signs the other user in, or can be linked to
  /// that user.
  public internal(set) var credential: AuthCredential?
  /// The identifiers of the providers with which the other user of a conflict signs in; empty if the server
  /// reports none.
  public internal(set) var providers: [String] = []
  /// What the project's blocking function answered, if the code is
  /// ``Code/blockingCloudFunctionError``; `nil` for other errors, and if the server doesn't quote it.
  public internal(set) var functionResponse: FunctionResponse?

  /// Continues the sign-in if the code is ``Code/secondFactorRequired``; `nil` for other errors.
  public internal(set) var multiFactorResolver: MultiFactorResolver?
  /// What ``multiFactorResolver`` is made of.
  var pendingSignIn: PendingSignIn?

  /// Creates an error, for example in a test.
  ///
  /// - Parameters:
  ///   - code: the kind of the error.
  ///   - message: a description without secrets.
  ///   - underlying: the cause.
  public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }

  /// Creates the error of a conflict with another user.
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

  /// Creates the error of a sign-in that requires a second factor.
  init(_ pending: PendingSignIn) {
    self.init(
      .secondFactorRequired,
      "The user must prove a second factor. Pass the proof of one of the hints of the error's multiFactorResolver "
        + "to resolveSignIn(with:)."
    )
    pendingSignIn = pending
  }

  /// The message and the code, for example `The password for "ada@example.com" is wrong. … (wrong-password)`.
  public var description: String { "\(message) (\(code.rawValue))" }

  /// Whether this error of the server means that the session has ended.
  var endsSession: Bool {
    [.userNotFound, .userDisabled, .userTokenExpired, .invalidUserToken].contains(code)
  }

  /// Whether the server may have performed the operation despite the error: the request may have reached it.
  var leavesDoubt: Bool {
    if (underlying as? TransportError)?.code == .unreachable { return false }
    return endsSession || code == .networkError || code == .internalError
  }

  /// Returns the error with the email address and the credential of a conflict.
  func with(email: String?, credential: AuthCredential?) -> AuthError {
    var error = self
    error.email = email
    error.credential = credential
    return error
  }
}

extension AuthError: LocalizedError {
  /// The same text as ``description``, so that `localizedDescription` returns it.
  public var errorDescription: String? { description }
}
