/// Why a remote did not do what Store asked; the codes are those of gRPC.
public struct StoreRemoteError: Error, Sendable {
  /// What went wrong, stable across versions.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `not-found`.
    public let rawValue: String

    /// Creates a code that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A write or a query breaks a rule. Asking again won't help.
    public static let invalidArgument = Code(rawValue: "invalid-argument")
    /// A document that must exist doesn't.
    public static let notFound = Code(rawValue: "not-found")
    /// A document that must not exist does.
    public static let alreadyExists = Code(rawValue: "already-exists")
    /// A document was changed since it was read.
    public static let failedPrecondition = Code(rawValue: "failed-precondition")
    /// The user may not do this.
    public static let permissionDenied = Code(rawValue: "permission-denied")
    /// The token isn't accepted.
    public static let unauthenticated = Code(rawValue: "unauthenticated")
    /// The remote can't be reached now. Asking again may help.
    public static let unavailable = Code(rawValue: "unavailable")
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
