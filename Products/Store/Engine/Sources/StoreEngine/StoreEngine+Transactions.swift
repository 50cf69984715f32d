import TenonCore
package import TenonDocuments
import TenonFoundation
package import TenonStoreInterop

/// A read of a transaction and its result.
package enum TransactionRead: Sendable {
  /// A document; `nil` if it didn't exist.
  case document(ResourcePath, StoredDocument?)
  /// A query and its documents, in the order in which it was run.
  case query(ResolvedQuery, [StoredDocument])

  /// Returns whether the read would return the same result now.
  ///
  /// Metadata counts, with one exception: a document that was read with writes of this device that the remote
  /// hadn't sent back is the same if its fields are. Its metadata changes when the remote acknowledges these
  /// writes, which isn't a change by others.
  ///
  /// - Parameter local: reads the present state; in the transaction that applies the writes, if it is open.
  /// - Throws: the errors of reading the documents.
  /// - Complexity: that of the read.
  func isCurrent(in local: LocalReader) throws -> Bool {
    switch self {
    case .document(let path, let old):
      switch (old, try local.document(path)) {
      case (nil, nil): return true
      case (let old?, let new?): return Self.isUnchanged(old, new)
      default: return false
      }
    case .query(let query, let old):
      let new = try local.documents(of: query)
      return new.count == old.count
        && zip(old, new).allSatisfy { $0.path == $1.path && Self.isUnchanged($0, $1) }
    }
  }

  /// Returns whether a document is the same as when it was read; see ``isCurrent(in:)``.
  private static func isUnchanged(_ old: StoredDocument, _ new: StoredDocument) -> Bool {
    StoredDocument.isPending(old.flags) ? new.hasContent(of: old) : new.isSame(as: old)
  }
}

/// The outcome of a transaction.
package enum TransactionOutcome: Sendable {
  /// The writes are durable, and confirmed if the remote could be reached.
  case done
  /// The data that it read has changed, a pending write on which it depends was rejected, or others committed
  /// at the same time. Nothing was written. The error is the remote's; `nil` if the change was found locally.
  case collided((any Error)?)
  /// The remote rejected a condition, either that what was read is unchanged, or one of the writes
  /// themselves, for example that the document to update exists. Nothing was written.
  case rejected(any Error)
  /// It failed for another reason. Nothing was written.
  case refused(any Error)
}

extension TransactionOutcome {
  /// Creates the outcome of a transaction whose batch was committed on this device.
  ///
  /// A conflict with another commit is tried again. The codes with which a remote rejects a precondition
  /// don't tell which one it was; see ``StoreEngine/haveChanged(_:asking:)``. A transaction that has read the
  /// result of a write that was rejected is rejected with it, although nobody has changed what was read.
  /// Other errors end the transaction.
  init(_ answer: AnswerWaiters.Answer, to batch: PendingBatch) {
    switch answer {
    case .success: self = .done
    case .failure(let error as StoreRemoteError) where error.code == .aborted:
      self = .collided(StoreError.wrapping(error))
    case .failure(let error as StoreRemoteError)
    where [.failedPrecondition, .notFound, .alreadyExists].contains(error.code):
      let error = StoreError.wrapping(error)
      self = batch.content.awaitsVersions ? .collided(error) : .rejected(error)
    case .failure(let error): self = .refused(StoreError.wrapping(error))
    }
  }
}

extension StoreEngine {
  /// Commits the writes of a transaction if the data that it read hasn't changed.
  ///
  /// The reads are repeated within the transaction that commits, so no write of this device can intervene.
  /// With a remote, the writes then carry preconditions with the versions that were read (see
  /// ``TransactionRead/guarded(_:by:in:)``), and the remote commits or rejects them as one batch. If the
  /// remote becomes unreachable while this waits, the outcome is ``TransactionOutcome/done``: the writes are
  /// durable and queued, and a later rejection is listed among the rejected writes.
  ///
  /// - Parameters:
  ///   - writes: the writes.
  ///   - reads: the results of the reads.
  ///   - waits: whether to wait until the remote has confirmed the writes, as long as it can be reached. If
  ///     the settings say so (``StoreSettings/writes``), this waits in any case. If the task is cancelled
  ///     while waiting, the writes stay in the queue and their outcome isn't returned.
  /// - Returns: the outcome of the transaction.
  /// - Throws: ``StoreError``; `CancellationError` if the task was cancelled before the commit.
  package func commit(
    _ writes: [DocumentWrite], ifUnchanged reads: [TransactionRead], confirmed waits: Bool
  ) async throws -> TransactionOutcome {
    try await refreshAuthor()
    try Task.checkCancellation()
    let running = try use { $0 }
    guard try !writes.isEmpty && !running.local.areFinal(writes) else {
      return try use { running in
        let isDone = try running.sync.commit(writes) {
          try reads.allSatisfy { try $0.isCurrent(in: running.local.reader) }
        }
        return isDone ? .done : .collided(nil)
      }
    }
    if confirmsWrites, let error = missingRemote("The transaction can't be confirmed") { throw error }
    let awaited: AwaitedBatch?
    do {
      awaited = try answers.add(isTransaction: true) { observer in
        try running.sync.write(
          making: { try TransactionRead.guarded(writes, by: reads, in: running.local) }, observer: observer)
      }
    } catch { return .refused(StoreError.wrapping(error)) }
    guard let awaited else { return .collided(nil) }
    if !waits, !confirmsWrites { answers.settle(awaited.call, .success(nil)) }
    let outcome = TransactionOutcome(await outcome(of: awaited), to: awaited.batch)
    // The app receives the rejection from this call, so it isn't listed. If another process received it, that
    // process has listed it.
    switch outcome {
    case .done, .refused(is CancellationError): break
    case .collided, .rejected, .refused: try use { try $0.local.dismissRejection(awaited.batch.uuid) }
    }
    return outcome
  }

  /// Returns whether data that a transaction read has changed since, at the remote or locally.
  ///
  /// It decides what a rejected condition was. If nothing has changed, it was a condition of the body's own
  /// writes, which fails again as often as it is tried.
  ///
  /// - Parameters:
  ///   - reads: the results of the reads.
  ///   - session: reads the documents again; if it can't reach the remote, or is `nil`, the cache decides.
  /// - Throws: ``StoreError`` with the remote's error, or if the documents can't be read;
  ///   `CancellationError`.
  package nonisolated func haveChanged(
    _ reads: [TransactionRead], asking session: RemoteReading?
  ) async throws -> Bool {
    var paths: Set<ResourcePath> = []
    for path in Set(reads.flatMap(\.paths)) where try await !isLocal(path.parent?.id ?? "") {
      paths.insert(path)
    }
    var current = session
    // A transaction that waited for a connection began without one.
    if confirmsWrites, session?.isReachable != true { current = await beginReading() }
    do { try await current?.fetch(paths.sorted { $0.compare($1) < 0 }) } catch {
      if current !== session { await current?.end() }
      throw error
    }
    if current !== session { await current?.end() }
    return try await !read { reader in try reads.allSatisfy { try $0.isCurrent(in: reader) } }
  }
}

extension TransactionRead {
  /// The condition that the remote checks for a document that was read.
  private enum Condition {
    case precondition(WritePrecondition)
    /// The document has the version that this device's pending writes give it.
    case awaitedVersion
  }

  /// Returns the writes with preconditions, so that the remote rejects them if the data that was read has
  /// changed there.
  ///
  /// The first write to a document that was read carries its version, or the condition that it doesn't exist;
  /// further writes follow it in the same batch and need none. A precondition with an update time that a
  /// write already has is kept. For a document that was only read, there is a ``ReadCondition``. Firestore's
  /// own clients use a `verify` write for this, which isn't part of the public protocol
  /// (`google.firestore.v1.Write`). If a document has pending writes, which are sent first, its write or its
  /// condition awaits the version after them; see ``AwaitedVersions``.
  ///
  /// - Parameters:
  ///   - writes: the writes, in order.
  ///   - reads: the results of the reads.
  ///   - local: the database, within the transaction that enqueues the writes.
  /// - Returns: the writes; `nil` if the data has changed locally.
  /// - Throws: ``StoreError`` if a write contradicts what was read, for example an update of a document that
  ///   doesn't exist.
  static func guarded(
    _ writes: [DocumentWrite], by reads: [TransactionRead], in local: LocalDatabase
  ) throws -> BatchContent? {
    guard try reads.allSatisfy({ try $0.isCurrent(in: local.reader) }) else { return nil }
    var conditions: [ResourcePath: Condition] = [:]
    for path in Set(reads.flatMap(\.paths)) where !local.isFinal(path.parent?.id ?? "") {
      let base = try local.reader.base(of: path)
      if try !local.batches(writing: path).isEmpty {
        let exists = try local.reader.document(path) != nil
        conditions[path] = exists ? .awaitedVersion : .precondition(.exists(false))
      } else if case .found = base?.content, let base {
        conditions[path] = .precondition(.updated(base.version))
      } else {
        conditions[path] = .precondition(.exists(false))
      }
    }
    var guarded = BatchContent(writes)
    for (index, write) in writes.enumerated() {
      guard let condition = conditions.removeValue(forKey: write.document) else { continue }
      switch (write.precondition, condition) {
      case (.updated, _): continue
      case (.exists(true), .precondition(.exists(false))), (.exists(false), .precondition(.updated)),
        (.exists(false), .awaitedVersion):
        // According to what was read, this precondition can't hold.
        try write.checkPrecondition(exists: write.precondition == .exists(false), updated: nil)
      case (_, .precondition(let precondition)): guarded.writes[index].precondition = precondition
      case (_, .awaitedVersion): guarded[note: index].awaitsVersion = true
      }
    }
    // Documents that were only read must be unchanged as well.
    guarded.reads = conditions.sorted { $0.key.compare($1.key) < 0 }.map { path, condition in
      switch condition {
      case .precondition(let precondition): ReadCondition(document: path, precondition: precondition)
      case .awaitedVersion: ReadCondition(document: path)
      }
    }
    return guarded
  }

  /// The documents that were read. A query contributes those in its result; documents that enter the result
  /// at the remote aren't detected.
  fileprivate var paths: [ResourcePath] {
    switch self {
    case .document(let path, _): [path]
    case .query(_, let documents): documents.map(\.path)
    }
  }
}
