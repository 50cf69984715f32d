/// A canonical status code of Google's APIs, which gRPC and the callable protocol share: the one table of the
/// codes' numbers, names and HTTP statuses
/// (https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto).
package enum StatusCode: Int, Sendable, CaseIterable {
  case ok = 0
  case cancelled
  case unknown
  case invalidArgument
  case deadlineExceeded
  case notFound
  case alreadyExists
  case permissionDenied
  case resourceExhausted
  case failedPrecondition
  case aborted
  case outOfRange
  case unimplemented
  case `internal`
  case unavailable
  case dataLoss
  case unauthenticated

  /// Creates the code of a name such as `NOT_FOUND`; `nil` for other names.
  package init?(name: String) {
    guard let code = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = code
  }

  /// Creates the code of a name such as `not-found`; `nil` for other names.
  package init?(hyphenatedName name: String) {
    guard let code = Self.allCases.first(where: { $0.hyphenatedName == name }) else { return nil }
    self = code
  }

  /// The name in the protocols, for example `NOT_FOUND`.
  package var name: String { hyphenatedName.uppercased().replacing("-", with: "_") }

  /// The name in Firebase's client SDKs, for example `not-found`.
  package var hyphenatedName: String {
    switch self {
    case .ok: "ok"
    case .cancelled: "cancelled"
    case .unknown: "unknown"
    case .invalidArgument: "invalid-argument"
    case .deadlineExceeded: "deadline-exceeded"
    case .notFound: "not-found"
    case .alreadyExists: "already-exists"
    case .permissionDenied: "permission-denied"
    case .resourceExhausted: "resource-exhausted"
    case .failedPrecondition: "failed-precondition"
    case .aborted: "aborted"
    case .outOfRange: "out-of-range"
    case .unimplemented: "unimplemented"
    case .internal: "internal"
    case .unavailable: "unavailable"
    case .dataLoss: "data-loss"
    case .unauthenticated: "unauthenticated"
    }
  }

  /// The status of an HTTP response with this code.
  package var httpStatus: Int {
    switch self {
    case .ok: 200
    case .invalidArgument, .failedPrecondition, .outOfRange: 400
    case .unauthenticated: 401
    case .permissionDenied: 403
    case .notFound: 404
    case .alreadyExists, .aborted: 409
    case .resourceExhausted: 429
    case .cancelled: 499
    case .unknown, .internal, .dataLoss: 500
    case .unimplemented: 501
    case .unavailable: 503
    case .deadlineExceeded: 504
    }
  }
}
