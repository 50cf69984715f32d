import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTransport
import TenonTransportInterop

/// The failure of one attempt of a call.
struct CallFailure: Error {
  /// The error of the call if there is no further attempt.
  var error: StoreRemoteError
  /// Whether another attempt may succeed.
  let mayPass: Bool
  /// Whether it is the server's own error, and not that of something in between.
  let isServers: Bool
  /// The statuses after which another attempt may succeed soon. 429 isn't one: whoever sends it wants fewer
  /// requests, and Store's streams wait as long as they can after it.
  private static let passingStatuses: Set<Int> = [408, 500, 502, 503, 504]
  /// The longest message of a server that is passed on, in characters.
  private static let longestMessage = 1_000

  private init(error: StoreRemoteError, mayPass: Bool = false, isServers: Bool = false) {
    self.error = error
    self.mayPass = mayPass
    self.isServers = isServers
  }

  /// Creates the failure of a response whose status isn't 2xx.
  ///
  /// A response without Firestore's error, such as the page of a proxy or of a network's login, says nothing
  /// about the request, so its code is `unavailable`, or `resourceExhausted` for status 429: a permanent one
  /// would have Store discard writes.
  ///
  /// - Parameter response: the response.
  init(_ response: TransportResponse) {
    if let json = try? FirestoreJSON(response.body), let error = StoreRemoteError(wireError: json) {
      self.init(server: error, status: response.status)
      return
    }
    self.init(
      error: StoreRemoteError(
        response.status == 429 ? .resourceExhausted : .unavailable,
        "The response has status \(response.status) and isn't Firestore's: \(response.excerpt) Check the network and the "
          + "address of the backend."),
      mayPass: Self.passingStatuses.contains(response.status))
  }

  /// Creates the failure that Firestore reports.
  ///
  /// - Parameters:
  ///   - error: the error.
  ///   - status: the status of the response; `nil` for an error within a response that has begun.
  init(server error: StoreRemoteError, status: Int? = nil) {
    var error = error.inTermsOfDocuments
    // Repeating a request that is too large is no use. Google's emulator reports it with the code of an
    // exceeded quota.
    if status == 413 || (error.code == .resourceExhausted && error.message.contains("maximum size")) {
      error.code = .invalidArgument
    }
    error.message = String(error.message.prefix(Self.longestMessage))
    self.init(
      error: error,
      mayPass: error.code != .resourceExhausted
        && status.map(Self.passingStatuses.contains) ?? error.isTransient, isServers: true)
  }

  /// Creates the failure of a request without a complete response.
  init(_ failure: TransportError) {
    let limit = failure.limitSentence(
      of: "StoreSync.settings", exchange: "StoreSync.settings.timeoutInterval")
    let code: StoreRemoteError.Code =
      switch failure.code {
      case .timedOut: .deadlineExceeded
      case .invalidResponse: .internal
      default: .unavailable
      }
    // Not after `unreachable`, so that Store knows early, and not after a timeout, because the server may
    // still be at work.
    var error = StoreRemoteError(code, "\(failure.message)\(limit)", underlying: failure)
    error.isUnsent = failure.code == .unreachable
    self.init(error: error, mayPass: failure.code == .connectionLost)
  }

  /// Creates the failure of a response that can't be decoded.
  init(undecodable failure: DocumentError) {
    self.init(error: StoreRemoteError(undecodable: failure))
  }

  /// Creates the failure of a response that didn't end in time.
  init(late method: String) {
    self.init(
      error: StoreRemoteError(
        .deadlineExceeded,
        "The response to \(method) didn't end in time. The limit is StoreSync.settings.timeoutInterval."))
  }
}

extension StoreRemoteError {
  /// Whether Store retries what failed with this error; see ``StoreRemoteError``.
  var isTransient: Bool {
    switch code {
    case .cancelled, .unknown, .deadlineExceeded, .resourceExhausted, .aborted, .internal, .unavailable,
      .unauthenticated:
      true
    default: false
    }
  }
}
