import TenonFoundation

/// The status of a rejected call: one of the canonical codes of Google's APIs
/// (https://cloud.google.com/apis/design/errors#error_codes).
public struct CallableStatus: RawRepresentable, Sendable, Hashable {
  /// The name of the status, for example `PERMISSION_DENIED`.
  public let rawValue: String

  /// Creates a status with any name. Clients treat unknown names as `INTERNAL`.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The caller cancelled the operation.
  public static let cancelled = CallableStatus(rawValue: "CANCELLED")
  /// The error is unknown.
  public static let unknown = CallableStatus(rawValue: "UNKNOWN")
  /// The argument is invalid, regardless of the state of the system.
  public static let invalidArgument = CallableStatus(rawValue: "INVALID_ARGUMENT")
  /// The deadline passed before the operation was complete.
  public static let deadlineExceeded = CallableStatus(rawValue: "DEADLINE_EXCEEDED")
  /// The requested resource doesn't exist.
  public static let notFound = CallableStatus(rawValue: "NOT_FOUND")
  /// The resource to create already exists.
  public static let alreadyExists = CallableStatus(rawValue: "ALREADY_EXISTS")
  /// The caller is known but not allowed to perform the operation.
  public static let permissionDenied = CallableStatus(rawValue: "PERMISSION_DENIED")
  /// The caller isn't signed in, or the token isn't valid.
  public static let unauthenticated = CallableStatus(rawValue: "UNAUTHENTICATED")
  /// A quota or the storage space is exhausted.
  public static let resourceExhausted = CallableStatus(rawValue: "RESOURCE_EXHAUSTED")
  /// The state of the system doesn't allow the operation. Retrying doesn't help until the state has changed.
  public static let failedPrecondition = CallableStatus(rawValue: "FAILED_PRECONDITION")
  /// The operation was aborted because of a conflict with another one. The caller can retry the whole
  /// operation.
  public static let aborted = CallableStatus(rawValue: "ABORTED")
  /// The operation is past the valid range, for example behind the end of a file.
  public static let outOfRange = CallableStatus(rawValue: "OUT_OF_RANGE")
  /// The operation isn't implemented or supported.
  public static let unimplemented = CallableStatus(rawValue: "UNIMPLEMENTED")
  /// An internal error.
  public static let `internal` = CallableStatus(rawValue: "INTERNAL")
  /// The service is temporarily unavailable. The caller can retry the call.
  public static let unavailable = CallableStatus(rawValue: "UNAVAILABLE")
  /// Data was lost or damaged, and can't be recovered.
  public static let dataLoss = CallableStatus(rawValue: "DATA_LOSS")

  /// The corresponding HTTP status, as in Firebase's server SDK; 500 for a name that isn't one of these.
  var httpStatus: Int {
    guard let status = StatusCode(name: rawValue), status != .ok else { return 500 }
    return status.httpStatus
  }
}
