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
  ///   - createsObject: whether the request creates the object, so that only the bucket or the project can be
  ///     missing.
  init?(_ response: TransportResponse, _ reference: StorageReference, createsObject: Bool = false) {
    guard !response.isSuccess else { return nil }
    let text = (try? response.json())?["error"]?["message"]?.string ?? response.excerpt
    let said = text.hasSuffix(".") ? text : "\(text)."
    switch response.status {
    case 401 where said.contains("Firebase App Check token is invalid"):
      self.init(
        .unauthorizedApp,
        "\(reference): the project enforces App Check, and the request carried no valid token. Link TenonAppCheck and give "
          + "the app a provider."
      )
    case 401:
      self.init(
        .unauthenticated,
        "\(reference): no user is signed in, or the token isn't accepted: \(said) Sign in first.")
    case 402:
      self.init(
        .quotaExceeded,
        "\(reference): the bucket's quota is exhausted: \(said) Raise it, or try again when it is renewed.")
    case 403:
      self.init(
        .unauthorized,
        "\(reference): the user lacks the permission: \(said) Check the bucket's security rules.")
    case 404 where Self.isMissing("project", in: said):
      self.init(
        .projectNotFound,
        "\(reference): there is no such project: \(said) Check the projectID of AppOptions.")
    case 404 where createsObject || Self.isMissing("bucket", in: said):
      self.init(
        .bucketNotFound,
        "\(reference): there is no bucket \(reference.bucket): \(said) Check its name, or the storageBucket of "
          + "AppOptions, and create it in the Firebase console.")
    case 404: self.init(.objectNotFound, "There is no object \(reference). Check its path and its bucket.")
    case 412:
      self.init(
        .preconditionFailed,
        "\(reference): a precondition doesn't hold: \(said) Read the metadata, and decide again.")
    case 408, 429, 500...599:
      self.init(
        .unavailable,
        "\(reference): the server answered with status \(response.status): \(said) Try again."
      )
    default:
      self.init(
        .unknown,
        "\(reference): the server answered with status \(response.status): \(said) "
          + "Check that the app uses the intended backend."
      )
    }
  }

  /// Returns whether an explanation says that something isn't there: "The specified bucket does not exist.",
  /// "Not Found. Could not access bucket demo.appspot.com".
  private static func isMissing(_ thing: String, in explanation: String) -> Bool {
    let text = explanation.lowercased()
    return text.contains(thing)
      && ["not exist", "not found", "could not access"].contains(where: text.contains)
  }

  /// Creates the error of a request that received no complete response. The message of a timeout names the
  /// limit that has passed.
  ///
  /// - Parameters:
  ///   - error: the error of the transport.
  ///   - reference: the object of the request, for the message.
  ///   - limit: the setting that limits the exchange as a whole.
  init(_ error: TransportError, _ reference: StorageReference, limit: String) {
    let text = "\(reference): \(error.message)"
    let limit = error.limitSentence(of: "Storage", exchange: limit)
    switch error.code {
    case .timedOut: self.init(.retryLimitExceeded, "\(text)\(limit)", underlying: error)
    case .invalidRequest: self.init(.invalidArgument, text, underlying: error)
    case .invalidResponse: self.init(.unknown, text, underlying: error)
    default: self.init(.unavailable, "\(text)\(limit)", underlying: error)
    }
  }

  /// Creates the error of an operation that took longer than a setting allows.
  ///
  /// - Parameters:
  ///   - reference: the object, for the message.
  ///   - limit: the setting.
  init(late reference: StorageReference, limit: String) {
    self.init(
      TransportError(.timedOut, "The server didn't answer in time. Try again.", timeout: .exchange),
      reference,
      limit: limit)
  }

  /// Returns the error of an operation that was tried again until its time was over. It contains the reason
  /// of the last attempt.
  ///
  /// - Parameter setting: the setting that limits the time.
  func ended(by setting: String) -> StorageError {
    StorageError(
      .retryLimitExceeded,
      "\(message) The time for further attempts is over. The limit is \(setting).",
      underlying: underlying ?? self)
  }

  /// Creates the error of a request that wasn't sent because a token didn't arrive within the time limit.
  init(_ timeout: RequestSigner.TokenTimeout, _ reference: StorageReference) {
    self.init(
      .retryLimitExceeded,
      "\(reference): nothing was sent, because \(timeout.product) gave no token in time. Try again."
    )
  }
}
