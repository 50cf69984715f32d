import TenonTransportInterop

/// Why something about the user failed.
public struct AuthError: Error, Sendable, CustomStringConvertible {
  /// What went wrong.
  public let code: Code
  /// A sentence that says what went wrong and what to do.
  public let message: String
  /// What caused it, if that is known.
  public let underlying: (any Error)?
  /// What the server called it, for example `EMAIL_EXISTS`; `nil` when it didn't come from the server.
  public internal(set) var serverCode: String?
  /// The address that the conflict is about; `nil` for other errors.
  public internal(set) var email: String?
  /// A credential to go on with after a conflict: it signs the other user in, or can be linked to them.
  public internal(set) var credential: AuthCredential?
  /// How the other user of a conflict signs in; empty when the server doesn't say.
  public internal(set) var providers: [ProviderID] = []

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
    providers: [ProviderID]
  ) {
    self.init(code, message)
    self.email = email
    self.credential = credential
    self.providers = providers
  }

  /// The code and the sentence.
  public var description: String { "\(code.rawValue): \(message)" }

  /// Whether the server says by this that the session is over.
  var endsSession: Bool {
    [.userNotFound, .userDisabled, .userTokenExpired, .invalidUserToken].contains(code)
  }

  /// Whether the server may have done what was asked for all the same.
  var leavesDoubt: Bool {
    if (underlying as? TransportError)?.code == .unreachable { return false }
    return endsSession || code == .networkError || code == .internalError
  }

  /// The error with what is known of the other side of a conflict.
  func with(email: String?, credential: AuthCredential?) -> AuthError {
    var error = self
    error.email = email
    error.credential = credential
    return error
  }
}
