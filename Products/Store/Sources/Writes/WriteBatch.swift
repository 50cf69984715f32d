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

  /// Makes a document this content; see ``DocumentReference/set(_:merge:)-(DocumentData,_)``.
  ///
  /// - Throws: ``StoreError`` when the document belongs to another database, the content breaks a rule, or the batch was
  ///   committed.
  @discardableResult
  public func set(_ data: DocumentData, at document: DocumentReference, merge: Bool = false) throws
    -> WriteBatch
  {
    try add(.setting(document.path, data, merge: merge), document)
  }

  /// Makes a document these fields, as in `["n": .integer(1)]`.
  ///
  /// - Throws: as ``set(_:at:merge:)-(DocumentData,_,_)``.
  @discardableResult @_disfavoredOverload
  public func set(_ fields: Fields, at document: DocumentReference, merge: Bool = false) throws -> WriteBatch
  {
    try set(DocumentData(fields), at: document, merge: merge)
  }

  /// Makes a document what an `Encodable` value encodes.
  ///
  /// - Throws: as ``set(_:at:merge:)-(DocumentData,_,_)``; `EncodingError`.
  @discardableResult
  public func set(_ value: some Encodable, at document: DocumentReference, merge: Bool = false) throws
    -> WriteBatch
  {
    try set(
      DocumentData(try StoreError.mapping { try FieldsEncoder().encode(value) }), at: document, merge: merge)
  }

  /// Makes some fields of a document what the content says; see ``DocumentReference/set(_:mergeFields:)``.
  ///
  /// - Throws: as ``set(_:at:merge:)-(DocumentData,_,_)``.
  @discardableResult
  public func set(
    _ data: DocumentData, at document: DocumentReference, mergeFields fields: [FieldPath]
  ) throws -> WriteBatch {
    try add(.merging(document.path, data, fields: fields), document)
  }

  /// Makes a document that must not be there when the batch is committed.
  ///
  /// - Throws: as ``set(_:at:merge:)-(DocumentData,_,_)``.
  @discardableResult
  public func create(_ data: DocumentData, at document: DocumentReference) throws -> WriteBatch {
    try add(.setting(document.path, data, precondition: .exists(false)), document)
  }

  /// Changes fields of a document that must exist when the batch is committed; see ``DocumentReference/update(_:if:)``.
  ///
  /// - Throws: as ``set(_:at:merge:)-(DocumentData,_,_)``.
  @discardableResult
  public func update(
    _ changes: [FieldPath: FieldValue], at document: DocumentReference,
    if precondition: WritePrecondition = .exists(true)
  ) throws -> WriteBatch {
    try add(.updating(document.path, changes, precondition: precondition), document)
  }

  /// Changes fields of a document to plain values.
  ///
  /// - Throws: as ``set(_:at:merge:)-(DocumentData,_,_)``.
  @discardableResult @_disfavoredOverload
  public func update(_ fields: [FieldPath: Value], at document: DocumentReference) throws -> WriteBatch {
    try update(fields.mapValues(FieldValue.value), at: document)
  }

  /// Deletes a document.
  ///
  /// - Throws: as ``set(_:at:merge:)-(DocumentData,_,_)``.
  @discardableResult
  public func delete(_ document: DocumentReference, if precondition: WritePrecondition? = nil) throws
    -> WriteBatch
  {
    try add(DocumentWrite(document.path, .delete, precondition: precondition), document)
  }

  /// Makes the writes. When this returns, all of them are durable; when it throws, none was made.
  ///
  /// - Returns: what to wait for if it matters when the remote has them.
  /// - Throws: ``StoreError``, as ``DocumentReference/create(_:)`` and ``DocumentReference/update(_:if:)`` when this device knows
  ///   that a precondition doesn't hold.
  @discardableResult
  public func commit() async throws -> WriteConfirmation {
    let writes = try state.withLock { state in
      guard !state.isCommitted else { throw Self.used }
      state.isCommitted = true
      return state.writes
    }
    return try await store.engine.commit(writes)
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
