import TenonTransport
import TenonTransportInterop

extension FunctionsError.Code {
  /// The code of a status name of the callable protocol, for example `NOT_FOUND`; an unknown name is an internal error.
  init(status: String) {
    let code = FunctionsError.Code(rawValue: status.lowercased().replacing("_", with: "-"))
    self = Self.known.contains(code) ? code : .internal
  }

  /// The code of an answer that says nothing but its HTTP status.
  init(httpStatus: Int) {
    self =
      switch httpStatus {
      case 400: .invalidArgument
      case 401: .unauthenticated
      case 403: .permissionDenied
      case 404: .notFound
      case 409: .alreadyExists
      case 429: .resourceExhausted
      case 499: .cancelled
      case 501: .unimplemented
      case 503: .unavailable
      case 504: .deadlineExceeded
      default: .internal
      }
  }

  private static let known: Set<FunctionsError.Code> = [
    .cancelled, .unknown, .invalidArgument, .deadlineExceeded, .notFound, .alreadyExists, .permissionDenied,
    .resourceExhausted, .failedPrecondition, .aborted, .outOfRange, .unimplemented, .internal, .unavailable,
    .dataLoss,
    .unauthenticated,
  ]
}

extension FunctionsError {
  /// The error in an answer; `nil` when the function succeeded. An `error` counts whatever the HTTP status is, and its
  /// status name wins over it.
  init?(_ response: HTTPResponse, body: JSON?, function: String) {
    if let error = body?["error"], error != .null {
      let code = error["status"]?.string.map(Code.init(status:)) ?? Code(httpStatus: response.status)
      let message = error["message"]?.string ?? error["status"]?.string ?? "The function \(function) refused."
      self.init(code, message, details: error["details"])
    } else if !response.isSuccess {
      let hint =
        response.status == 404 ? " Check its name and region, and that it is deployed." : ""
      self.init(
        Code(httpStatus: response.status),
        "The function \(function) answered with status \(response.status): \(response.excerpt).\(hint)"
      )
    } else {
      return nil
    }
  }

  /// The error of a call that got no answer.
  init(_ error: TransportError, function: String) {
    switch error.code {
    case .timedOut:
      self.init(.deadlineExceeded, "The function \(function) did not answer in time.", underlying: error)
    case .invalidRequest:
      self.init(
        .invalidArgument,
        "The function \(function) can't be called: \(error.message)",
        underlying: error
      )
    case .invalidResponse:
      self.init(
        .internal,
        "The answer of \(function) can't be understood: \(error.message)",
        underlying: error
      )
    default:
      self.init(
        .unavailable,
        "The function \(function) can't be reached: \(error.message)",
        underlying: error
      )
    }
  }
}
