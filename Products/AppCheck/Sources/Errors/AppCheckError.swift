public import TenonFoundation

/// The reason why there is no App Check token.
public struct AppCheckError: Error, Sendable, CustomStringConvertible {
  /// The kind of the error.
  public let code: Code
  /// A description of the error and of its remedy, in English. It contains no tokens.
  public let message: String
  /// The cause, for example the provider's error; `nil` if there is none.
  public let underlying: (any Error)?

  /// Creates an error, for example in an ``AppCheckProvider``.
  ///
  /// - Parameters:
  ///   - code: the kind of the error.
  ///   - message: a description without tokens.
  ///   - underlying: the cause.
  public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }

  /// The message and the code, for example
  /// `The App Check server failed with status 503. Try again later. (server-failed)`.
  public var description: String { "\(message) (\(code.rawValue))" }
}

extension AppCheckError: LocalizedError {
  /// The same text as ``description``, so that `localizedDescription` returns it.
  public var errorDescription: String? { description }
}

extension AppCheckError {
  /// The kind of an error, stable across versions. Later versions may add codes, so a `switch` needs a
  /// `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The code as text, for example `server-unreachable`.
    public let rawValue: String

    /// Creates a code from its text, which may be one that this version doesn't define.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code as text, which is ``rawValue``.
    public var description: String { rawValue }

    /// The server doesn't accept this app as genuine, for example because the debug token isn't registered.
    public static let attestationRejected = Code(rawValue: "attestation-rejected")
    /// The stored token can't be read. Its file is moved aside.
    public static let cacheUnreadable = Code(rawValue: "cache-unreadable")
    /// The token, or the debug token, can't be stored.
    public static let cacheUnwritable = Code(rawValue: "cache-unwritable")
    /// The app's options are incomplete, or the server doesn't know the app.
    public static let invalidConfiguration = Code(rawValue: "invalid-configuration")
    /// The token is empty, malformed or expired, or unsigned where the backend requires a signature.
    public static let invalidToken = Code(rawValue: "invalid-token")
    /// The app's own provider failed; ``AppCheckError/underlying`` is its error.
    public static let providerFailed = Code(rawValue: "provider-failed")
    /// The server failed: it answered with a status of 500 or more.
    public static let serverFailed = Code(rawValue: "server-failed")
    /// The server didn't answer, for example because there is no network, or the provider returned no token
    /// within a time limit, which the message names. ``AppCheckError/underlying`` is the cause.
    public static let serverUnreachable = Code(rawValue: "server-unreachable")
    /// There were too many attempts. No request is sent until the backoff has passed.
    public static let tooManyAttempts = Code(rawValue: "too-many-attempts")
    /// The server answered with a status that no other code describes.
    public static let unknown = Code(rawValue: "unknown")
  }
}
