import TenonCore
import TenonDocuments
public import TenonStoreInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A ``StoreRemote`` that keeps documents in memory and tells its listeners at once.
public final class FakeStoreRemote: StoreRemote {
  private struct Listener {
    let database: String
    var targets: [Int: Target] = [:]
    let continuation: AsyncThrowingStream<RemoteEvent, any Error>.Continuation
  }

  private enum Target {
    case query(ResolvedQuery)
    case documents(Set<ResourcePath>)

    func holds(_ document: RemoteDocument?) -> Bool {
      guard let document, let fields = document.fields else { return false }
      return switch self {
      case .query(let query): query.matches(fields, at: document.path)
      case .documents(let paths): paths.contains(document.path)
      }
    }
  }

  private struct State {
    var databases: [String: [ResourcePath: RemoteDocument]] = [:]
    var clock: Int64 = 0
    var listeners: [Int: Listener] = [:]
    var nextListener = 0
    var failure: (any Error)?

    var now: Timestamp {
      Timestamp(seconds: clock / 1_000_000, nanoseconds: Int32(clock % 1_000_000) * 1000)
    }
  }

  private let state = Lock(State())

  /// There are no documents at first. Time begins in 1970 and goes on by a microsecond with each commit.
  public init() {}

  /// Makes every call fail from now on, and ends all listening; `nil` ends that.
  public func fail(with error: (any Error)?) {
    state.withLock { state in
      state.failure = error
      guard let error else { return }
      for listener in state.listeners.values { listener.continuation.finish(throwing: error) }
      state.listeners = [:]
    }
  }

  // MARK: - Documents

  /// Applies all writes, or none.
  public func commit(_ writes: [DocumentWrite], database: String) async throws -> Timestamp {
    try Task.checkCancellation()
    return try state.withLock { state in
      if let failure = state.failure { throw failure }
      let before = state.databases[database] ?? [:]
      var after = before
      state.clock += 1
      for write in writes {
        try Self.check(write, after[write.document])
        after[write.document] = RemoteDocument(
          path: write.document,
          fields: try Self.result(of: write, on: after[write.document]?.fields, at: state.now),
          updateTime: state.now
        )
      }
      state.databases[database] = after
      Self.tell(&state, database, Set(writes.map(\.document)), before)
      return state.now
    }
  }

  private static func check(_ write: DocumentWrite, _ document: RemoteDocument?) throws {
    let exists = document?.fields != nil
    switch write.precondition {
    case .exists(true) where !exists:
      throw StoreRemoteError(.notFound, "There is no document \(write.document.text).")
    case .exists(false) where exists:
      throw StoreRemoteError(.alreadyExists, "The document \(write.document.text) exists.")
    case .updated(let time) where !exists || document?.updateTime != time:
      throw StoreRemoteError(.failedPrecondition, "The document \(write.document.text) was changed.")
    default: break
    }
  }

  private static func result(of write: DocumentWrite, on old: Fields?, at moment: Timestamp) throws -> Fields?
  {
    do {
      return try write.result(on: old, at: moment)
    } catch {
      throw StoreRemoteError(.invalidArgument, error.message)
    }
  }

  /// The documents as they are; those that are missing have no fields.
  public func fetch(_ documents: [ResourcePath], database: String) async throws -> [RemoteDocument] {
    try Task.checkCancellation()
    return try state.withLock { state in
      if let failure = state.failure { throw failure }
      return documents.map {
        state.databases[database]?[$0] ?? RemoteDocument(path: $0, fields: nil, updateTime: state.now)
      }
    }
  }

  /// Counts, sums and averages over the documents of a query.
  public func aggregate(
    _ query: StructuredQuery,
    _ aggregations: [QueryAggregation],
    database: String
  ) async throws -> [Value] {
    try Task.checkCancellation()
    let resolved = try ResolvedQuery(query)
    return try state.withLock { state in
      if let failure = state.failure { throw failure }
      let documents = (state.databases[database] ?? [:]).values.filter { Target.query(resolved).holds($0) }
      var aggregated = AggregationState(aggregations)
      for document in documents { if let fields = document.fields { aggregated.add(fields) } }
      return aggregated.values
    }
  }

  // MARK: - Listening

  /// Tells what targets hold, and then every change.
  public func listen(
    to targets: AsyncStream<TargetRequest>,
    database: String
  ) -> AsyncThrowingStream<RemoteEvent, any Error> {
    let (events, continuation) = AsyncThrowingStream<RemoteEvent, any Error>.makeStream()
    let id = state.withLock { state in
      state.nextListener += 1
      if let failure = state.failure {
        continuation.finish(throwing: failure)
      } else {
        state.listeners[state.nextListener] = Listener(database: database, continuation: continuation)
      }
      return state.nextListener
    }
    let reading = Task { for await request in targets { take(request, id) } }
    continuation.onTermination = { [weak self] _ in
      reading.cancel()
      self?.state.withLock { $0.listeners[id] = nil }
    }
    return events
  }

  private func take(_ request: TargetRequest, _ listener: Int) {
    state.withLock { state in
      switch request {
      case .addQuery(let query, let target, let token):
        do throws(DocumentError) {
          Self.add(.query(try ResolvedQuery(query)), target, token, to: listener, &state)
        } catch {
          let refusal = StoreRemoteError(.invalidArgument, error.message, underlying: error)
          state.listeners[listener]?.continuation.yield(.refused(target: target, refusal))
        }
      case .addDocuments(let paths, let target, let token):
        Self.add(.documents(Set(paths)), target, token, to: listener, &state)
      case .remove(let target): state.listeners[listener]?.targets[target] = nil
      }
    }
  }

  private static func add(_ target: Target, _ number: Int, _ token: Data?, to id: Int, _ state: inout State) {
    guard let listener = state.listeners[id] else { return }
    state.listeners[id]?.targets[number] = target
    let since = token.flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
    for document in (state.databases[listener.database] ?? [:]).values
    where microseconds(document.updateTime) > since {
      if target.holds(document) {
        listener.continuation.yield(.document(document, added: [number], removed: []))
      } else if token != nil {
        listener.continuation.yield(.document(document, added: [], removed: [number]))
      }
    }
    listener.continuation.yield(.current(target: number, token: Self.token(state)))
    listener.continuation.yield(.consistent(at: state.now, token: Self.token(state)))
  }

  private static func tell(
    _ state: inout State,
    _ database: String,
    _ changed: Set<ResourcePath>,
    _ before: [ResourcePath: RemoteDocument]
  ) {
    for listener in state.listeners.values where listener.database == database {
      for path in changed {
        guard let document = state.databases[database]?[path] else { continue }
        let added = listener.targets.filter { $0.value.holds(document) }.keys.sorted()
        let removed = listener.targets.filter { !$0.value.holds(document) && $0.value.holds(before[path]) }
          .keys.sorted()
        guard !added.isEmpty || !removed.isEmpty else { continue }
        listener.continuation.yield(.document(document, added: added, removed: removed))
      }
      listener.continuation.yield(.consistent(at: state.now, token: token(state)))
    }
  }

  private static func token(_ state: State) -> Data { Data("\(state.clock)".utf8) }

  private static func microseconds(_ time: Timestamp) -> Int64 {
    time.seconds * 1_000_000 + Int64(time.nanoseconds / 1000)
  }
}
