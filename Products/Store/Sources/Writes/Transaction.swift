import TenonDocuments
import TenonFoundation
import TenonStoreEngine
import TenonStoreInterop
public import TenonValues

/// Reads and writes that are isolated from those of others.
///
/// A transaction is valid in the body that `Store.runTransaction(maximumAttempts:_:)` runs. The body reads
/// everything first and then writes; the writes are applied together when the body has returned. It can be
/// used from several tasks of the body; a lock guards its state.
///
/// Isolation is optimistic: nothing is locked while the body runs. When it has returned, everything that it
/// read is compared with the present state, in the same step that applies the writes.
public final class Transaction: DocumentWriting, Sendable {
  /// The operations of the body so far.
  private struct State {
    var reads: [TransactionRead] = []
    var writes: [DocumentWrite] = []
    var isOver = false
  }

  private let store: Store
  /// Keeps fetched documents in the cache for the duration of the transaction; `nil` if it works on the
  /// cache.
  private let session: RemoteReading?
  private let state = Lock(State())

  init(store: Store, session: RemoteReading?) {
    self.store = store
    self.session = session
  }

  // MARK: - Reading

  /// Reads a document.
  ///
  /// - Parameter document: a document of the transaction's database.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` after a write, if the path is invalid,
  ///   and if the document belongs to another database; with ``StoreError/Code/failedPrecondition`` if the
  ///   transaction has ended.
  public func getDocument(_ document: DocumentReference) async throws -> DocumentSnapshot {
    try checkReading(of: document.store, "the document \(document.path)")
    let path = try document.checkedPath()
    let isLocal = try await store.engine.isLocal(document.parent.collectionID)
    if !isLocal { try await session?.fetch([path]) }
    let stored = try await store.engine.document(path)
    try record(.document(path, stored))
    return DocumentSnapshot(
      reference: document, document: stored, isFromCache: !store.isLocalOnly && !isLocal)
  }

  /// Reads the documents of a query. A write by others that changes the result counts as a change of what was
  /// read.
  ///
  /// - Parameter query: a query of the transaction's database.
  /// - Throws: as ``getDocument(_:)``.
  public func getDocuments(_ query: some Queryable) async throws -> QuerySnapshot {
    let query = query.query
    try checkReading(of: query.store, "a query")
    let runnable = try query.runnable()
    let isLocal = try await store.engine.isLocal(query.structure.collectionID)
    if !isLocal { try await session?.fetch(runnable.run) }
    let documents = try await store.engine.documents(of: runnable.run)
    try record(.query(runnable.run, documents))
    let isFromCache = !store.isLocalOnly && !isLocal
    let snapshots = runnable.inOrder(documents).map { $0.snapshot(in: store, isFromCache: isFromCache) }
    return QuerySnapshot(documents: snapshots, isFromCache: isFromCache)
  }

  /// Checks that the transaction can read from a database now.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the database is another one or the
  ///   transaction has writes, and with ``StoreError/Code/failedPrecondition`` if the transaction has ended.
  private func checkReading(of other: Store, _ what: String) throws {
    guard other === store else {
      throw StoreError(
        .invalidArgument, "The transaction can't read \(what): it belongs to another database.")
    }
    try state.withLock { state in
      if state.isOver { throw Self.over }
      guard state.writes.isEmpty else {
        throw StoreError(
          .invalidArgument,
          "The transaction can't read \(what) after it has written; read everything first."
        )
      }
    }
  }

  /// Records the result of a read, which is compared when the transaction commits.
  private func record(_ read: TransactionRead) throws {
    try state.withLock { state in
      if state.isOver { throw Self.over }
      state.reads.append(read)
    }
  }

  // MARK: - Writing

  /// Adds a write to a document, which is applied when the body has returned.
  ///
  /// - Throws: ``StoreError`` if the document belongs to another database, or the transaction has ended.
  public func add(_ write: DocumentWrite, to document: DocumentReference) throws {
    guard document.store === store else {
      throw StoreError(
        .invalidArgument,
        "The document \(document.path) belongs to another database than the transaction."
      )
    }
    try state.withLock { state in
      if state.isOver { throw Self.over }
      state.writes.append(write)
    }
  }

  /// Whether the transaction has writes.
  var hasWrites: Bool { state.withLock { !$0.writes.isEmpty } }

  /// Ends the transaction, and returns what it has read and written. Later reads and writes throw.
  func end() -> (reads: [TransactionRead], writes: [DocumentWrite]) {
    state.withLock { state in
      state.isOver = true
      return (state.reads, state.writes)
    }
  }

  private static let over = StoreError(
    .failedPrecondition,
    "The transaction has ended; use it only in the body to which it is passed."
  )
}

extension Store {
  /// Runs reads and writes that are isolated from those of others.
  ///
  /// With a remote that can be reached, documents are read there, and this returns when the remote has
  /// confirmed the writes. Otherwise the transaction works on the documents of this device: the writes are
  /// queued with the condition that what was read is unchanged when they are sent, and ``rejectedWrites``
  /// contains them if it isn't; ``onRejectedWrite`` receives that. If ``StoreSettings/writes`` is
  /// ``StoreSettings/WriteCompletion/confirmed``, this waits for the remote in any case.
  ///
  /// What was read includes this device's pending writes. These are sent first, and the condition is then
  /// that nobody has changed the documents after them; if one of them is rejected or cancelled, so is the
  /// transaction rejected. What others change before a pending write that isn't part of a transaction is
  /// applied isn't noticed, because the remote merges that write with it.
  ///
  /// ```swift
  /// try await store.runTransaction { transaction in
  ///   let stock = try await transaction.getDocument(item).fields?["stock"]?.intValue ?? 0
  ///   guard stock > 0 else { throw SoldOut() }
  ///   try transaction.updateData(["stock": .increment(-1)], forDocument: item)
  /// }
  /// ```
  ///
  /// If others have changed what the body read, the body runs again; it must not have side effects. When this
  /// returns, the writes are durable. If the body throws, nothing is written.
  ///
  /// - Parameters:
  ///   - maximumAttempts: the maximum number of times that the body runs, 5 by default.
  ///   - isolation: the actor on which the body runs; the caller's actor by default.
  ///   - body: the reads, followed by the writes.
  /// - Returns: what the body returns.
  /// - Throws: what the body throws; ``StoreError`` with ``StoreError/Code/aborted`` after the last attempt,
  ///   and as for any write: an update of a document that doesn't exist is ``StoreError/Code/notFound``, and
  ///   isn't tried again.
  @discardableResult
  public func runTransaction<Result: Sendable>(
    maximumAttempts: Int = 5,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Transaction) async throws -> Result
  ) async throws -> Result {
    try await run(maximumAttempts, isolation: isolation, body)
  }

  /// Runs reads and writes that are isolated from those of others, as the method that returns the result of
  /// its body does.
  ///
  /// The compiler prefers it where nothing is to be returned. There, a body may end with a write, whose
  /// result is the transaction.
  ///
  /// - Parameters:
  ///   - maximumAttempts: the maximum number of times that the body runs, 5 by default.
  ///   - isolation: the actor on which the body runs; the caller's actor by default.
  ///   - body: the reads, followed by the writes.
  /// - Throws: as the other method.
  public func runTransaction(
    maximumAttempts: Int = 5,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Transaction) async throws -> Void
  ) async throws {
    try await run(maximumAttempts, isolation: isolation, body)
  }

  /// Runs a transaction.
  private func run<Result: Sendable>(
    _ maximumAttempts: Int, isolation: isolated (any Actor)?, _ body: (Transaction) async throws -> Result
  ) async throws -> Result {
    guard maximumAttempts > 0 else {
      throw StoreError(.invalidArgument, "A transaction needs at least one attempt, not \(maximumAttempts).")
    }
    var lastError: (any Error)?
    // Checked: an argument of the program, which was compared.
    for _ in 0..<maximumAttempts {
      let session = await engine.beginReading()
      let transaction = Transaction(store: self, session: session)
      let result: Result
      do { result = try await body(transaction) } catch {
        _ = transaction.end()
        await session?.end()
        throw error
      }
      let (reads, writes) = transaction.end()
      let outcome: TransactionOutcome
      do {
        outcome = try await engine.commit(
          writes, ifUnchanged: reads, confirmed: session?.isReachable ?? false)
        // A rejected condition that isn't about what was read fails again, however often it is tried.
        if case .rejected(let error) = outcome {
          guard try await engine.haveChanged(reads, asking: session) else { throw error }
        }
      } catch {
        await session?.end()
        throw error
      }
      await session?.end()
      switch outcome {
      case .done: return result
      case .collided(let error): lastError = error
      case .rejected(let error): lastError = error
      case .refused(let error): throw error
      }
    }
    throw StoreError(
      .aborted,
      "The transaction was tried \(maximumAttempts) times, and others changed what it read each time. Try again later.",
      underlying: lastError)
  }
}
