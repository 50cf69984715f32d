import TenonStoreInterop

/// What an error of a remote means. Nothing else decides whether a request is repeated.
///
/// - A transient error: the remote can't be reached or is busy. The request is repeated, after a while.
/// - A permanent error that ends a write stream which had been open, or a target: the request was refused. It isn't repeated;
///   others go on.
/// - A permanent error that ends a stream before anything was sent on it, or all targets at once: the remote itself has
///   failed, for example because its data is damaged. Nothing is refused, and nothing is repeated until the app asks for
///   something again.
extension StoreRemoteError {
  /// Whether repeating the request can't help. Requests that collided with others, and those whose user was signed out,
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

  /// Whether the remote can't be reached, so that reads return what is on this device.
  var isUnreachable: Bool { [.unavailable, .deadlineExceeded].contains(code) }
}

extension RemoteStore {
  /// The remote itself has failed. Listeners and everyone who waits for the remote get the error; the writes stay in the queue.
  func remoteFails(_ error: StoreRemoteError) throws {
    noteFailure(error)
    syncer.sendingFails(error)
    try recovering { [weak self] in try self?.refuseAllTargets(error) }
  }

  /// The app asks for something that the remote is needed for, so that it is worth another attempt.
  func retryAfterFailure() {
    guard forgetFailure() else { return }
    connect()
  }
}
