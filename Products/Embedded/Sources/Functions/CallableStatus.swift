/// Why a callable function refuses, as one of the canonical codes of Google's APIs.
public struct CallableStatus: RawRepresentable, Sendable, Hashable {
  /// The name as it is sent, for example `PERMISSION_DENIED`.
  public let rawValue: String

  /// Creates a status of any name. Clients take one that they don't know for `INTERNAL`.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The caller cancelled the call.
  public static let cancelled = CallableStatus(rawValue: "CANCELLED")
  /// It isn't known what went wrong.
  public static let unknown = CallableStatus(rawValue: "UNKNOWN")
  /// The request is wrong, whatever the state of things.
  public static let invalidArgument = CallableStatus(rawValue: "INVALID_ARGUMENT")
  /// It took too long.
  public static let deadlineExceeded = CallableStatus(rawValue: "DEADLINE_EXCEEDED")
  /// What was asked for isn't there.
  public static let notFound = CallableStatus(rawValue: "NOT_FOUND")
  /// What should be created is there already.
  public static let alreadyExists = CallableStatus(rawValue: "ALREADY_EXISTS")
  /// The caller is known and may not do this.
  public static let permissionDenied = CallableStatus(rawValue: "PERMISSION_DENIED")
  /// The caller isn't signed in, or the token doesn't hold.
  public static let unauthenticated = CallableStatus(rawValue: "UNAUTHENTICATED")
  /// A quota or the space is used up.
  public static let resourceExhausted = CallableStatus(rawValue: "RESOURCE_EXHAUSTED")
  /// The state of things doesn't allow it; retrying doesn't help before that changes.
  public static let failedPrecondition = CallableStatus(rawValue: "FAILED_PRECONDITION")
  /// A conflict with another caller; the whole operation may be tried again.
  public static let aborted = CallableStatus(rawValue: "ABORTED")
  /// A position is behind the end.
  public static let outOfRange = CallableStatus(rawValue: "OUT_OF_RANGE")
  /// The function doesn't do this.
  public static let unimplemented = CallableStatus(rawValue: "UNIMPLEMENTED")
  /// Something is broken.
  public static let `internal` = CallableStatus(rawValue: "INTERNAL")
  /// It doesn't work at the moment; the call may be tried again.
  public static let unavailable = CallableStatus(rawValue: "UNAVAILABLE")
  /// Data are lost for good.
  public static let dataLoss = CallableStatus(rawValue: "DATA_LOSS")

  /// The HTTP status that goes with it, as Firebase's server SDK maps it.
  var httpStatus: Int {
    switch self {
    case .cancelled: 499
    case .invalidArgument, .failedPrecondition, .outOfRange: 400
    case .deadlineExceeded: 504
    case .notFound: 404
    case .alreadyExists, .aborted: 409
    case .permissionDenied: 403
    case .unauthenticated: 401
    case .resourceExhausted: 429
    case .unimplemented: 501
    case .unavailable: 503
    default: 500
    }
  }
}
