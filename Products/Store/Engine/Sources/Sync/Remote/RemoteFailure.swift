import TenonStoreInterop

/// Classification of the remote's errors. All decisions about retrying requests are made here.
///
/// - A transient error: the remote can't be reached or is busy. The request is retried with backoff.
/// - A permanent error that ends an open write stream, or a target: the request was rejected. It isn't
///   retried; other requests continue.
/// - A permanent error that ends a stream before anything was sent on it, or all targets together: the remote
///   itself has failed, for example because its data is damaged. No request is rejected, and nothing is
///   retried until the app makes another request.
extension StoreRemoteError {
  /// Whether retrying the request can't succeed. Requests that conflicted with others, and those whose user
  /// was signed out, can succeed later. A code that this version doesn't know counts as permanent.
  ///
  /// The codes are those by which Firestore's clients decide about writes; `aborted` is permanent for their
  /// other requests.
  var isPermanent: Bool {
    switch code {
    case .cancelled, .unknown, .deadlineExceeded, .resourceExhausted, .internal, .unavailable,
      .unauthenticated, .aborted:
      false
    default: true
    }
  }

  /// Whether the stream token may be the reason why a write stream wasn't opened. Firestore's clients delete
  /// the token after the same errors.
  var mayConcernToken: Bool { isPermanent || code == .aborted }

  /// Whether the remote can't be reached, so that reads are answered from the cache.
  var isUnreachable: Bool { [.unavailable, .deadlineExceeded].contains(code) }
}

extension RemoteExchange {
  /// Called when the remote itself has failed. Listeners and tasks that wait for the remote receive the
  /// error; the writes stay in the queue.
  ///
  /// - Parameter error: a permanent error that ended a stream before anything was sent on it, or all targets
  ///   together.
  /// - Throws: a permanent error of the database.
  func remoteFails(_ error: StoreRemoteError) throws {
    recordFailure(error)
    syncer.sendingFails(error)
    try recovering { [weak self] in try self?.refuseAllTargets(error) }
  }

  /// Reconnects after a failure of the remote, because the app makes a request that needs it: a write, a
  /// listener, or waiting for pending writes. No effect if the remote hasn't failed.
  func retryAfterFailure() {
    guard clearFailure() else { return }
    connect()
  }
}
