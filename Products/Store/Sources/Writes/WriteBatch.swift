import TenonFoundation
import TenonStoreEngine
public import TenonValues

/// Writes that are applied together or not at all, in the order in which they were added.
///
/// ```swift
/// let batch = store.batch()
/// try batch.setData(["title": "Tea"], forDocument: notes.document("tea"))
/// try batch.deleteDocument(notes.document("coffee"))
/// try await batch.commit()
/// ```
///
/// A batch can be committed once, even if that fails. It can be used from several tasks; a lock guards its
/// writes. A batch that isn't committed has no effect.
public final class WriteBatch: DocumentWriting, Sendable {
  private struct State {
    var writes: [DocumentWrite] = []
    var isCommitted = false
  }

  private let store: Store
  private let state = Lock(State())

  init(store: Store) { self.store = store }

  /// The number of writes that have been added.
  public var count: Int { state.withLock { $0.writes.count } }

  /// Applies the writes. When this returns, all of them are durable on this device; if it throws, none was
  /// applied. The remote applies or rejects them together later: ``WriteConfirmation/confirmed()`` throws its
  /// rejection, or this call if ``StoreSettings/writes`` says that it waits.
  ///
  /// - Returns: the confirmation by the remote, which can be waited for.
  /// - Throws: ``StoreError``; as ``DocumentReference/create(_:)-([String:DocumentValue])`` and
  ///   ``DocumentReference/updateData(_:if:)`` if this device knows that a precondition doesn't hold.
  @discardableResult
  public func commit() async throws -> WriteConfirmation {
    let writes = try state.withLock { state in
      guard !state.isCommitted else { throw Self.used }
      state.isCommitted = true
      return state.writes
    }
    return try await store.engine.commit(writes)
  }

  /// Adds a write to a document. The other methods of ``DocumentWriting`` call this.
  ///
  /// - Parameters:
  ///   - write: the write.
  ///   - document: the document, which must belong to the batch's database.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the document belongs to another
  ///   database, and with ``StoreError/Code/failedPrecondition`` if the batch was committed.
  public func add(_ write: DocumentWrite, to document: DocumentReference) throws {
    guard document.store === store else {
      throw StoreError(
        .invalidArgument,
        "The document \(document.path) belongs to another database than the batch."
      )
    }
    try state.withLock { state in
      guard !state.isCommitted else { throw Self.used }
      state.writes.append(write)
    }
  }

  private static let used = StoreError(
    .failedPrecondition,
    "The batch was already committed; create a new one."
  )
}
