/// Why an operation on objects failed.
public struct StorageError: Error, Sendable, CustomStringConvertible {
  /// What went wrong, stable across versions; the names are those of Firebase's SDKs.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `object-not-found`.
    public let rawValue: String

    /// Creates a code that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An answer that fits nowhere else; the message has it.
    public static let unknown = Code(rawValue: "unknown")
    /// There is no such object.
    public static let objectNotFound = Code(rawValue: "object-not-found")
    /// A quota is used up.
    public static let quotaExceeded = Code(rawValue: "quota-exceeded")
    /// Nobody is signed in, or the token isn't accepted.
    public static let unauthenticated = Code(rawValue: "unauthenticated")
    /// The bucket's server wants an App Check token, and the request had none that it accepts.
    public static let unauthorizedApp = Code(rawValue: "unauthorized-app")
    /// The user may not do this.
    public static let unauthorized = Code(rawValue: "unauthorized")
    /// The server can't be reached, or kept failing.
    public static let unavailable = Code(rawValue: "unavailable")
    /// There was no answer in time.
    public static let deadlineExceeded = Code(rawValue: "deadline-exceeded")
    /// The object is larger than what is wanted.
    public static let downloadSizeExceeded = Code(rawValue: "download-size-exceeded")
    /// A bucket, a URL or a number isn't what it should be.
    public static let invalidArgument = Code(rawValue: "invalid-argument")
    /// A path can't be an object's.
    public static let pathError = Code(rawValue: "path-error")
  }

  /// What went wrong.
  public let code: Code
  /// A sentence that names the object and says what to do.
  public let message: String
  /// What the layer below reported, if anything.
  public let underlying: (any Error)?

  init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }

  /// The message and the code.
  public var description: String { "\(message) (\(code.rawValue))" }
}
