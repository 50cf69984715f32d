import TenonCore
import TenonFoundation
import TenonStoreInterop

/// A stream of batches, which are committed in their order, one commit after the other.
///
/// The batches that wait when a commit has been answered go out together in the next one, up to the limits of
/// `removeGroup()`. If the server refuses them, they are divided in halves, so that in the end the refused
/// batch is alone and those before it are applied.
///
/// After a response was lost, batches whose repetition does no harm are repeated immediately; see
/// ``StoreSyncSettings/recordsWrites``. For the others, the stream ends with a transient error, after which
/// Store sends them again. If they have records, and were applied, the repetition is refused, and the results
/// come from the records.
struct WriteStream {
  /// Sends the commits.
  private let store: FirestoreRemote
  /// The database and the user.
  private let context: RemoteContext
  /// Whether batches get records.
  private let isRecorded: Bool
  /// Receives the events.
  private let events: AsyncThrowingStream<WriteEvent, any Error>.Continuation
  /// Receives warnings.
  private let logger: AppLogger?
  /// The records that exist and, as far as Store has saved, are needed no more.
  private var unneeded: [UUID]
  /// The records that exist.
  private var token: RecordToken
  /// The last token that was sent.
  private var sentToken: RecordToken

  /// Creates a stream.
  ///
  /// - Parameters:
  ///   - store: sends the commits.
  ///   - token: the last token of an earlier stream.
  ///   - context: the database and the user.
  ///   - logger: receives warnings.
  ///   - events: receives the events. It isn't finished.
  init(
    _ store: FirestoreRemote, token: Data?, in context: RemoteContext, logger: AppLogger?,
    events: AsyncThrowingStream<WriteEvent, any Error>.Continuation
  ) {
    self.store = store
    self.context = context
    self.events = events
    self.logger = logger
    isRecorded = store.client.settings.withLock { $0.recordsWrites }
    self.token = RecordToken(token)
    sentToken = self.token
    unneeded = self.token.batches
  }

  /// Commits batches until they end, or there are too many records.
  ///
  /// - Parameter batches: the batches.
  /// - Throws: `StoreRemoteError`; `CancellationError`.
  mutating func run(_ batches: AsyncStream<RemoteBatch>) async throws {
    let name = store.databaseName(context)
    try await store.client.checkUser(of: context)
    events.yield(.opened(token: nil))
    let queue = ArrivalQueue<RemoteBatch>()
    let filling = Task {
      for await batch in batches { queue.add(batch) }
      queue.end()
    }
    defer { filling.cancel() }
    for await _ in queue.signals {
      var waiting: [PreparedBatch] = []
      var invalid: StoreRemoteError?
      for batch in queue.removeAll() {
        do { waiting.append(try PreparedBatch(batch, isRecorded: isRecorded, in: name)) } catch {
          // Those before it are sent first.
          invalid = error
          break
        }
      }
      while !waiting.isEmpty {
        // The records that aren't needed are deleted in the same commit.
        let kept = token.batches.count - unneeded.count
        try await send(waiting.removeGroup(creating: WriteRecords.most - kept))
        guard token.batches.count < WriteRecords.most else { return }
      }
      if let invalid { throw invalid }
    }
    try Task.checkCancellation()
  }

  /// Commits a group, if necessary in parts, and sends its events.
  ///
  /// - Parameter group: the batches, at least one.
  /// - Throws: `StoreRemoteError` of the first batch that hasn't been applied; `CancellationError`.
  private mutating func send(_ group: [PreparedBatch]) async throws {
    do {
      let commits = try await store.commit(
        group, deleting: unneeded.map(WriteRecords.path), in: context)
      forgetUnneeded()
      for (place, (prepared, commit)) in zip(group, commits).enumerated() {
        var commit = commit
        commit.isFollowed = place < group.count - 1
        answer(prepared, commit)
      }
    } catch let error as StoreRemoteError where !error.isTransient {
      try await sendParts(of: group, refused: error)
    }
  }

  /// Commits a refused group in parts, except for the batches that were applied before.
  private mutating func sendParts(of group: [PreparedBatch], refused error: StoreRemoteError) async throws {
    if !unneeded.isEmpty, error.code == .permissionDenied {
      // The deletions of records may be what was refused.
      let kept = unneeded
      unneeded = []
      // The answers of the group must not name them again.
      token.batches.removeAll(where: Set(kept).contains)
      do { try await send(group) } catch {
        token.batches.insert(contentsOf: kept, at: 0)
        throw error
      }
      logger?.warning(
        "Records of applied writes can't be deleted: \(error.message) Permit it in the rules of "
          + "\(StoreSyncSettings.recordsCollection); see StoreSyncSettings.recordsWrites.")
      return
    }
    let applied = try await applied(in: group, refused: error)
    guard !applied.isEmpty || group.count > 1 else { throw error }
    guard !applied.isEmpty else {
      try await send(Array(group[..<(group.count / 2)]))
      return try await send(Array(group[(group.count / 2)...]))
    }
    var rest: [PreparedBatch] = []
    for prepared in group {
      guard let commit = applied[prepared.batch.id] else {
        rest.append(prepared)
        continue
      }
      if !rest.isEmpty { try await send(rest) }
      rest = []
      answer(prepared, commit)
    }
    if !rest.isEmpty { try await send(rest) }
  }

  /// Returns the results of those batches of a refused group that were applied before.
  ///
  /// - Throws: `StoreRemoteError`: the refusal, with a hint, if records can't be read; `CancellationError`.
  private func applied(
    in group: [PreparedBatch], refused error: StoreRemoteError
  ) async throws -> [UUID: RemoteCommit] {
    guard group.contains(where: { $0.record != nil }) else { return [:] }
    do { return try await store.appliedCommits(of: group, in: context) } catch let failure as StoreRemoteError
      where !failure.isTransient
    {
      guard group.count == 1 else { return [:] }
      throw StoreRemoteError(
        error.code,
        "\(error.message) The record of the write can't be read either: \(failure.message) Permit it in the rules of "
          + "\(StoreSyncSettings.recordsCollection); see StoreSyncSettings.recordsWrites.", underlying: error)
    }
  }

  /// Sends the response to a batch.
  private mutating func answer(_ prepared: PreparedBatch, _ commit: RemoteCommit) {
    if prepared.record != nil { token.batches.append(prepared.batch.id) }
    events.yield(.committed(commit, token: token == sentToken ? nil : token.bytes))
    sentToken = token
  }

  /// Forgets the records that have been deleted.
  private mutating func forgetUnneeded() {
    token.batches.removeAll(where: Set(unneeded).contains)
    unneeded = []
  }
}
