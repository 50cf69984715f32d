import TenonCore
import TenonDocuments
public import TenonStoreInterop

/// Writes that are made together or not at all, in the order in which they were added.
///
/// A batch is committed once.
public final class WriteBatch: Sendable {
  private struct State {
    var writes: [DocumentWrite] = []
    var isCommitted = false
  }

  private let store: Store
  private let state = Lock(State())

  init(store: Store) { self.store = store }

  /// How many writes have been added.
  public var count: Int { state.withLock { $0.writes.count } }

  /// Makes a document these fields; see ``DocumentReference/set(_:merge:)-(Fields,_)``.
  ///
  /// - Throws: ``StoreError`` when the document belongs to another database, or the batch was committed.
  @discardableResult
  public func set(_ fields: Fields, at document: DocumentReference, merge: Bool = false) throws -> WriteBatch
  {
    try add(.setting(document.path, fields, merge: merge), document)
  }

  /// Makes a document what an `Encodable` value encodes.
  ///
  /// - Throws: as ``set(_:at:merge:)-(Fields,_,_)``; `EncodingError`.
  @discardableResult
  public func set(_ value: some Encodable, at document: DocumentReference, merge: Bool = false) throws
    -> WriteBatch
  {
    try set(try StoreError.mapping { try FieldsEncoder().encode(value) }, at: document, merge: merge)
  }

  /// Changes fields of a document that must exist when the batch is committed.
  ///
  /// - Throws: as ``set(_:at:merge:)-(Fields,_,_)``.
  @discardableResult
  public func update(_ fields: [FieldPath: Value], at document: DocumentReference) throws -> WriteBatch {
    try add(.updating(document.path, fields), document)
  }

  /// Deletes a document.
  ///
  /// - Throws: as ``set(_:at:merge:)-(Fields,_,_)``.
  @discardableResult
  public func delete(_ document: DocumentReference) throws -> WriteBatch {
    try add(DocumentWrite(document.path, .delete), document)
  }

  /// Makes the writes. When this returns, all of them are durable; when it throws, none was made.
  ///
  /// - Throws: ``StoreError``.
  public func commit() async throws {
    let writes = try state.withLock { state in
      guard !state.isCommitted else { throw Self.used }
      state.isCommitted = true
      return state.writes
    }
    try await store.engine.commit(writes)
  }

  private func add(_ write: DocumentWrite, _ document: DocumentReference) throws -> WriteBatch {
    guard document.store === store else {
      throw StoreError(
        .invalidArgument,
        "The document \(document.path.text) belongs to another database than the batch."
      )
    }
    try state.withLock { state in
      guard !state.isCommitted else { throw Self.used }
      state.writes.append(write)
    }
    return self
  }

  private static let used = StoreError(
    .failedPrecondition,
    "The batch was committed already; make a new one."
  )
}
