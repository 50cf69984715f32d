import TenonCore
package import TenonDocuments
import TenonFoundation
package import TenonStoreInterop

/// Reads documents from the remote, and keeps them in the cache until ``end()`` is called.
///
/// It lasts for one read of the app or one attempt of a transaction. Documents are saved in the cache before
/// a method returns, so the caller reads them there, with the pending writes applied. Once a request wasn't
/// answered, the further ones aren't sent. Thread-safe; ``end()`` must be called, because documents that are
/// kept are never collected.
package final class RemoteReading: Sendable {
  /// The state, which several tasks of a transaction may use at the same time.
  private struct State {
    var isReachable = true
    /// The documents that were saved, once for each time.
    var kept: [ResourcePath] = []
    /// The database, and the user who was signed in at the last request.
    var context: RemoteContext
  }

  private let engine: StoreEngine
  private let remote: any StoreRemote
  private let state: Lock<State>

  /// - Parameters:
  ///   - engine: the engine in whose cache documents are saved.
  ///   - remote: the remote.
  ///   - context: the database and the signed-in user.
  init(engine: StoreEngine, remote: any StoreRemote, in context: RemoteContext) {
    self.engine = engine
    self.remote = remote
    state = Lock(State(context: context))
  }

  /// Whether the remote has answered all requests so far.
  package var isReachable: Bool { state.withLock { $0.isReachable } }

  /// Computes aggregations over the documents of a query at the remote. Pending writes of this device aren't
  /// included.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - aggregations: the aggregations.
  /// - Returns: one value per aggregation, in their order; `nil` if the remote can't be reached.
  /// - Throws: ``StoreError`` with the remote's error; `CancellationError`.
  package func aggregate(_ query: ResolvedQuery, _ aggregations: [QueryAggregation]) async throws -> [Value]?
  {
    let asked = query.completed
    return try await ask("aggregate", .query(asked)) { try await $0.aggregate(asked, aggregations, in: $1) }
  }

  /// Reads documents into the cache with one request; no effect if there are none, or the remote can't be
  /// reached.
  ///
  /// - Parameter paths: the documents. Those that don't exist at the remote are recorded as missing.
  /// - Throws: ``StoreError`` with the remote's error, or if the documents can't be saved;
  ///   `CancellationError`.
  package func fetch(_ paths: [ResourcePath]) async throws {
    guard let first = paths.first,
      let documents = try await ask("fetch", .document(first), { try await $0.fetch(paths, in: $1) })
    else { return }
    try await keep(documents)
  }

  /// Reads the documents of a query into the cache; no effect if the remote can't be reached.
  ///
  /// Documents that match in the cache but aren't in the remote's result are read in a second request: others
  /// may have deleted or changed them, or displaced them from a result with a limit.
  ///
  /// - Parameter query: the query. Its implicit orders are sent as well.
  /// - Throws: ``StoreError`` with the remote's error, or if the documents can't be saved;
  ///   `CancellationError`.
  package func fetch(_ query: ResolvedQuery) async throws {
    let asked = query.completed
    guard let documents = try await ask("query", .query(asked), { try await $0.run(asked, in: $1) }) else {
      return
    }
    try await keep(documents)
    // Documents that match only locally may have been deleted or changed at the remote.
    let found = Set(documents.map(\.path))
    let others = try await engine.read { try $0.documents(of: query).map(\.path) }.filter {
      !found.contains($0)
    }
    if !others.isEmpty { try await fetch(others) }
  }

  /// Sends a request to the remote, and records in ``ReadReach`` whether it was answered.
  ///
  /// - Parameters:
  ///   - name: the name of the operation, for telemetry.
  ///   - probe: the request with which the remote is probed later if it currently can't be reached.
  ///   - question: the request.
  /// - Returns: the answer; `nil` if the remote can't be reached, or doesn't answer in time, in which case
  ///   the cache is used.
  /// - Throws: ``StoreError`` with the remote's error; `CancellationError`.
  @concurrent private func ask<Answer: Sendable>(
    _ name: String, _ probe: RemoteQuestion,
    _ question: @escaping @Sendable (any StoreRemote, RemoteContext) async throws -> Answer
  ) async throws -> Answer? {
    guard isReachable else { return nil }
    do {
      let answer = try await engine.telemetry.request(name, collection: probe.collection) {
        try await askAsCurrentUser(question)
      }
      if answer == nil { state.withLock { $0.isReachable = false } }
      await engine.readEnded(wasAnswered: answer != nil, probe)
      return answer
    } catch let error as StoreRemoteError {
      await engine.readEnded(wasAnswered: true, probe)
      throw StoreError.wrapping(error)
    }
  }

  /// Sends a request as the signed-in user; repeats it if another user has signed in since the last request.
  ///
  /// The remote rejects a request of a user who is no longer signed in as unauthenticated; see
  /// ``StoreRemote``. It is repeated only if the user has changed, so the error of a user who lacks valid
  /// credentials is thrown immediately.
  private func askAsCurrentUser<Answer: Sendable>(
    _ question: @escaping @Sendable (any StoreRemote, RemoteContext) async throws -> Answer
  ) async throws -> Answer? {
    while true {
      let context = state.withLock { $0.context }
      do { return try await engine.ask(remote, { try await question($0, context) }) } catch {
        // Another user may have signed in since then.
        guard (error as? StoreRemoteError)?.code == .unauthenticated else { throw error }
        let current = try await engine.currentContext()
        guard current != context else { throw error }
        state.withLock { $0.context = current }
      }
    }
  }

  /// Saves documents, and keeps them in the cache.
  ///
  /// They are recorded before they are saved, so that ``end()`` also releases them if saving fails after they
  /// were counted.
  private func keep(_ documents: [RemoteDocument]) async throws {
    state.withLock { $0.kept += documents.map(\.path) }
    try await engine.save(documents)
  }

  /// Releases the documents, which may be collected from then on. Calling it again has no effect.
  package func end() async {
    let kept = state.withLock { state in
      defer { state.kept = [] }
      return state.kept
    }
    await engine.release(kept)
  }
}

extension StoreEngine {
  /// Returns an object that reads from the remote; `nil` if there is no remote, or it can't be reached.
  ///
  /// While the remote is known to be out of reach, this doesn't wait for the operation in progress, so that
  /// the cache answers alongside a large write.
  ///
  /// - Parameter question: the request with which the remote is probed later if it currently can't be
  ///   reached; `nil` to use the one of the previous read.
  /// - Returns: `nil` also if the database can't be opened or the user can't be determined. The caller reads
  ///   the cache next, which reports the error.
  @concurrent package nonisolated func beginReading(_ question: RemoteQuestion? = nil) async -> RemoteReading?
  {
    guard let remote = configuration.remote else { return nil }
    if prefersCache {
      // The remote is probed on behalf of the read.
      Task { await beginReading(question, from: remote) }
      return nil
    }
    return await beginReading(question, from: remote)
  }

  /// Returns an object that reads from the remote; see ``beginReading(_:)``.
  @discardableResult
  private func beginReading(
    _ question: RemoteQuestion?, from remote: any StoreRemote
  ) async -> RemoteReading? {
    let mayAsk = try? await useAsUser { $0.reach?.mayAsk(question) ?? false }
    return mayAsk ?? false ? RemoteReading(engine: self, remote: remote, in: context) : nil
  }

  /// Sends a request to the remote, with a timeout of ten seconds. Timeouts and cancellation take effect even
  /// if the remote ignores them: the request is then cancelled and its answer discarded, but it may still be
  /// carried out.
  ///
  /// - Parameters:
  ///   - remote: the remote.
  ///   - question: the request, which runs in a separate task.
  /// - Returns: the answer; `nil` if the remote can't be reached or doesn't answer in time.
  /// - Throws: `CancellationError` if the calling task is cancelled; ``StoreRemoteError`` if the remote
  ///   answers with an error.
  nonisolated func ask<Answer: Sendable>(
    _ remote: any StoreRemote,
    _ question: @escaping @Sendable (any StoreRemote) async throws -> Answer
  ) async throws -> Answer? {
    try Task.checkCancellation()
    let time = configuration.time
    do {
      let answer = try await time.value(by: time.now() + OnlineStateTracker.timeout) {
        do { return try await question(remote) } catch { throw StoreRemoteError(wrapping: error) }
      }
      if answer == nil { outage.failed(Self.noAnswer) }
      return answer
    } catch let error as StoreRemoteError {
      try Task.checkCancellation()
      guard error.isUnreachable else { throw error }
      outage.failed(error)
      return nil
    }
  }

  /// The failure of a read without an answer.
  private static let noAnswer = StoreRemoteError(
    .deadlineExceeded,
    "A read wasn't answered within \(OnlineStateTracker.timeout.components.seconds) seconds.")

  /// Records whether a read was answered; no effect if the database was closed in the meantime.
  ///
  /// - Parameters:
  ///   - wasAnswered: whether the remote has answered, with a result or an error.
  ///   - question: the request with which the remote is probed if it hasn't.
  fileprivate func readEnded(wasAnswered: Bool, _ question: RemoteQuestion) {
    guard case .open(let running) = state else { return }
    if wasAnswered {
      running.reach?.readAnswered()
      running.sync.remote?.remoteIsHeard()
    } else {
      running.reach?.readFailed(question)
    }
  }

  /// Probes in the background whether the remote can be reached.
  ///
  /// - Parameter question: the request.
  /// - Returns: the task, which reports its outcome to ``ReadReach`` unless it is cancelled.
  nonisolated func probe(_ question: RemoteQuestion) -> Task<Void, Never> {
    Task { [weak self] in
      guard let isAnswered = await self?.isAnswered(question), !Task.isCancelled else { return }
      await self?.endProbe(isAnswered)
    }
  }

  /// Returns whether the remote answers a probe; `false` if the probe is cancelled.
  private nonisolated func isAnswered(_ question: RemoteQuestion) async -> Bool {
    guard let remote = configuration.remote else { return false }
    let context = await context
    do { return try await ask(remote, { try await question.ask($0, in: context) }) != nil } catch {
      // A rejection is an answer as well.
      return !(error is CancellationError)
    }
  }

  private func endProbe(_ isAnswered: Bool) {
    guard case .open(let running) = state else { return }
    running.reach?.probeEnded(wasAnswered: isAnswered)
    if isAnswered { running.sync.remote?.remoteIsHeard() }
  }

  /// Saves documents that were read from the remote, and counts them as in use until ``release(_:)``.
  ///
  /// A document whose version the cache already has isn't written again. Views that show a changed document
  /// are updated. The event has no timestamp, because the documents of a read aren't a consistent snapshot of
  /// all targets.
  ///
  /// - Throws: ``StoreError`` if the database can't be opened or written.
  func save(_ documents: [RemoteDocument]) throws {
    try use { running in
      let kept = LocalViewChange(target: 0, isFromCache: true, added: documents.map(\.path))
      try running.local.viewsChanged([kept])
      var event = RemoteEvent(version: .zero)
      for document in documents where try !running.local.isKnown(document) {
        event.documents[document.path] =
          document.fields.map {
            BaseDocument(
              content: .found($0), createTime: document.createTime ?? .zero, version: document.updateTime,
              isCommitted: false)
          } ?? .missing(at: document.updateTime)
      }
      if !event.documents.isEmpty { try running.sync.saveRemoteEvent(event) }
    }
  }

  /// Releases documents that were read, which may be collected from then on. Errors are logged.
  ///
  /// - Parameter paths: the documents, once for each time that they were saved.
  func release(_ paths: [ResourcePath]) {
    guard !paths.isEmpty, case .open(let running) = state else { return }
    do {
      try running.local.viewsChanged([LocalViewChange(target: 0, isFromCache: true, removed: paths)])
    } catch {
      configuration.logger.warning("The documents that were read can't be released: \(error)")
    }
  }
}
