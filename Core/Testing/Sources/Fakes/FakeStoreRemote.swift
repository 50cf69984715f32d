import TenonCore
import TenonDocuments
public import TenonStoreInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A ``StoreRemote`` that keeps documents in memory and tells its listeners at once.
///
/// It does what a server does, and what a server does to its clients: answers can be held back, batches and targets
/// refused, acknowledgements lost, streams dropped and tokens forgotten. Nobody signs in to it: it serves every user of a
/// ``RemoteContext``. Time begins one second after 1970 and goes on by a millisecond with each batch.
public final class FakeStoreRemote: StoreRemote {
  /// What becomes of a batch.
  public enum BatchFate: Sendable {
    /// It is applied, if its preconditions hold.
    case applied
    /// It is not applied; its stream ends with the error.
    case refused(any Error)
    /// It is applied, but its answer is lost; its stream ends with the error.
    case unanswered(any Error)
  }

  struct Listening {
    let database: String
    var session: ListenSession
    var targets: [Int: ListenTarget] = [:]
    let events: AsyncThrowingStream<ListenEvent, any Error>.Continuation
  }

  struct State {
    var databases: [String: MemoryDocuments] = [:]
    /// Counts how often all documents were lost.
    var generation = 0
    var answers: [UUID: RemoteCommit] = [:]
    var listenings: [Int: Listening] = [:]
    var writings: [Int: AsyncThrowingStream<WriteEvent, any Error>.Continuation] = [:]
    var lastStream = 0
    var failure: (any Error)?
    var fates: [BatchFate] = []
    var refusal: (@Sendable (ListenTarget) -> (any Error)?)?
    /// What waits to be told while answers are held back.
    var held: [@Sendable () -> Void]?
    var requests: [ListenRequest] = []
    var batches: [RemoteBatch] = []

    mutating func tell(_ answer: @escaping @Sendable () -> Void) {
      if held == nil { answer() } else { held?.append(answer) }
    }

    func documents(of database: String) -> MemoryDocuments {
      databases[database] ?? MemoryDocuments(identity: "\(generation)-\(database)", name: database)
    }
  }

  let state = Lock(State())

  /// There are no documents at first.
  public init() {}

  // MARK: - Documents

  /// Applies all writes, or none.
  public func commit(_ batch: RemoteBatch, in context: RemoteContext) async throws -> RemoteCommit {
    try Task.checkCancellation()
    let answer = state.withLock { $0.apply(batch, context.database) }
    await answersFlow()
    return try answer.get()
  }

  /// The documents as they are; those that are missing have no fields.
  public func fetch(_ documents: [ResourcePath], in context: RemoteContext) async throws -> [RemoteDocument] {
    try await read(context.database) { try $0.documents(at: documents) }
  }

  /// The documents of a query, in its order.
  public func run(_ query: StructuredQuery, in context: RemoteContext) async throws -> [RemoteDocument] {
    try await read(context.database) { try $0.documents(of: ResolvedQuery(query), limit: query.limit) }
  }

  /// Counts, sums and averages over the documents of a query.
  public func aggregate(
    _ query: StructuredQuery,
    _ aggregations: [QueryAggregation],
    in context: RemoteContext
  ) async throws -> [Value] {
    try await read(context.database) { try $0.aggregate(ResolvedQuery(query), aggregations) }
  }

  private func read<Result: Sendable>(
    _ database: String, _ body: (MemoryDocuments) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let documents = try state.withLock { state in
      if let failure = state.failure { throw failure }
      return state.documents(of: database)
    }
    do {
      let result = try body(documents)
      await answersFlow()
      try Task.checkCancellation()
      return result
    } catch let error as DocumentError {
      throw StoreRemoteError(.invalidArgument, error.message, underlying: error)
    }
  }

  /// Returns when answers aren't held back, or the task was cancelled.
  private func answersFlow() async {
    let (gate, opening) = AsyncStream<Never>.makeStream()
    state.withLock { $0.tell { opening.finish() } }
    for await _ in gate {}
  }

  // MARK: - Streams

  /// Tells what targets hold, and then every change. It ends when the requests end.
  public func listen(
    _ requests: AsyncStream<ListenRequest>, in context: RemoteContext
  ) -> AsyncThrowingStream<ListenEvent, any Error> {
    let (events, continuation) = AsyncThrowingStream<ListenEvent, any Error>.makeStream()
    let id = state.withLock { state in
      state.lastStream += 1
      if let failure = state.failure {
        continuation.finish(throwing: failure)
      } else {
        state.listenings[state.lastStream] = Listening(
          database: context.database, session: ListenSession(state.documents(of: context.database)),
          events: continuation)
      }
      return state.lastStream
    }
    let reading = Task {
      for await request in requests { state.withLock { $0.take(request, id) } }
      guard !Task.isCancelled else { return }
      state.withLock { state in
        guard state.listenings.removeValue(forKey: id) != nil else { return }
        state.tell { continuation.finish() }
      }
    }
    continuation.onTermination = { [weak self] _ in
      // Later: this may run inside of the lock.
      Task {
        reading.cancel()
        self?.state.withLock { $0.listenings[id] = nil }
      }
    }
    return events
  }

  /// Applies batches in their order. It ends when the batches end.
  public func write(
    _ batches: AsyncStream<RemoteBatch>, token: Data?, in context: RemoteContext
  ) -> AsyncThrowingStream<WriteEvent, any Error> {
    let (events, continuation) = AsyncThrowingStream<WriteEvent, any Error>.makeStream()
    let id = state.withLock { state in
      state.lastStream += 1
      if let failure = state.failure {
        continuation.finish(throwing: failure)
      } else {
        state.writings[state.lastStream] = continuation
        state.tell { continuation.yield(.opened(token: token ?? Data("0".utf8))) }
      }
      return state.lastStream
    }
    let reading = Task {
      for await batch in batches {
        let goesOn = state.withLock { $0.answer(batch, context.database, to: id) }
        guard goesOn else { return }
      }
      guard !Task.isCancelled else { return }
      state.withLock { state in
        guard state.writings.removeValue(forKey: id) != nil else { return }
        state.tell { continuation.finish() }
      }
    }
    continuation.onTermination = { [weak self] _ in
      Task {
        reading.cancel()
        self?.state.withLock { $0.writings[id] = nil }
      }
    }
    return events
  }
}

extension FakeStoreRemote.State {
  /// Applies a batch as its fate has it, and tells listeners.
  mutating func apply(_ batch: RemoteBatch, _ database: String) -> Result<RemoteCommit, any Error> {
    batches.append(batch)
    if let failure { return .failure(failure) }
    let fate = fates.isEmpty ? .applied : fates.removeFirst()
    if case .refused(let error) = fate { return .failure(error) }
    let answer: RemoteCommit
    if let first = answers[batch.id] {
      answer = first
    } else {
      do {
        var documents = documents(of: database)
        answer = try documents.commit(batch.writes)
        databases[database] = documents
        answers[batch.id] = answer
        tellListeners(database)
      } catch {
        return .failure(error)
      }
    }
    if case .unanswered(let error) = fate { return .failure(error) }
    return .success(answer)
  }

  /// Whether the stream goes on.
  fileprivate mutating func answer(_ batch: RemoteBatch, _ database: String, to id: Int) -> Bool {
    guard let events = writings[id] else { return false }
    switch apply(batch, database) {
    case .success(let commit):
      let token = Data("\(batches.count)".utf8)
      tell { events.yield(.committed(commit, token: token)) }
      return true
    case .failure(let error):
      writings[id] = nil
      tell { events.finish(throwing: error) }
      return false
    }
  }

  fileprivate mutating func take(_ request: ListenRequest, _ id: Int) {
    requests.append(request)
    guard var listening = listenings[id] else { return }
    if case .add(let target) = request, let error = refusal?(target) {
      listening.targets[target.id] = nil
      send(listening.session.end(target.id, error), to: listening)
    } else {
      switch request {
      case .add(let target): listening.targets[target.id] = target
      case .remove(let target): listening.targets[target] = nil
      }
      // A history in memory never fails.
      let events = try? listening.session.take(request, documents(of: listening.database))
      send(events ?? [], to: listening)
    }
    listenings[id] = listening
  }

  mutating func tellListeners(_ database: String) {
    let documents = documents(of: database)
    for id in listenings.keys.sorted() where listenings[id]?.database == database {
      guard var listening = listenings[id] else { continue }
      send((try? listening.session.advance(documents)) ?? [], to: listening)
      listenings[id] = listening
    }
  }

  mutating func send(_ events: [ListenEvent], to listening: FakeStoreRemote.Listening) {
    for event in events { tell { listening.events.yield(event) } }
  }
}
