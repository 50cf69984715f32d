import TenonFoundation
public import TenonStoreInterop

/// The confirmation of a write by the remote.
///
/// The operation that returns it has made the write durable on this device. Wait for the confirmation if it
/// matters when the remote has applied the write:
///
/// ```swift
/// let write = try await page.setData(["title": "Tea"])
/// try await write.confirmed()
/// ```
///
/// Any number of tasks can wait for it, from any thread, and an object that is released without waiting
/// changes nothing: the write is sent all the same. If the remote rejects it and no call of ``confirmed()``
/// has thrown that, ``Store/onRejectedWrite`` receives the rejection when the object is released. It doesn't
/// outlive the process; ``Store/queuedWrites`` and ``Store/rejectedWrites`` include the writes of earlier
/// launches.
///
/// With ``StoreSettings/WriteCompletion/confirmed``, the operation itself waits, and what it returns is
/// settled.
///
/// In a local-only database (``StoreSettings/isLocalOnly``), and in collections that exist only on this
/// device (``StoreSettings/localCollections``), a write is confirmed immediately.
public final class WriteConfirmation: Sendable {
  /// The state, guarded by the lock. A task waits only while there is neither a result nor an obstacle.
  private struct State {
    /// The outcome, which is final; `nil` while the write is pending.
    var result: Result<RemoteCommit?, any Error>?
    /// The reason why the remote currently can't answer.
    var obstacle: StoreError?
    /// The waiting tasks, by a number of the call, with which a cancelled one is found.
    var waiters: [Int: CheckedContinuation<RemoteCommit?, any Error>] = [:]
    var lastWaiter = 0
    /// The rejection, until a caller receives it.
    var unreceived: RejectedWrite?
  }

  private let state = Lock(State())
  /// Determines the signed-in user, whose writes the remote answers.
  private let learnUser: @Sendable () async -> Void
  /// Reports a rejection that no caller has received.
  private let rejections: UnawaitedRejections?

  /// Creates the confirmation of a pending write.
  ///
  /// - Parameters:
  ///   - rejections: reports a rejection that no caller has received when the object is released.
  ///   - learnUser: called before each waiting, so that a sign-in that precedes it is taken into account.
  package init(
    reportingTo rejections: UnawaitedRejections? = nil,
    learningUser learnUser: @escaping @Sendable () async -> Void = {}
  ) {
    (self.rejections, self.learnUser) = (rejections, learnUser)
  }

  deinit {
    if let rejected = state.withLock({ $0.unreceived }) { rejections?.report(rejected) }
  }

  /// Returns a confirmation that is already settled: of a write that the remote has applied, or in a database
  /// without a remote.
  ///
  /// - Parameter commit: the remote's commit; `nil` by default.
  package static func settled(_ commit: RemoteCommit? = nil) -> WriteConfirmation {
    let confirmation = WriteConfirmation()
    confirmation.state.withLock { $0.result = .success(commit) }
    return confirmation
  }

  /// Whether the outcome is final: the remote has applied or rejected the write, the write was removed from
  /// the queue, or the remote failed or the database was closed while it was pending. ``confirmed()`` then
  /// doesn't wait.
  public var isSettled: Bool { state.withLock { $0.result != nil } }

  /// Waits until the remote has applied the write. It doesn't return while the remote can't be reached; the
  /// write is sent whether or not the app waits.
  ///
  /// - Returns: the time of the remote's commit; `nil` in a local-only database, or if another process
  ///   received the answer.
  /// - Throws:
  ///   - ``StoreError`` with the remote's reason if it rejected the write, whose effect is then undone.
  ///   - ``StoreError/Code/unavailable`` if no linked library provides a remote, and
  ///     ``StoreError/Code/cancelled`` if another user is signed in. The write stays queued, and the
  ///     confirmation can be waited for again after its user has signed in again.
  ///   - ``StoreError/Code/closed`` if the database was closed, and the remote's code if the remote itself
  ///     has failed. The write stays queued, but this object no longer receives its outcome; see
  ///     ``Store/waitForPendingWrites()``.
  ///   - `CancellationError` if the waiting task was cancelled, or the write was removed from the queue.
  @discardableResult
  public func confirmed() async throws -> Timestamp? {
    if !isSettled { await learnUser() }
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<RemoteCommit?, any Error>? in
          if let result = state.result {
            state.unreceived = nil
            return result
          }
          if Task.isCancelled { return .failure(CancellationError()) }
          if let obstacle = state.obstacle { return .failure(obstacle) }
          state.waiters[id] = continuation
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
    }?.time
  }

  /// Fails the waiting tasks, and those that wait later, because the remote currently can't answer.
  ///
  /// - Parameter obstacle: the error; `nil` if the remote can answer again.
  func pause(_ obstacle: StoreError?) {
    let waiters = state.withLock { state in
      state.obstacle = obstacle
      guard obstacle != nil else { return [:] as [Int: CheckedContinuation<RemoteCommit?, any Error>] }
      defer { state.waiters = [:] }
      return state.waiters
    }
    if let obstacle { for waiter in waiters.values { waiter.resume(throwing: obstacle) } }
  }

  /// Keeps a rejection until a caller receives it. Called before ``settle(_:)``.
  func keep(_ rejected: RejectedWrite) { state.withLock { $0.unreceived = rejected } }

  /// Records the outcome and resumes the waiting tasks. Errors are converted to ``StoreError``. Called at
  /// most once.
  ///
  /// - Parameter result: the remote's answer, or the error that prevents one.
  func settle(_ result: Result<RemoteCommit?, any Error>) {
    let result = result.mapError(StoreError.wrapping)
    let waiters = state.withLock { state in
      state.result = result
      if !state.waiters.isEmpty { state.unreceived = nil }
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.resume(with: result) }
  }
}
