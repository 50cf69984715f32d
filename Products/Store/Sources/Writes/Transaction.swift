import TenonCore
import TenonDocuments
public import TenonStoreInterop

/// Reads and writes that are as if nobody else had touched the database in between.
///
/// It belongs to the body that ``Store/transaction(maximumAttempts:_:)`` runs: all reads come first, then the writes,
/// which are made together when the body has returned.
public final class Transaction: Sendable {
  private struct State {
    var reads: [TransactionRead] = []
    var writes: [DocumentWrite] = []
    var isOver = false
  }

  private let store: Store
  /// What keeps fetched documents as long as the transaction lasts; `nil` when it works on what is here.
  private let session: RemoteReading?
  private let state = Lock(State())

  init(store: Store, session: RemoteReading?) {
    self.store = store
    self.session = session
  }

  // MARK: - Reading

  /// A document as it is now.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` after a write.
  public func get(_ document: DocumentReference) async throws -> DocumentSnapshot {
    try checkReading(of: document.store, document.path.text)
    let path = document.path
    try await session?.fetch([path])
    let stored = try await store.engine.read { try $0.document(path) }
    try note(.document(path, stored))
    return DocumentSnapshot(reference: document, document: stored, isFromCache: store.isShared)
  }

  /// The documents of a query as they are now. What is written by others so that the query would give something else
  /// counts as a change of what was read.
  ///
  /// - Throws: as ``get(_:)-(DocumentReference)``.
  public func get(_ query: Query) async throws -> QuerySnapshot {
    try checkReading(of: query.store, "a query")
    let runnable = try RunnableQuery(query)
    try await session?.fetch(runnable.run)
    let documents = try await store.engine.read { try $0.documents(of: runnable.run) }
    try note(.query(runnable.run, documents))
    let snapshots = runnable.inOrder(documents).map { $0.snapshot(in: store, isFromCache: store.isShared) }
    return QuerySnapshot(documents: snapshots, isFromCache: store.isShared)
  }

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

  private func note(_ read: TransactionRead) throws {
    try state.withLock { state in
      if state.isOver { throw Self.over }
      state.reads.append(read)
    }
  }

  // MARK: - Writing

  /// Makes a document this content; see ``DocumentReference/set(_:merge:)-(DocumentData,_)``.
  ///
  /// - Throws: ``StoreError`` when the document belongs to another database, or the content breaks a rule.
  public func set(_ data: DocumentData, at document: DocumentReference, merge: Bool = false) throws {
    try add(.setting(document.path, data, merge: merge), document)
  }

  /// Makes a document what an `Encodable` value encodes.
  ///
  /// - Throws: as ``set(_:at:merge:)-(DocumentData,_,_)``; `EncodingError`.
  public func set(_ value: some Encodable, at document: DocumentReference, merge: Bool = false) throws {
    let fields = try StoreError.mapping { try FieldsEncoder().encode(value) }
    try set(DocumentData(fields), at: document, merge: merge)
  }

  /// Makes a document that isn't there yet.
  ///
  /// - Throws: as ``set(_:at:merge:)-(DocumentData,_,_)``.
  public func create(_ data: DocumentData, at document: DocumentReference) throws {
    try add(.setting(document.path, data, precondition: .exists(false)), document)
  }

  /// Changes fields of a document that exists; see ``DocumentReference/update(_:if:)``.
  ///
  /// - Throws: as ``set(_:at:merge:)-(DocumentData,_,_)``.
  public func update(_ changes: [FieldPath: FieldValue], at document: DocumentReference) throws {
    try add(.updating(document.path, changes), document)
  }

  /// Deletes a document.
  ///
  /// - Throws: as ``set(_:at:merge:)-(DocumentData,_,_)``.
  public func delete(_ document: DocumentReference) throws {
    try add(DocumentWrite(document.path, .delete), document)
  }

  private func add(_ write: DocumentWrite, _ document: DocumentReference) throws {
    guard document.store === store else {
      throw StoreError(
        .invalidArgument,
        "The document \(document.path.text) belongs to another database than the transaction."
      )
    }
    try state.withLock { state in
      if state.isOver { throw Self.over }
      state.writes.append(write)
    }
  }

  /// Ends the transaction: from here on it takes nothing more.
  func end() -> (reads: [TransactionRead], writes: [DocumentWrite]) {
    state.withLock { state in
      state.isOver = true
      return (state.reads, state.writes)
    }
  }

  private static let over = StoreError(
    .failedPrecondition,
    "The transaction is over; use it only in the body that it was given to."
  )
}

/// What a transaction has read.
enum TransactionRead: Sendable {
  case document(ResourcePath, StoredDocument?)
  case query(ResolvedQuery, [StoredDocument])

  /// Whether it still is so.
  func isCurrent(in local: LocalReader) throws -> Bool {
    switch self {
    case .document(let path, let old):
      switch (old, try local.document(path)) {
      case (nil, nil): return true
      case (let old?, let new?): return new.isSame(as: old)
      default: return false
      }
    case .query(let query, let old):
      let new = try local.documents(of: query)
      return new.count == old.count && zip(new, old).allSatisfy { $0.path == $1.path && $0.isSame(as: $1) }
    }
  }
}

extension Store {
  /// Runs reads and writes as if nobody else had touched the database in between.
  ///
  /// With a remote that can be reached, documents are read there, and this returns when it has confirmed the writes. Without,
  /// it works on the documents of this device: the writes are queued with the condition that what was read is still so when
  /// they are sent, and ``rejectedWrites`` has them if it isn't.
  ///
  /// ```swift
  /// try await store.transaction { transaction in
  ///   let stock = try await transaction.get(item)["stock"]?.integerValue ?? 0
  ///   guard stock > 0 else { throw SoldOut() }
  ///   try transaction.update(["stock": .increment(-1)], at: item)
  /// }
  /// ```
  ///
  /// If somebody has changed what the body read, the body is run again; so it must not do anything else that counts. When
  /// this returns, the writes are durable. If the body throws, nothing is written.
  ///
  /// - Parameters:
  ///   - maximumAttempts: how often the body is run at most; 5 by default.
  ///   - body: reads first, then writes.
  /// - Returns: what the body returns.
  /// - Throws: what the body throws; ``StoreError`` with ``StoreError/Code/aborted`` after the last attempt, and as for
  ///   any write.
  public func transaction<Result: Sendable>(
    maximumAttempts: Int = 5,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Transaction) async throws -> Result
  ) async throws -> Result {
    guard maximumAttempts > 0 else {
      throw StoreError(.invalidArgument, "A transaction needs at least one attempt, not \(maximumAttempts).")
    }
    var lastError: (any Error)?
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
      } catch {
        await session?.end()
        throw error
      }
      await session?.end()
      switch outcome {
      case .done: return result
      case .collided(let error): lastError = error
      case .refused(let error): throw error
      }
    }
    throw StoreError(
      .aborted,
      "The transaction was tried \(maximumAttempts) times, and each time others had changed what it read. Try again later.",
      underlying: lastError)
  }
}
