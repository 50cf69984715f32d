import TenonStoreInterop

/// The meaning of a remote's errors. Nothing else decides whether a request is retried.
///
/// - A transient error: the remote can't be reached or is busy. The request is retried with backoff.
/// - A permanent error that ends a write stream which had been open, or a target: the request was refused. It isn't retried;
///   others go on.
/// - A permanent error that ends a stream before anything was sent on it, or all targets at once: the remote itself has
///   failed, for example because its data is damaged. Nothing is refused, and nothing is retried until the app makes
///   another request.
extension StoreRemoteError {
  /// Whether retrying the request can't help. Requests that collided with others, and those whose user was signed out,
  /// can succeed later.
  var isPermanent: Bool {
    switch code {
    case .cancelled, .unknown, .deadlineExceeded, .resourceExhausted, .internal, .unavailable,
      .unauthenticated, .aborted:
      false
    default: true
    }
  }

  /// Whether the token of a write stream may have been the reason why the stream wasn't opened.
  var mayConcernToken: Bool { isPermanent || code == .aborted }

  /// Whether the remote can't be reached, so that reads are answered from the cache.
  var isUnreachable: Bool { [.unavailable, .deadlineExceeded].contains(code) }
}

extension RemoteStore {
  /// The remote itself has failed. Listeners and everyone who waits for the remote get the error; the writes stay in the queue.
  func remoteFails(_ error: StoreRemoteError) throws {
    recordFailure(error)
    syncer.sendingFails(error)
    try recovering { [weak self] in try self?.refuseAllTargets(error) }
  }

  /// Retries after a failure of the remote, because the app makes a request that needs it.
  func retryAfterFailure() {
    guard clearFailure() else { return }
    connect()
  }
}
