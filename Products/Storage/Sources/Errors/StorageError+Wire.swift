import TenonTransport
import TenonTransportInterop

extension StorageError {
  /// Creates the error of a response. Returns `nil` if the request succeeded.
  ///
  /// The message contains the server's explanation, or the beginning of the body if there is none.
  ///
  /// - Parameters:
  ///   - response: the response.
  ///   - reference: the object of the request, for the message.
  init?(_ response: HTTPResponse, _ reference: StorageReference) {
    guard !response.isSuccess else { return nil }
    let said = (try? response.json())?["error"]?["message"]?.string ?? response.excerpt
    switch response.status {
    case 401 where said.contains("Firebase App Check token is invalid"):
      self.init(
        .unauthorizedApp,
        "\(reference): the project enforces App Check, and the request carried no valid token. Link TenonAppCheck and give "
          + "the app a provider."
      )
    case 401:
      self.init(.unauthenticated, "\(reference): no user is signed in, or the token isn't accepted: \(said)")
    case 402: self.init(.quotaExceeded, "\(reference): the bucket's quota is exhausted: \(said)")
    case 403: self.init(.unauthorized, "\(reference): the user lacks the permission: \(said)")
    case 404: self.init(.objectNotFound, "There is no object \(reference).")
    case 408, 429, 500...599:
      self.init(
        .unavailable,
        "\(reference): the server answered with status \(response.status): \(said) Try again."
      )
    default: self.init(.unknown, "\(reference): the server answered with status \(response.status): \(said)")
    }
  }

  /// Creates the error of a request that received no complete response.
  init(_ error: TransportError, _ reference: StorageReference) {
    switch error.code {
    case .timedOut: self.init(late: reference, underlying: error)
    case .invalidRequest: self.init(.invalidArgument, "\(reference): \(error.message)", underlying: error)
    case .invalidResponse: self.init(.unknown, "\(reference): \(error.message)", underlying: error)
    default: self.init(.unavailable, "\(reference): \(error.message)", underlying: error)
    }
  }

  /// Creates the error of a request that was not answered within its time limit.
  init(late reference: StorageReference, underlying: (any Error)? = nil) {
    self.init(
      .retryLimitExceeded, "\(reference): the server did not answer in time. Try again.",
      underlying: underlying)
  }

  /// Creates the error of a request that was not sent because a token didn't arrive within the time limit.
  init(_ timeout: RequestSigner.TokenTimeout, _ reference: StorageReference) {
    self.init(
      .retryLimitExceeded,
      "\(reference): nothing was sent, because \(timeout.product) gave no token in time. Try again."
    )
  }
}
