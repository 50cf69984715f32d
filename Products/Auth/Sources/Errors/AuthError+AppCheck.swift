import TenonTransport
import TenonTransportInterop

extension AuthError.Code {
  /// The server requires an App Check token, and the request had no valid one.
  public static let appCheckTokenInvalid = AuthError.Code(rawValue: "firebase-app-check-token-is-invalid")
}

extension ServerError {
  /// The error for the caller if the server rejected the request because it has no valid App Check token;
  /// otherwise `nil`. The server reports this in a sentence and not by a code.
  var appCheckRefusal: AuthError? {
    guard (error.message ?? "").contains("App Check token is invalid") else { return nil }
    return AuthError(
      .appCheckTokenInvalid,
      "The project enforces App Check, and the request had no valid token. Link TenonAppCheck and give the app a "
        + "provider."
    )
  }
}

extension AuthError {
  /// Creates the error of a request that wasn't sent because a token didn't arrive before the deadline.
  ///
  /// - Parameters:
  ///   - timeout: the error of the signer.
  ///   - limit: the time limit of the request.
  init(_ timeout: RequestSigner.TokenTimeout, limit: Duration) {
    // No request was sent, so the server has certainly not performed the operation.
    let cause = TransportError(.unreachable, "\(timeout.product) provided no token within \(limit).")
    self.init(
      .networkError,
      "No request was sent to the server for accounts: \(cause.message) Check the app's App Check provider.",
      underlying: cause
    )
  }

  /// Creates the error of a request that received no complete answer. The message of a timeout names the
  /// limit that has passed.
  init(_ error: TransportError) {
    // An invalid request and an answer that isn't HTTP aren't network failures.
    let isNetwork = ![.invalidRequest, .invalidResponse].contains(error.code)
    let limit = error.limitSentence(of: "Auth", exchange: "Auth.timeoutInterval")
    self.init(
      isNetwork ? .networkError : .internalError,
      "The request to the server for accounts failed: \(error.message)\(limit)",
      underlying: error
    )
  }
}
