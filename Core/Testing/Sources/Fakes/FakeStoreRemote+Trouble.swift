import TenonCore
import TenonDocuments
public import TenonStoreInterop

/// What happens to the clients of servers.
extension FakeStoreRemote {
  /// Makes every call fail from now on, and ends all streams; `nil` ends that.
  public func fail(with error: (any Error)?) {
    state.withLock { state in
      state.failure = error
      if let error { state.endStreams(with: error) }
    }
  }

  /// Ends all streams with an error, or as a server that closes them when it is `nil`. New ones can be opened at once.
  public func dropStreams(with error: (any Error)?) { state.withLock { $0.endStreams(with: error) } }

  /// Keeps all answers and events back until ``letAnswersGo()``, while batches are applied and requests taken.
  public func holdAnswersBack() { state.withLock { $0.held = $0.held ?? [] } }

  /// Sends what was held back, in its order, and from now on everything at once.
  public func letAnswersGo() {
    state.withLock { state in
      for answer in state.held ?? [] { answer() }
      state.held = nil
    }
  }

  /// Decides about the next batches, in the order in which they come; later ones are applied.
  public func decideNextBatches(_ fates: BatchFate...) { state.withLock { $0.fates += fates } }

  /// Ends targets for which an error is given, those that are watched and those that will be asked for; `nil` ends that.
  public func refuseTargets(_ decide: (@Sendable (ListenTarget) -> (any Error)?)?) {
    state.withLock { state in
      state.refusal = decide
      guard let decide else { return }
      for id in state.listenings.keys.sorted() {
        guard var listening = state.listenings[id] else { continue }
        for target in listening.targets.values.sorted(by: { $0.id < $1.id }) {
          guard let error = decide(target) else { continue }
          listening.targets[target.id] = nil
          state.send(listening.session.end(target.id, error), to: listening)
        }
        state.listenings[id] = listening
      }
    }
  }

  /// Makes tokens of earlier moments worthless: targets that are continued from there are sent anew.
  public func forgetTokens() {
    state.withLock { state in for name in state.databases.keys { state.databases[name]?.forgetChanges() } }
  }

  /// Loses all documents, and with them what tokens and repeated batches refer to, as a backend that is set up anew. All
  /// streams end.
  public func loseDocuments() {
    state.withLock { state in
      state.endStreams(with: StoreRemoteError(.unavailable, "The backend was set up anew."))
      state.generation += 1
      state.databases = [:]
      state.answers = [:]
    }
  }

  /// Sends an event that nothing caused to every listener of a database, for example a filter with a wrong count.
  public func send(_ event: ListenEvent, database: String = "(default)") {
    state.withLock { state in
      for listening in state.listenings.values where listening.database == database {
        state.send([event], to: listening)
      }
    }
  }

  /// Changes documents without any client, as an administrator does.
  ///
  /// - Throws: ``StoreRemoteError`` when the writes can't be applied.
  @discardableResult
  public func apply(_ writes: [DocumentWrite], database: String = "(default)") throws -> RemoteCommit {
    try state.withLock { state in
      var documents = state.documents(of: database)
      let commit = try documents.commit(writes)
      state.databases[database] = documents
      state.tellListeners(database)
      return commit
    }
  }

  // MARK: - What was asked

  /// The wishes of all listeners so far, in their order.
  public var listenRequests: [ListenRequest] { state.withLock { $0.requests } }

  /// The batches so far, also those that were refused, in their order.
  public var batches: [RemoteBatch] { state.withLock { $0.batches } }

  /// How many streams are open, for listening and for writing.
  public var openStreams: (listening: Int, writing: Int) {
    state.withLock { ($0.listenings.count, $0.writings.count) }
  }
}

extension FakeStoreRemote.State {
  fileprivate mutating func endStreams(with error: (any Error)?) {
    for listening in listenings.values { listening.events.finish(throwing: error) }
    for events in writings.values { events.finish(throwing: error) }
    listenings = [:]
    writings = [:]
  }
}
