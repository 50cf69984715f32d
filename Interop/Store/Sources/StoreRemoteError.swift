#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The error of a remote; the codes are those of gRPC (https://grpc.io/docs/guides/status-codes/).
///
/// Store retries pending writes and targets that failed with ``Code/cancelled``, ``Code/unknown``,
/// ``Code/deadlineExceeded``, ``Code/resourceExhausted``, ``Code/aborted``, ``Code/internal``,
/// ``Code/unavailable`` or ``Code/unauthenticated``. It regards all other codes as final, including those
/// that it doesn't know: a batch to which a write stream responds with one of them is rejected.
public struct StoreRemoteError: Error, Sendable {
  /// The kind of error, stable across versions.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `not-found`.
    public let rawValue: String

    /// Creates a code that this version doesn't know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The call was cancelled.
    public static let cancelled = Code(rawValue: "cancelled")
    /// An error of unknown kind.
    public static let unknown = Code(rawValue: "unknown")
    /// A write or a query is invalid. Retrying doesn't help.
    public static let invalidArgument = Code(rawValue: "invalid-argument")
    /// The response didn't arrive in time. Retrying may help.
    public static let deadlineExceeded = Code(rawValue: "deadline-exceeded")
    /// A document that must exist doesn't exist.
    public static let notFound = Code(rawValue: "not-found")
    /// A document that must not exist exists.
    public static let alreadyExists = Code(rawValue: "already-exists")
    /// The user lacks permission.
    public static let permissionDenied = Code(rawValue: "permission-denied")
    /// A quota is exhausted. Retrying later may help.
    public static let resourceExhausted = Code(rawValue: "resource-exhausted")
    /// A document has changed since it was read, or an index is missing.
    public static let failedPrecondition = Code(rawValue: "failed-precondition")
    /// The operation conflicted with a concurrent one. Retrying may help.
    public static let aborted = Code(rawValue: "aborted")
    /// A value is out of range.
    public static let outOfRange = Code(rawValue: "out-of-range")
    /// The remote doesn't support the operation.
    public static let unimplemented = Code(rawValue: "unimplemented")
    /// An internal error of the remote.
    public static let `internal` = Code(rawValue: "internal")
    /// The remote can't be reached. Retrying may help.
    public static let unavailable = Code(rawValue: "unavailable")
    /// The remote has lost data.
    public static let dataLoss = Code(rawValue: "data-loss")
    /// The token wasn't accepted.
    public static let unauthenticated = Code(rawValue: "unauthenticated")
  }

  /// The kind of error.
  public var code: Code
  /// A sentence that names the document.
  public var message: String
  /// The underlying error, if there is one.
  public var underlying: (any Error)?
  /// Whether the remote certainly hasn't received the request, for example because no connection could be
  /// opened. Store then lets writes be cancelled that it would otherwise consider sent. `false` by default.
  public var isUnsent = false

  /// Creates an error.
  public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }
}

extension StoreRemoteError: LocalizedError, CustomStringConvertible {
  /// The message and the code, as in `"The document notes/tea doesn't exist. (not-found)"`.
  public var description: String { "\(message) (\(code.rawValue))" }
  /// The same text as ``description``; Foundation's `localizedDescription` returns it.
  public var errorDescription: String? { description }
}

extension StoreRemoteError.Code: CustomStringConvertible {
  /// The code as text, which is ``rawValue``.
  public var description: String { rawValue }
}
