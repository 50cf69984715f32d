/// Why there is no App Check token.
public struct AppCheckError: Error, Sendable, CustomStringConvertible {
  /// What went wrong.
  public let code: Code
  /// A sentence that says what went wrong and what to do.
  public let message: String
  /// What caused it, if that is known.
  public let underlying: (any Error)?

  /// Creates an error.
  public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }

  /// The code and the sentence.
  public var description: String { "\(code.rawValue): \(message)" }
}

extension AppCheckError {
  /// What went wrong, stable across versions.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `server-unreachable`.
    public let rawValue: String

    /// Creates a code that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server refuses to take this for a genuine app, for example because the debug token isn't registered.
    public static let attestationRejected = Code(rawValue: "attestation-rejected")
    /// The kept token can't be read.
    public static let cacheUnreadable = Code(rawValue: "cache-unreadable")
    /// The token can't be kept.
    public static let cacheUnwritable = Code(rawValue: "cache-unwritable")
    /// The app's options lack something, or the server doesn't know the app.
    public static let invalidConfiguration = Code(rawValue: "invalid-configuration")
    /// What came instead of a token can't be used.
    public static let invalidToken = Code(rawValue: "invalid-token")
    /// The app's own provider failed; ``AppCheckError/underlying`` is its error.
    public static let providerFailed = Code(rawValue: "provider-failed")
    /// The server can't understand or answer the request at the moment.
    public static let serverFailed = Code(rawValue: "server-failed")
    /// There was no answer: there is no network, or the connection broke. ``AppCheckError/underlying`` has more.
    public static let serverUnreachable = Code(rawValue: "server-unreachable")
    /// There were too many attempts; nothing is sent before some time has passed.
    public static let tooManyAttempts = Code(rawValue: "too-many-attempts")
    /// An answer that fits nowhere else.
    public static let unknown = Code(rawValue: "unknown")
  }
}
