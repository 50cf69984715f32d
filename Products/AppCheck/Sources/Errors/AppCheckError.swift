public import Foundation

/// The reason why there is no App Check token.
public struct AppCheckError: Error, Sendable, CustomStringConvertible {
  /// What went wrong.
  public let code: Code
  /// Sentences that say what went wrong and what to do. They contain no tokens.
  public let message: String
  /// The cause, if it is known.
  public let underlying: (any Error)?

  /// Creates an error.
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
  /// The same text as ``description``, which thereby is the `localizedDescription`.
  public var errorDescription: String? { description }
}

extension AppCheckError {
  /// What went wrong, stable across versions.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `server-unreachable`.
    public let rawValue: String

    /// Creates a code that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server does not accept this app as genuine, for example because the debug token is not registered.
    public static let attestationRejected = Code(rawValue: "attestation-rejected")
    /// The stored token can't be read.
    public static let cacheUnreadable = Code(rawValue: "cache-unreadable")
    /// The token can't be stored.
    public static let cacheUnwritable = Code(rawValue: "cache-unwritable")
    /// The app's options are incomplete, or the server does not know the app.
    public static let invalidConfiguration = Code(rawValue: "invalid-configuration")
    /// The answer is not a usable token.
    public static let invalidToken = Code(rawValue: "invalid-token")
    /// The app's own provider failed; ``AppCheckError/underlying`` is its error.
    public static let providerFailed = Code(rawValue: "provider-failed")
    /// The server failed.
    public static let serverFailed = Code(rawValue: "server-failed")
    /// There was no answer: there is no network, or the connection broke. ``AppCheckError/underlying`` is the cause.
    public static let serverUnreachable = Code(rawValue: "server-unreachable")
    /// There were too many attempts; nothing is sent until some time has passed.
    public static let tooManyAttempts = Code(rawValue: "too-many-attempts")
    /// An answer that no other code describes.
    public static let unknown = Code(rawValue: "unknown")
  }
}
