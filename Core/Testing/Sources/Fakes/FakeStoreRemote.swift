import TenonDocuments
public import TenonFoundation
public import TenonStoreInterop

/// An implementation of `StoreRemote` that keeps documents in memory and notifies its listeners immediately,
/// for tests.
///
/// It behaves like a server, and can be out of reach: ``fail(with:)``. It doesn't authenticate: it serves
/// every user of a `RemoteContext`. Its clock starts one second after 1970 and advances by one millisecond
/// with each commit.
///
/// It can be used from any thread. One lock guards the whole state; events are sent under it, so every stream
/// receives them in the order of the commits. Documents, the record of requests and the responses to batches
/// are kept until the instance is released.
///
/// ```swift
/// let remote = FakeStoreRemote()
/// try remote.apply([DocumentWrite(ResourcePath(segments: ["rooms", "den"]), .set(["n": 1]))])
/// remote.fail(with: StoreRemoteError(.unavailable, "The connection broke."))
/// ```
public final class FakeStoreRemote: StoreRemote {
  /// 10, as in Firestore's clients.
  public let pipelineDepth = 10

  /// The outcome of a batch, which a test determines with ``decideNextBatches(_:)``.
  package enum BatchFate: Sendable {
    /// The batch is applied, if its preconditions hold.
    case applied
    /// The batch isn't applied, and its stream ends with the error.
    case refused(any Error)
    /// The batch is applied, but its response is lost, and its stream ends with the error.
    case unanswered(any Error)
  }

  /// An open listen stream.
  struct Listening {
    /// The name of the database, which is the same for all targets.
    let database: String
    /// The protocol state of the stream, which determines its events.
    var responder: ListenResponder
    /// The targets that the client has added and not removed, by ID.
    var targets: [Int: ListenTarget] = [:]
    /// The events that the client reads. They are buffered without a limit.
    let events: AsyncThrowingStream<ListenEvent, any Error>.Continuation
  }

  /// The state of the server. All access is under the lock.
  struct State {
    /// The databases that have been written to, by name.
    var databases: [String: MemoryDocuments] = [:]
    /// The number of times that all documents were lost. It is part of the identity of each database.
    var generation = 0
    /// The responses to applied batches, by batch ID, for batches that are sent again.
    var responses: [UUID: RemoteCommit] = [:]
    /// The open listen streams, by number.
    var listenings: [Int: Listening] = [:]
    /// The open write streams, by number.
    var writings: [Int: AsyncThrowingStream<WriteEvent, any Error>.Continuation] = [:]
    /// The number of the stream that was opened last.
    var lastStream = 0
    /// The error with which all calls fail; `nil` if they succeed.
    var failure: (any Error)?
    /// The outcomes of the next batches, in order.
    var fates: [BatchFate] = []
    /// Returns the error with which a target ends, or `nil` if it is accepted.
    var targetError: (@Sendable (ListenTarget) -> (any Error)?)?
    /// The delayed responses, in order; `nil` while responses are sent immediately.
    var delayed: [@Sendable () -> Void]?
    /// All requests of listen streams, in order.
    var requests: [ListenRequest] = []
    /// All batches, including rejected ones, in order.
    var batches: [RemoteBatch] = []

    /// Sends a response, or delays it while responses are held back.
    ///
    /// - Parameter response: sends the response. It runs under the lock, now or in
    ///   ``FakeStoreRemote/deliverDelayedResponses()``, so it must not access the state.
    mutating func deliver(_ response: @escaping @Sendable () -> Void) {
      if delayed == nil { response() } else { delayed?.append(response) }
    }

    /// Returns the documents of a database; an empty database if nothing was written to it.
    func documents(of database: String) -> MemoryDocuments {
      databases[database] ?? MemoryDocuments(identity: "\(generation)-\(database)", name: database)
    }
  }

  /// The state of the server, which all calls and streams share.
  let state = Lock(State())

  /// Creates a server without documents.
  public init() {}

  // MARK: - Documents

  /// Applies all writes of a batch, or none. A batch whose ID was applied before isn't applied again; its
  /// first response is repeated. The listeners are notified before this returns.
  ///
  /// If the task is cancelled while the response is held back, the response is returned immediately.
  ///
  /// - Parameters:
  ///   - batch: the writes and their ID.
  ///   - context: the database. The user is ignored.
  /// - Returns: the commit time and the results of the writes.
  /// - Throws: `StoreRemoteError` if a precondition doesn't hold; the error that a test has set;
  ///   `CancellationError` if the task was cancelled before.
  public func commit(_ batch: RemoteBatch, in context: RemoteContext) async throws -> RemoteCommit {
    try Task.checkCancellation()
    let response = state.withLock { $0.apply(batch, context.database) }
    await waitWhileDelayed()
    return try response.get()
  }

  /// Returns the current state of documents. A document that doesn't exist has no fields.
  ///
  /// - Throws: the error that a test has set; `CancellationError`.
  public func fetch(_ documents: [ResourcePath], in context: RemoteContext) async throws -> [RemoteDocument] {
    try await read(context.database) { try $0.documents(at: documents) }
  }

  /// Returns the current result of a query, in its order.
  ///
  /// - Throws: `StoreRemoteError` with `invalidArgument` if the query is invalid; the error that a test has
  ///   set; `CancellationError`.
  public func run(_ query: StructuredQuery, in context: RemoteContext) async throws -> [RemoteDocument] {
    try await read(context.database) { try $0.documents(of: ResolvedQuery(query), limit: query.limit) }
  }

  /// Returns the counts, sums and averages over the result of a query, one value per aggregation.
  ///
  /// - Throws: `StoreRemoteError` with `invalidArgument` if the query is invalid; the error that a test has
  ///   set; `CancellationError`.
  public func aggregate(
    _ query: StructuredQuery,
    _ aggregations: [QueryAggregation],
    in context: RemoteContext
  ) async throws -> [Value] {
    try await read(context.database) { try $0.aggregate(ResolvedQuery(query), aggregations) }
  }

  /// Reads from the documents of a database, outside the lock, and returns the result when responses aren't
  /// held back.
  ///
  /// - Parameters:
  ///   - database: the name of the database.
  ///   - body: reads from a snapshot of the documents.
  /// - Throws: `StoreRemoteError` with `invalidArgument` for a `DocumentError` of `body`; the error that a
  ///   test has set; `CancellationError` if the task is cancelled before the result is returned.
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
      await waitWhileDelayed()
      try Task.checkCancellation()
      return result
    } catch let error as DocumentError {
      throw StoreRemoteError(.invalidArgument, error.message, underlying: error)
    }
  }

  /// Suspends until responses aren't held back or the task is cancelled. In both cases it returns normally.
  private func waitWhileDelayed() async {
    let (gate, opening) = AsyncStream<Never>.makeStream()
    state.withLock { $0.deliver { opening.finish() } }
    for await _ in gate {}
  }

  // MARK: - Streams

  /// Sends the documents of each target, and then every change. The stream ends when the requests end.
  ///
  /// Events are buffered without a limit. When the consumer ends the stream, the server forgets it shortly
  /// afterwards.
  ///
  /// - Parameters:
  ///   - requests: the targets to add and to remove. The server reads them in a separate task.
  ///   - context: the database. The user is ignored.
  /// - Returns: the events. The stream fails immediately if a test has set an error.
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
          database: context.database, responder: ListenResponder(state.documents(of: context.database)),
          events: continuation)
      }
      return state.lastStream
    }
    let reading = Task {
      for await request in requests { state.withLock { $0.take(request, id) } }
      guard !Task.isCancelled else { return }
      state.withLock { state in
        guard state.listenings.removeValue(forKey: id) != nil else { return }
        state.deliver { continuation.finish() }
      }
    }
    continuation.onTermination = { [weak self] _ in
      // In a separate task, because this handler may run while the lock is held.
      Task {
        reading.cancel()
        self?.state.withLock { $0.listenings[id] = nil }
      }
    }
    return events
  }

  /// Applies batches in order. The stream ends when the batches end, and with an error when a batch is
  /// rejected.
  ///
  /// - Parameters:
  ///   - batches: the batches. The next one may be sent before the previous one has been answered.
  ///   - token: the last token of an earlier stream, which the first event repeats. It isn't checked.
  ///   - context: the database. The user is ignored.
  /// - Returns: the events. The stream fails immediately if a test has set an error.
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
        state.deliver { continuation.yield(.opened(token: token ?? Data("0".utf8))) }
      }
      return state.lastStream
    }
    let reading = Task {
      for await batch in batches {
        let remainsOpen = state.withLock { $0.process(batch, context.database, to: id) }
        guard remainsOpen else { return }
      }
      guard !Task.isCancelled else { return }
      state.withLock { state in
        guard state.writings.removeValue(forKey: id) != nil else { return }
        state.deliver { continuation.finish() }
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
  /// Records a batch, applies it according to its ``FakeStoreRemote/BatchFate`` and notifies the listeners.
  ///
  /// The batch consumes an outcome unless all calls fail; a repeated batch does too. Only the responses to
  /// applied batches are kept, so a batch that was rejected is applied if it is sent again and its
  /// preconditions hold.
  ///
  /// - Parameters:
  ///   - batch: the batch.
  ///   - database: the name of the database, which is created with the first batch that is applied.
  /// - Returns: the response, or the error that the client receives.
  mutating func apply(_ batch: RemoteBatch, _ database: String) -> Result<RemoteCommit, any Error> {
    batches.append(batch)
    if let failure { return .failure(failure) }
    let fate = fates.isEmpty ? .applied : fates.removeFirst()
    if case .refused(let error) = fate { return .failure(error) }
    let response: RemoteCommit
    if let first = responses[batch.id] {
      response = first
    } else {
      do {
        var documents = documents(of: database)
        response = try documents.commit(batch.writes)
        databases[database] = documents
        responses[batch.id] = response
        notifyListeners(database)
      } catch {
        return .failure(error)
      }
    }
    if case .unanswered(let error) = fate { return .failure(error) }
    return .success(response)
  }

  /// Applies a batch of a write stream and sends the response, whose token is the number of all batches so
  /// far.
  ///
  /// - Parameters:
  ///   - batch: the batch.
  ///   - database: the name of the database.
  ///   - id: the number of the stream. Without an open stream of that number, the batch is ignored.
  /// - Returns: whether the stream remains open.
  fileprivate mutating func process(_ batch: RemoteBatch, _ database: String, to id: Int) -> Bool {
    guard let events = writings[id] else { return false }
    switch apply(batch, database) {
    case .success(let commit):
      let token = Data("\(batches.count)".utf8)
      deliver { events.yield(.committed(commit, token: token)) }
      return true
    case .failure(let error):
      writings[id] = nil
      deliver { events.finish(throwing: error) }
      return false
    }
  }

  /// Processes a request of a listen stream, and ends a target that the test refuses.
  ///
  /// - Parameters:
  ///   - request: the request, which is recorded even if the stream has ended.
  ///   - id: the number of the stream.
  fileprivate mutating func take(_ request: ListenRequest, _ id: Int) {
    requests.append(request)
    guard var listening = listenings[id] else { return }
    if case .add(let target) = request, let error = targetError?(target) {
      listening.targets[target.id] = nil
      send(listening.responder.end(target.id, error), to: listening)
    } else {
      switch request {
      case .add(let target): listening.targets[target.id] = target
      case .remove(let target): listening.targets[target] = nil
      }
      // Reading from memory never fails.
      let events = try? listening.responder.take(request, documents(of: listening.database))
      send(events ?? [], to: listening)
    }
    listenings[id] = listening
  }

  /// Sends the changes of a database to its listeners, in the order in which they connected.
  mutating func notifyListeners(_ database: String) {
    let documents = documents(of: database)
    for id in listenings.keys.sorted() where listenings[id]?.database == database {
      guard var listening = listenings[id] else { continue }
      send((try? listening.responder.advance(documents)) ?? [], to: listening)
      listenings[id] = listening
    }
  }

  /// Sends events to a listener, or delays them while responses are held back.
  mutating func send(_ events: [ListenEvent], to listening: FakeStoreRemote.Listening) {
    for event in events { deliver { listening.events.yield(event) } }
  }
}
