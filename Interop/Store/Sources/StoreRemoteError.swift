/// Why a remote did not do what Store asked; the codes are those of gRPC.
public struct StoreRemoteError: Error, Sendable {
  /// What went wrong, stable across versions.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `not-found`.
    public let rawValue: String

    /// Creates a code that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The call was given up.
    public static let cancelled = Code(rawValue: "cancelled")
    /// Nothing more is known.
    public static let unknown = Code(rawValue: "unknown")
    /// A write or a query breaks a rule. Asking again won't help.
    public static let invalidArgument = Code(rawValue: "invalid-argument")
    /// The answer didn't come in time. Asking again may help.
    public static let deadlineExceeded = Code(rawValue: "deadline-exceeded")
    /// A document that must exist doesn't.
    public static let notFound = Code(rawValue: "not-found")
    /// A document that must not exist does.
    public static let alreadyExists = Code(rawValue: "already-exists")
    /// The user may not do this.
    public static let permissionDenied = Code(rawValue: "permission-denied")
    /// A quota is used up. Asking again later may help.
    public static let resourceExhausted = Code(rawValue: "resource-exhausted")
    /// A document was changed since it was read, or an index is missing.
    public static let failedPrecondition = Code(rawValue: "failed-precondition")
    /// Others changed the same documents at the same time. Asking again may help.
    public static let aborted = Code(rawValue: "aborted")
    /// Something lies outside its range.
    public static let outOfRange = Code(rawValue: "out-of-range")
    /// The remote can't do this.
    public static let unimplemented = Code(rawValue: "unimplemented")
    /// The remote has an error.
    public static let `internal` = Code(rawValue: "internal")
    /// The remote can't be reached now. Asking again may help.
    public static let unavailable = Code(rawValue: "unavailable")
    /// The remote has lost data.
    public static let dataLoss = Code(rawValue: "data-loss")
    /// The token isn't accepted.
    public static let unauthenticated = Code(rawValue: "unauthenticated")
  }

  /// What went wrong.
  public var code: Code
  /// A sentence that names the document.
  public var message: String
  /// What the layer below reported, if anything.
  public var underlying: (any Error)?

  /// Creates an error.
  public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }
}
