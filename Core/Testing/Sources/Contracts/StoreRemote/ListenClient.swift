import TenonDocuments
package import TenonFoundation
package import TenonStoreInterop
import Testing

/// A client of a listen stream, for tests. It applies the events as the protocol defines them, and keeps the
/// documents of each target as of the last consistent snapshot.
///
/// The rules are those of `google.firestore.v1.ListenResponse`: documents enter and leave targets by events
/// that name the targets, and a ``TargetChange`` without targets that has a read time marks a consistent
/// snapshot. Between snapshots, the state is incomplete; both overloads of ``until(_:)`` therefore return
/// only at a snapshot or right after a target was removed.
///
/// Documents are identified by the last segment of their path, so a test must give different IDs to the
/// documents of all targets of a stream. The value belongs to one task. Copies share the stream: read events
/// from one of them only.
///
/// ```swift
/// var listening = ListenClient(remote, RemoteContext())
/// listening.add(1, .query(query))
/// try await listening.until { $0.isCurrent(1) }
/// #expect(listening.held(1) == ["a", "b"])
/// listening.end()
/// ```
package struct ListenClient {
  /// The state of a target at the client.
  ///
  /// It is created when the target is added, or copied from an earlier stream by ``keep(_:from:)``. When the
  /// target is removed, a new state replaces it, of which only ``isRemoved`` and ``error`` are set.
  private struct Target {
    /// The IDs of the documents that belong to the target.
    var held: Set<String> = []
    /// The last resume token; `nil` if there was none.
    var token: Data?
    /// Whether the remote has confirmed the target (`TargetChangeType.ADD`).
    var isAdded = false
    /// Whether the initial state of the target was complete (`TargetChangeType.CURRENT`). A reset leaves it
    /// `true`.
    var isCurrent = false
    /// Whether the remote has ended the target (`TargetChangeType.REMOVE`), by request or because of an
    /// error.
    var isRemoved = false
    /// Whether the remote has discarded the documents of the target to send it from the beginning
    /// (`TargetChangeType.RESET`).
    var wasReset = false
    /// The error with which the target ended; `nil` if there was none.
    var error: (any Error)?
    /// The last existence filter; `nil` if there was none.
    var filter: ExistenceFilter?
  }

  /// The requests of the stream. They are buffered without a limit until the remote reads them.
  private let requests: AsyncStream<ListenRequest>.Continuation
  /// The iterator of the stream's events.
  private var events: AsyncThrowingStream<ListenEvent, any Error>.Iterator
  /// The targets, by ID.
  private var targets: [Int: Target] = [:]
  /// The last state of each document that exists, by ID. Documents that leave all targets are kept.
  private var documents: [String: RemoteDocument] = [:]
  /// The IDs of all documents that an event has mentioned.
  private var mentioned: Set<String> = []
  /// The time of the last consistent snapshot of all targets; `nil` before the first.
  package private(set) var readTime: Timestamp?

  /// Opens a listen stream without targets.
  ///
  /// - Parameters:
  ///   - remote: the implementation under test.
  ///   - context: the database and the user.
  package init(_ remote: any StoreRemote, _ context: RemoteContext) {
    let (stream, requests) = AsyncStream<ListenRequest>.makeStream()
    self.requests = requests
    events = remote.listen(stream, in: context).makeAsyncIterator()
  }

  // MARK: - Requests

  /// Adds a target. The remote replaces a target of the same ID.
  ///
  /// The state of an earlier target of that ID, except its error, is kept until events change it. After
  /// ``keep(_:from:)``, the documents of the earlier stream thus belong to the target until the remote
  /// removes or resets them.
  ///
  /// - Parameters:
  ///   - id: the ID of the target, a positive number.
  ///   - content: the query or the documents.
  ///   - resumption: the token or the read time from which to resume; `nil` to begin with the current state.
  ///   - expectedCount: the number of documents that the client has as of `resumption`, for an existence
  ///     filter; `nil` requests none.
  package mutating func add(
    _ id: Int, _ content: ListenTarget.Content, _ resumption: ListenTarget.Resumption? = nil,
    expectedCount: Int? = nil
  ) {
    targets[id, default: Target()].error = nil
    let target = ListenTarget(
      id: id, content: content, resumption: resumption, expectedCount: expectedCount)
    requests.yield(.add(target))
  }

  /// Requests the removal of a target. Events of the target may arrive until ``isRemoved(_:)``.
  package func remove(_ id: Int) { requests.yield(.remove(target: id)) }

  /// Ends the requests, and with them the stream. Events that were sent before can still be read.
  package func end() { requests.finish() }

  /// Copies the documents of a target from an earlier stream, as a client does that resumes it. Any other
  /// state of the target, such as its token, is discarded.
  ///
  /// - Parameters:
  ///   - id: the ID of the target, the same on both streams.
  ///   - other: the earlier stream, which may have ended.
  package mutating func keep(_ id: Int, from other: ListenClient) {
    targets[id] = Target(held: other.held(id))
  }

  // MARK: - State

  /// Returns the IDs of the documents that belong to a target; an empty set if the target is unknown or was
  /// removed.
  package func held(_ id: Int) -> Set<String> { targets[id]?.held ?? [] }
  /// Returns the last resume token of a target that wasn't empty, or `nil` if there was none.
  package func token(_ id: Int) -> Data? { targets[id]?.token }
  /// Returns whether the remote has confirmed a target.
  package func isAdded(_ id: Int) -> Bool { targets[id]?.isAdded ?? false }
  /// Returns whether the initial state of a target is complete.
  package func isCurrent(_ id: Int) -> Bool { targets[id]?.isCurrent ?? false }
  /// Returns whether the remote has ended a target.
  package func isRemoved(_ id: Int) -> Bool { targets[id]?.isRemoved ?? false }
  /// Returns whether the remote has sent a target again from the beginning.
  package func wasReset(_ id: Int) -> Bool { targets[id]?.wasReset ?? false }
  /// Returns the error with which a target ended; `nil` if it hasn't ended, was removed by request or was
  /// added again.
  package func error(_ id: Int) -> (any Error)? { targets[id]?.error }
  /// Returns the last existence filter of a target, or `nil` if there was none. Filters don't change
  /// ``held(_:)``.
  package func filter(_ id: Int) -> ExistenceFilter? { targets[id]?.filter }
  /// Returns the last known state of a document, or `nil` if it is unknown or deleted.
  package func document(_ id: String) -> RemoteDocument? { documents[id] }
  /// Returns whether an event of this stream was about a document: its state, its deletion or its removal
  /// from a target.
  package func wasMentioned(_ id: String) -> Bool { mentioned.contains(id) }

  /// Reads events until a consistent snapshot of all targets at a time or later.
  ///
  /// - Parameter time: the time of a commit. At least one event is read, even if the last snapshot was late
  ///   enough.
  /// - Throws: the error with which the stream ends.
  package mutating func until(_ time: Timestamp) async throws {
    try await until { ($0.readTime?.compare(time) ?? -1) >= 0 }
  }

  /// Reads events until a condition holds at a consistent snapshot of all targets, or right after a target
  /// was removed. Records an issue if the stream ends before.
  ///
  /// - Parameter condition: the condition. It isn't evaluated at any other time, because the state may be
  ///   inconsistent. At least one event is read, even if the condition holds already.
  /// - Throws: the error with which the stream ends; `CancellationError` if the task is cancelled.
  package mutating func until(_ condition: (ListenClient) -> Bool) async throws {
    while let event = try await events.next(isolation: #isolation) {
      if take(event), condition(self) { return }
    }
    // A stream whose reader is cancelled between two events ends without an error.
    try Task.checkCancellation()
    Issue.record("the stream ended before the expected state was reached")
  }

  /// Reads events until the stream ends.
  ///
  /// - Throws: the error with which the stream ends.
  package mutating func untilEnd() async throws {
    while let event = try await events.next(isolation: #isolation) { _ = take(event) }
  }

  /// Applies an event to the targets that it names. Documents and filters of unknown targets are ignored.
  ///
  /// - Returns: whether the state is consistent afterwards.
  private mutating func take(_ event: ListenEvent) -> Bool {
    switch event {
    case .target(let change): return take(change)
    case .document(let document, let added, let removed):
      let id = document.path.id
      mentioned.insert(id)
      documents[id] = document.fields == nil ? nil : document
      for target in added { targets[target]?.held.insert(id) }
      for target in removed { targets[target]?.held.remove(id) }
      return false
    case .removed(let path, let removed):
      mentioned.insert(path.id)
      for target in removed { targets[target]?.held.remove(path.id) }
      return false
    case .existenceFilter(let filter):
      targets[filter.target]?.filter = filter
      return false
    }
  }

  /// Applies a change of targets. A change without targets applies to all of them.
  ///
  /// Records an issue if the read time of a snapshot is before that of the previous one: for a given stream,
  /// Firestore guarantees increasing read times (`google.firestore.v1.TargetChange.read_time`). Equal times
  /// are accepted.
  ///
  /// - Returns: whether the state is consistent afterwards.
  private mutating func take(_ change: TargetChange) -> Bool {
    let ids = change.targets.isEmpty ? Array(targets.keys) : change.targets
    for id in ids {
      if let token = change.token, !token.isEmpty { targets[id]?.token = token }
      switch change.kind {
      case .noChange: break
      case .added: targets[id]?.isAdded = true
      case .current: targets[id]?.isCurrent = true
      case .reset:
        targets[id]?.held = []
        targets[id]?.wasReset = true
      case .removed(let error):
        targets[id] = Target()
        targets[id]?.isRemoved = true
        targets[id]?.error = error
      }
    }
    if case .removed = change.kind { return true }
    guard change.targets.isEmpty, let time = change.readTime else { return false }
    if let readTime { #expect(time.compare(readTime) >= 0, "the read times of a stream never decrease") }
    readTime = time
    return true
  }
}

/// A client of a write stream, for tests. It doesn't interpret the events.
///
/// The value belongs to one task. Copies share the stream: read events from one of them only.
///
/// ```swift
/// var writing = RemoteWriting(remote, RemoteContext(), token: nil)
/// _ = try await writing.next()  // The stream is open.
/// writing.send(RemoteBatch(writes: [write]))
/// _ = try await writing.next()  // The batch is committed.
/// writing.end()
/// ```
package struct RemoteWriting {
  /// The batches of the stream. They are buffered without a limit until the remote reads them.
  private let batches: AsyncStream<RemoteBatch>.Continuation
  /// The iterator of the stream's events.
  private var events: AsyncThrowingStream<WriteEvent, any Error>.Iterator

  /// Opens a write stream.
  ///
  /// - Parameters:
  ///   - remote: the implementation under test.
  ///   - context: the database and the user.
  ///   - token: the last token of an earlier stream; `nil` for a new one.
  package init(_ remote: any StoreRemote, _ context: RemoteContext, token: Data?) {
    let (stream, batches) = AsyncStream<RemoteBatch>.makeStream()
    self.batches = batches
    events = remote.write(stream, token: token, in: context).makeAsyncIterator()
  }

  /// Sends a batch without waiting for its response.
  package func send(_ batch: RemoteBatch) { batches.yield(batch) }
  /// Ends the batches, and with them the stream as soon as every batch has been answered.
  package func end() { batches.finish() }
  /// Waits for the next event and returns it, or `nil` at the end of the stream.
  ///
  /// - Throws: the error with which the stream ends, for example that of a rejected batch.
  package mutating func next() async throws -> WriteEvent? { try await events.next(isolation: #isolation) }
}
