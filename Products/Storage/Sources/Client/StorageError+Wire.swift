import TenonTransport
import TenonTransportInterop

extension StorageError {
  /// The error of an answer; `nil` when it is none.
  init?(_ response: HTTPResponse, _ reference: StorageReference) {
    guard !response.isSuccess else { return nil }
    let said = (try? response.json())?["error"]?["message"]?.string ?? response.excerpt
    let url = reference.url
    switch response.status {
    case 401 where said.contains("Firebase App Check token is invalid"):
      self.init(
        .unauthorizedApp,
        "\(url): the project enforces App Check, and the request carried no valid token. Link TenonAppCheck and give the "
          + "app a provider."
      )
    case 401: self.init(.unauthenticated, "\(url): nobody is signed in, or the token isn't accepted: \(said)")
    case 402: self.init(.quotaExceeded, "\(url): the bucket's quota is used up: \(said)")
    case 403: self.init(.unauthorized, "\(url): the user may not do this: \(said)")
    case 404: self.init(.objectNotFound, "There is no object \(url).")
    case 408, 429, 500...599:
      self.init(
        .unavailable,
        "\(url): the server answered with status \(response.status): \(said) Try again."
      )
    default: self.init(.unknown, "\(url): the server answered with status \(response.status): \(said)")
    }
  }

  /// The error of a request that got no answer.
  init(_ error: TransportError, _ reference: StorageReference) {
    switch error.code {
    case .timedOut: self.init(.deadlineExceeded, "\(reference.url): no answer in time.", underlying: error)
    case .invalidRequest: self.init(.invalidArgument, "\(reference.url): \(error.message)", underlying: error)
    case .invalidResponse: self.init(.unknown, "\(reference.url): \(error.message)", underlying: error)
    default: self.init(.unavailable, "\(reference.url): \(error.message)", underlying: error)
    }
  }
}
