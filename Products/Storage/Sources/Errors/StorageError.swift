public import TenonFoundation

/// The reason why an operation on objects failed.
///
/// ```swift
/// do {
///   _ = try await photo.getMetadata()
/// } catch let error as StorageError where error.code == .objectNotFound {
///   print(error.localizedDescription)
/// }
/// ```
public struct StorageError: LocalizedError, Sendable, CustomStringConvertible {
  /// The kind of an error. Codes that Firebase also has carry the names of its `StorageErrorCode`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The code as text, for example `object-not-found`.
    public let rawValue: String

    /// Creates a code from its text. Later versions may add codes.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code as text, which is ``rawValue``.
    public var description: String { rawValue }

    /// The response belongs to no other kind. The message quotes it.
    public static let unknown = Code(rawValue: "unknown")
    /// There is no such object.
    public static let objectNotFound = Code(rawValue: "object-not-found")
    /// There is no such bucket.
    public static let bucketNotFound = Code(rawValue: "bucket-not-found")
    /// There is no such project, or Cloud Storage isn't set up in it.
    public static let projectNotFound = Code(rawValue: "project-not-found")
    /// The object or the target of a copy has another generation than the call demands.
    public static let preconditionFailed = Code(rawValue: "precondition-failed")
    /// A quota of the bucket is exhausted.
    public static let quotaExceeded = Code(rawValue: "quota-exceeded")
    /// No user is signed in, or the server doesn't accept the token.
    public static let unauthenticated = Code(rawValue: "unauthenticated")
    /// The project enforces App Check, and the request carried no valid App Check token.
    public static let unauthorizedApp = Code(rawValue: "unauthorized-app")
    /// The user isn't permitted to perform the operation, for example by security rules.
    public static let unauthorized = Code(rawValue: "unauthorized")
    /// An instance as an administrator was requested, but no linked library has an administrator's credential.
    public static let adminNotLinked = Code(rawValue: "admin-not-linked")
    /// The server can't be reached, or all retries failed. The operation may succeed if it is repeated later.
    public static let unavailable = Code(rawValue: "unavailable")
    /// A time limit was exceeded: ``Storage/maxOperationRetryTime``, ``Storage/maxUploadRetryTime``,
    /// ``Storage/maxDownloadRetryTime``, ``Storage/maxTransferTime``, or one of ``Storage/timeouts``. The
    /// message names it.
    public static let retryLimitExceeded = Code(rawValue: "retry-limit-exceeded")
    /// The object is larger than the download's `maxSize`.
    public static let downloadSizeExceeded = Code(rawValue: "download-size-exceeded")
    /// An argument is invalid: a bucket name, a URL, a number or metadata.
    public static let invalidArgument = Code(rawValue: "invalid-argument")
    /// The path can't be an object's path, for example because it has more than 1,024 bytes or contains a
    /// line break.
    public static let pathError = Code(rawValue: "path-error")
    /// The URL belongs to another bucket.
    public static let bucketMismatch = Code(rawValue: "bucket-mismatch")
    /// The server asked for content at a URL of another origin (scheme, host and port). Nothing was sent
    /// there.
    public static let untrustedOrigin = Code(rawValue: "untrusted-origin")
    /// A local file can't be read or written.
    public static let fileError = Code(rawValue: "file-error")
    /// The upload or the download was cancelled with its task object.
    public static let cancelled = Code(rawValue: "cancelled")
    /// The transferred content has another checksum or size than the server reports. After an upload, the
    /// damaged object is on the server until it is replaced or deleted.
    public static let nonMatchingChecksum = Code(rawValue: "non-matching-checksum")
    /// The server no longer knows the upload, or has discarded it. It has to be started again.
    public static let sessionExpired = Code(rawValue: "session-expired")
  }

  /// The kind of the error.
  public let code: Code
  /// A sentence that names the object and says what to do.
  public let message: String
  /// The error that caused this one; `nil` if there is none.
  public let underlying: (any Error)?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: the kind of the error.
  ///   - message: a sentence that names the object and says what to do. It must contain no secret.
  ///   - underlying: the error that caused this one.
  init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }

  /// The message and, in parentheses, the code.
  public var description: String { "\(message) (\(code.rawValue))" }

  /// The same text as ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}
