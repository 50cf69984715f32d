import TenonCore
import TenonDocuments
import TenonFoundation
public import TenonStoreInterop

/// Control of the fake by tests: failures of the server, changes by other clients, and a record of the
/// requests.
extension FakeStoreRemote {
  /// Makes all later calls fail, and ends all streams.
  ///
  /// Streams end even while responses are held back; their delayed events are lost. New streams can be
  /// opened, but fail immediately. Batches are recorded, but not applied, and no outcome that was set for one
  /// is used.
  ///
  /// - Parameter error: the error; `nil` makes calls succeed again.
  public func fail(with error: (any Error)?) {
    state.withLock { state in
      state.failure = error
      if let error { state.endStreams(with: error) }
    }
  }

  /// Ends all streams. New ones can be opened immediately.
  ///
  /// - Parameter error: the error with which the streams end; `nil` ends them without an error, as when a
  ///   server closes them.
  package func dropStreams(with error: (any Error)?) { state.withLock { $0.endStreams(with: error) } }

  /// Delays all responses and events until ``deliverDelayedResponses()``. Batches are still applied, and
  /// requests processed.
  ///
  /// Calls outside streams suspend until then or until their task is cancelled. A second call has no further
  /// effect.
  package func delayResponses() { state.withLock { $0.delayed = $0.delayed ?? [] } }

  /// Sends the delayed responses and events in order, and stops delaying new ones. Has no effect if none are
  /// held back.
  package func deliverDelayedResponses() {
    state.withLock { state in
      for response in state.delayed ?? [] { response() }
      state.delayed = nil
    }
  }

  /// Sets the outcomes of the next batches, in the order in which they arrive. Batches after those are
  /// applied.
  ///
  /// - Parameter fates: the outcomes, which are added to those that remain from earlier calls.
  package func decideNextBatches(_ fates: BatchFate...) { state.withLock { $0.fates += fates } }

  /// Ends the targets for which a closure returns an error: those that are being listened to, and those that
  /// are added later.
  ///
  /// - Parameter decide: returns the error of a target, or `nil` to accept it. It is called under the lock
  ///   and must not use the server. If the closure is `nil`, all later targets are accepted.
  package func refuseTargets(_ decide: (@Sendable (ListenTarget) -> (any Error)?)?) {
    state.withLock { state in
      state.targetError = decide
      guard let decide else { return }
      for id in state.listenings.keys.sorted() {
        guard var listening = state.listenings[id] else { continue }
        for target in listening.targets.values.sorted(by: { $0.id < $1.id }) {
          guard let error = decide(target) else { continue }
          listening.targets[target.id] = nil
          state.send(listening.responder.end(target.id, error), to: listening)
        }
        state.listenings[id] = listening
      }
    }
  }

  /// Invalidates the resume tokens and read times of all states before the current one. A target that is
  /// resumed from one is sent again from the beginning. Open streams are unaffected.
  package func forgetTokens() {
    state.withLock { state in for name in state.databases.keys { state.databases[name]?.forgetChanges() } }
  }

  /// Deletes all documents, the history that resume tokens refer to and the responses to applied batches,
  /// like a backend that was set up again. All streams end with `unavailable`.
  package func loseDocuments() {
    state.withLock { state in
      state.endStreams(with: StoreRemoteError(.unavailable, "The backend was reset."))
      state.generation += 1
      state.databases = [:]
      state.responses = [:]
    }
  }

  /// Sends an event to all listeners of a database without a cause, for example an existence filter with a
  /// wrong count.
  ///
  /// - Parameters:
  ///   - event: the event. It isn't checked, and changes nothing at the server.
  ///   - database: the name of the database.
  package func send(_ event: ListenEvent, database: String = "(default)") {
    state.withLock { state in
      for listening in state.listenings.values where listening.database == database {
        state.send([event], to: listening)
      }
    }
  }

  /// Changes documents on behalf of no client, as an administrator does. Outcomes that were set for batches
  /// don't apply.
  ///
  /// - Parameters:
  ///   - writes: the writes, which are applied atomically.
  ///   - database: the name of the database.
  /// - Returns: the result of the commit.
  /// - Throws: `StoreRemoteError` if the writes can't be applied.
  @discardableResult
  public func apply(_ writes: [DocumentWrite], database: String = "(default)") throws -> RemoteCommit {
    try state.withLock { state in
      var documents = state.documents(of: database)
      let commit = try documents.commit(writes)
      state.databases[database] = documents
      state.notifyListeners(database)
      return commit
    }
  }

  // MARK: - Record of the requests

  /// The requests of all listen streams so far, in order.
  package var listenRequests: [ListenRequest] { state.withLock { $0.requests } }

  /// All batches so far, in order, including those that were rejected and those that were sent again.
  public var batches: [RemoteBatch] { state.withLock { $0.batches } }

  /// The number of open streams, for listening and for writing.
  package var openStreams: (listening: Int, writing: Int) {
    state.withLock { ($0.listenings.count, $0.writings.count) }
  }
}

extension FakeStoreRemote.State {
  /// Ends all streams, with an error unless it is `nil`. Their delayed events are lost.
  fileprivate mutating func endStreams(with error: (any Error)?) {
    for listening in listenings.values { listening.events.finish(throwing: error) }
    for events in writings.values { events.finish(throwing: error) }
    listenings = [:]
    writings = [:]
  }
}
