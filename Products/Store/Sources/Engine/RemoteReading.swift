import TenonCore
import TenonDocuments
import TenonStoreInterop

/// Brings documents that are read from the remote, and keeps them until the reading is over.
final class RemoteReading: Sendable {
  private struct State {
    var isReachable = true
    var kept: [ResourcePath] = []
    /// For whoever was signed in when something was last asked.
    var context: RemoteContext
  }

  private let engine: StoreEngine
  private let remote: any StoreRemote
  private let state: Lock<State>

  init(engine: StoreEngine, remote: any StoreRemote, in context: RemoteContext) {
    self.engine = engine
    self.remote = remote
    state = Lock(State(context: context))
  }

  /// Whether the remote has answered everything so far.
  var isReachable: Bool { state.withLock { $0.isReachable } }

  /// Computes over the documents of a query.
  ///
  /// - Returns: `nil` when the remote can't be reached.
  func aggregate(_ query: ResolvedQuery, _ aggregations: [QueryAggregation]) async throws -> [Value]? {
    let asked = query.completed
    return try await ask(.query(asked)) { try await $0.aggregate(asked, aggregations, in: $1) }
  }

  func fetch(_ paths: [ResourcePath]) async throws {
    guard let first = paths.first,
      let documents = try await ask(.document(first), { try await $0.fetch(paths, in: $1) })
    else { return }
    try await keep(documents)
  }

  func fetch(_ query: ResolvedQuery) async throws {
    let asked = query.completed
    guard let documents = try await ask(.query(asked), { try await $0.run(asked, in: $1) }) else {
      return
    }
    try await keep(documents)
    // What only this device holds for a part of the result may be gone there.
    let found = Set(documents.map(\.path))
    let others = try await engine.read { try $0.documents(of: query).map(\.path) }.filter {
      !found.contains($0)
    }
    if !others.isEmpty { try await fetch(others) }
  }

  /// - Parameter probe: what tells later whether the remote can be reached again.
  /// - Returns: `nil` when the remote can't be reached, or doesn't answer in time; what is here counts then.
  private func ask<Answer: Sendable>(
    _ probe: RemoteQuestion,
    _ question: @escaping @Sendable (any StoreRemote, RemoteContext) async throws -> Answer
  ) async throws -> Answer? {
    guard isReachable else { return nil }
    do {
      let answer = try await askForWhoeverIsSignedIn(question)
      if answer == nil { state.withLock { $0.isReachable = false } }
      await engine.noteAnswer(answer != nil, to: probe)
      return answer
    } catch let error as StoreRemoteError {
      await engine.noteAnswer(true, to: probe)
      throw StoreError.wrapping(error)
    }
  }

  private func askForWhoeverIsSignedIn<Answer: Sendable>(
    _ question: @escaping @Sendable (any StoreRemote, RemoteContext) async throws -> Answer
  ) async throws -> Answer? {
    while true {
      let context = state.withLock { $0.context }
      do { return try await engine.ask(remote, { try await question($0, context) }) } catch {
        // Somebody else may have signed in since.
        guard (error as? StoreRemoteError)?.code == .unauthenticated else { throw error }
        let present = try await engine.presentContext()
        guard present != context else { throw error }
        state.withLock { $0.context = present }
      }
    }
  }

  private func keep(_ documents: [RemoteDocument]) async throws {
    state.withLock { $0.kept += documents.map(\.path) }
    try await engine.takeIn(documents)
  }

  func end() async {
    let kept = state.withLock { state in
      defer { state.kept = [] }
      return state.kept
    }
    await engine.release(kept)
  }
}

extension StoreEngine {
  /// What is read through; `nil` when there is no remote, or it can't be reached.
  ///
  /// - Parameter question: what tells whether the remote can be reached again, if it can't be now.
  func beginReading(_ question: RemoteQuestion? = nil) async -> RemoteReading? {
    guard let remote = configuration.remote else { return nil }
    let mayAsk = try? await useAsUser { $0.reach?.mayAsk(question) ?? false }
    return mayAsk ?? false ? RemoteReading(engine: self, remote: remote, in: context) : nil
  }

  /// Asks the remote, and doesn't wait for it longer than the answer may take, nor after a cancellation: a remote that
  /// hangs may hear neither.
  ///
  /// - Returns: `nil` when the remote can't be reached.
  /// - Throws: `CancellationError`; ``StoreRemoteError`` when the remote has answered with one.
  nonisolated func ask<Answer: Sendable>(
    _ remote: any StoreRemote,
    _ question: @escaping @Sendable (any StoreRemote) async throws -> Answer
  ) async throws -> Answer? {
    try Task.checkCancellation()
    let (results, ends) = AsyncStream<Result<Answer?, any Error>>.makeStream()
    let asking = Task {
      do { ends.yield(.success(try await question(remote))) } catch {
        ends.yield(.failure(StoreRemoteError(wrapping: error)))
      }
    }
    let waiting = Task { [sleep = configuration.sleep] in
      if (try? await sleep(OnlineStateTracker.timeout)) != nil { ends.yield(.success(nil)) }
    }
    defer {
      asking.cancel()
      waiting.cancel()
    }
    do {
      for await result in results { return try result.get() }
      throw CancellationError()
    } catch let error as StoreRemoteError {
      try Task.checkCancellation()
      guard error.isUnreachable else { throw error }
      return nil
    }
  }

  /// A read was answered, or it was not.
  fileprivate func noteAnswer(_ isAnswered: Bool, to question: RemoteQuestion) {
    guard case .open(let running) = state else { return }
    if isAnswered { running.reach?.heard() } else { running.reach?.failed(question) }
  }

  /// Looks in the background whether the remote can be reached.
  nonisolated func probe(_ question: RemoteQuestion) -> Task<Void, Never> {
    Task { [weak self] in
      guard let isAnswered = await self?.isAnswered(question), !Task.isCancelled else { return }
      await self?.endProbe(isAnswered)
    }
  }

  private nonisolated func isAnswered(_ question: RemoteQuestion) async -> Bool {
    guard let remote = configuration.remote else { return false }
    let context = await context
    do { return try await ask(remote, { try await question.ask($0, in: context) }) != nil } catch {
      // What is refused is answered.
      return !(error is CancellationError)
    }
  }

  private func endProbe(_ isAnswered: Bool) {
    guard case .open(let running) = state else { return }
    running.reach?.probeEnds(isAnswered: isAnswered)
  }

  /// Takes in what was read at the remote.
  func takeIn(_ documents: [RemoteDocument]) throws {
    try use { running in
      let kept = LocalViewChange(target: 0, isFromCache: true, added: documents.map(\.path))
      try running.local.note([kept])
      var event = RemoteEvent(version: .zero)
      for document in documents where try !running.local.isKnown(document) {
        event.documents[document.path] =
          document.fields.map {
            BaseDocument(
              content: .found($0), createTime: document.createTime ?? .zero, version: document.updateTime,
              isCommitted: false)
          } ?? .missing(at: document.updateTime)
      }
      if !event.documents.isEmpty { try running.sync.applyRemoteEvent(event) }
    }
  }

  /// Documents that were read may be collected.
  func release(_ paths: [ResourcePath]) {
    guard !paths.isEmpty, case .open(let running) = state else { return }
    do { try running.local.note([LocalViewChange(target: 0, isFromCache: true, removed: paths)]) } catch {
      configuration.logger.warning("It can't be noted what was read: \(error)")
    }
  }
}
