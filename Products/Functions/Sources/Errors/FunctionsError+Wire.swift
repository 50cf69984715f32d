import TenonCallable
import TenonFoundation
import TenonTransport
import TenonTransportInterop

extension FunctionsError.Code {
  /// Creates a code from a status name of the callable protocol, for example `NOT_FOUND`. An unknown name
  /// becomes `internal`.
  init(status: String) {
    let name = status.lowercased().replacing("_", with: "-")
    let code = StatusCode(hyphenatedName: name)
    self = code == nil || code == .ok ? .internal : FunctionsError.Code(rawValue: name)
  }

  /// Creates a code from an HTTP status, for responses without a status name. Other statuses than those of
  /// the mapping become `internal`.
  ///
  /// The mapping is that of https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto.
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
}

extension FunctionsError {
  /// Creates the error of a response. Returns `nil` if the call succeeded.
  ///
  /// A member `error` in the body is an error whatever the HTTP status is, and its status name takes
  /// precedence over the HTTP status.
  ///
  /// - Parameters:
  ///   - response: the response.
  ///   - body: the body as JSON; `nil` if it isn't valid JSON.
  ///   - function: the function's name, for the message.
  init?(_ response: TransportResponse, body: JSON?, function: String) {
    if let error = body?["error"], error != .null {
      let code = error["status"]?.string.map(Code.init(status:)) ?? Code(httpStatus: response.status)
      self.init(
        code, Self.message(of: error, status: response.status, code, function), details: error["details"])
    } else if !response.isSuccess {
      let code = Code(httpStatus: response.status)
      self.init(
        code,
        "The function \(function) answered with status \(response.status): \(response.excerpt). \(Self.advice(code))"
      )
    } else {
      return nil
    }
  }

  /// Returns the message of an error of the protocol: the function's own, or a sentence where the function
  /// sent none. A function that throws anything else than an error of the protocol sends only the name of a
  /// status, for example `INTERNAL`.
  private static func message(of error: JSON, status: Int, _ code: Code, _ function: String) -> String {
    let name = error["status"]?.string
    if let own = error["message"]?.string, !own.isEmpty, own != name { return own }
    let what = name ?? "status \(status)"
    return "The function \(function) failed without a message (\(what)). \(advice(code))"
  }

  /// Returns what to do about an error that the function doesn't explain.
  private static func advice(_ code: Code) -> String {
    switch code {
    case .notFound: "Check its name and region, and that it is deployed."
    case .unauthenticated:
      "Sign in first, and check that App Check's token is valid if the function enforces it."
    case .permissionDenied:
      "Permit the user to call it; a function that anyone may call has the invoker allUsers."
    case .resourceExhausted, .unavailable, .aborted, .deadlineExceeded: "Try again later."
    case .invalidArgument: "Compare the data of the call with what the function takes."
    default: "Its log has the reason."
    }
  }

  /// Creates the error of a call that received no complete response.
  ///
  /// The message of a timeout names the limit that has passed.
  init(_ error: TransportError, function: String) {
    let limit = error.limitSentence(of: "Functions", exchange: "timeoutInterval")
    switch error.code {
    case .timedOut:
      self.init(
        .deadlineExceeded,
        "The function \(function) didn't answer in time: \(error.message)\(limit)",
        underlying: error
      )
    case .invalidRequest:
      self.init(
        .invalidArgument,
        "The function \(function) can't be called: \(error.message)",
        underlying: error
      )
    case .invalidResponse:
      self.init(
        .internal,
        "The response of the function \(function) is malformed: \(error.message)",
        underlying: error
      )
    default:
      self.init(
        .unavailable,
        "The function \(function) can't be reached: \(error.message)\(limit)",
        underlying: error
      )
    }
  }

  /// Creates the error of a call that wasn't sent because a token didn't arrive before the deadline.
  init(_ timeout: RequestSigner.TokenTimeout, function: String) {
    self.init(
      .deadlineExceeded,
      "The function \(function) wasn't called, because \(timeout.product) gave no token in time. Try again, or set a longer "
        + "timeoutInterval."
    )
  }

  /// Creates the error of data that has no JSON form.
  ///
  /// - Parameters:
  ///   - error: the error of the encoding, whose reason the message contains.
  ///   - path: the path of the value, for example `data.items[2]`; `nil` if the error contains it.
  ///   - function: the function's name.
  init(unsendable error: any Error, at path: String? = nil, function: String) {
    let place = path.map { "\($0): " } ?? ""
    self.init(
      .invalidArgument,
      "The data for \(function) can't be sent as JSON: \(place)\(error.codingReason)",
      underlying: error
    )
  }

  /// Creates the error of a result that can't be decoded.
  ///
  /// - Parameters:
  ///   - error: the error of the decoding, whose reason the message contains.
  ///   - type: the expected type.
  ///   - function: the function's name.
  init(undecodable error: any Error, as type: Any.Type, function: String) {
    self.init(
      .internal,
      "The result of the function \(function) isn't of type \(type): \(error.codingReason) "
        + "Compare the type with what the function returns.",
      underlying: error
    )
  }
}
