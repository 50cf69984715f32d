import TenonDocuments
import TenonValues

/// Computes the overlay of a document: the pending writes applied to the last state that the remote sent.
///
/// An overlay is a value that exists during a transaction, in which nothing else changes the document. It is
/// created from the base and receives the document's pending writes in queue order with
/// ``apply(_:bases:at:)``, or it is created from the stored document, which already includes the earlier
/// writes, and receives further ones. Both lead to the same result as long as the base hasn't changed; after
/// a change of the base all pending writes are applied again (``Overlays/rebase(_:on:in:)``).
///
/// The rules are those of the Firestore SDKs: a write whose precondition doesn't hold locally has no visible
/// effect, and remains queued for the remote to decide.
package struct DocumentOverlay {
  /// Where a document is stored, and what is stored of it.
  struct Rows {
    /// The number of the document's collection.
    let collection: Int64
    /// The row in `documents`; `nil` if there is none.
    var document: DocumentTable.Entry?
    /// Whether `bases` has a row with the overlay's base; `nil` if it may have another row.
    var hasBase: Bool?
    /// Whether ``document`` has the fields of the overlay's base.
    var isBase = false
  }

  /// The document.
  let path: ResourcePath
  /// The last state that the remote sent; `nil` if it sent none.
  let base: BaseDocument?
  /// The rows that saving the overlay replaces.
  let rows: Rows
  /// The fields after the writes applied so far; `nil` if the document doesn't exist.
  private(set) var fields: Fields?
  /// The fields that pending writes set to the server's time.
  private var pendingTimestamps: [PendingTimestamp] = []
  /// Whether a pending write has changed the document.
  private(set) var isChanged = false
  /// Whether the document may have fields that this device doesn't know: the remote hasn't sent it, and no
  /// pending write has replaced or deleted it.
  private(set) var isPartial: Bool

  /// Creates the overlay of a document without pending writes.
  ///
  /// - Parameters:
  ///   - path: the document.
  ///   - base: the last state that the remote sent; `nil` if it sent none.
  ///   - rows: the document's present rows.
  init(_ path: ResourcePath, _ base: BaseDocument?, in rows: Rows) {
    (self.path, self.base, self.rows) = (path, base, rows)
    switch base?.content {
    case .found(let fields):
      self.fields = fields
      isPartial = false
    case .missing: isPartial = false
    case .unknown, nil: isPartial = true
    }
  }

  /// Creates the overlay from a stored document, to which pending writes may already be applied.
  ///
  /// - Parameters:
  ///   - document: the document as users see it.
  ///   - base: the last state that the remote sent; `nil` if it sent none.
  ///   - rows: the document's present rows.
  init(_ document: StoredDocument, over base: BaseDocument?, in rows: Rows) {
    self.init(document.path, base, in: rows)
    fields = document.fields
    pendingTimestamps = document.pendingTimestamps
    isChanged = document.hasLocalMutations
    isPartial = document.isPartial
  }

  /// The version of the base; 0 if there is none.
  private var version: Timestamp { base?.version ?? .zero }

  /// The document as users see it; `nil` if it doesn't exist. Its update time is 0 if a pending write has
  /// changed it, because the remote assigns the time.
  var document: StoredDocument? {
    fields.map {
      StoredDocument(
        path: path, fields: $0, createTime: base?.createTime ?? .zero,
        updateTime: isChanged ? .zero : version, hasLocalMutations: isChanged,
        hasCommittedMutations: !isChanged && base?.isCommitted == true, isPartial: isPartial,
        pendingTimestamps: pendingTimestamps)
    }
  }

  /// Applies a write, unless its precondition doesn't hold locally; the remote decides about such a write.
  ///
  /// The precondition is compared with the document after the writes applied so far, and an expected update
  /// time with the version of the base. Fields that the write increments are set to their recorded base
  /// values first, so that applying the write again to a newer base gives the same sum. Where they aren't
  /// known, the increment is added to what is there.
  ///
  /// - Parameters:
  ///   - write: the write.
  ///   - bases: the recorded base values of its increments; none by default.
  ///   - time: the time at which the write was made, which is the estimate of server timestamps.
  /// - Throws: `DocumentError` if the result isn't a valid document.
  mutating func apply(
    _ write: DocumentWrite, bases: [WriteNote.FieldBase] = [], at time: Timestamp
  ) throws(DocumentError) {
    switch write.precondition {
    case .exists(let expected) where expected != (fields != nil): return
    case .updated(let expected) where fields == nil || expected != version: return
    default: break
    }
    isChanged = true
    switch write.operation {
    case .set, .delete: isPartial = false
    case .update: break
    }
    guard var old = fields else {
      pendingTimestamps = []
      fields = try write.result(on: nil, at: time)
      trackTimestamps(write, on: nil)
      return
    }
    let before = fields
    for base in bases { if let value = base.value { old[base.field] = value } }
    fields = try write.result(on: old, at: time)
    trackTimestamps(write, on: before)
  }

  /// Updates the list of pending server timestamps for a write: timestamps in fields that the write replaces
  /// are no longer pending, and those that it sets are added with the previous values.
  ///
  /// - Parameters:
  ///   - write: the write, which has been applied.
  ///   - before: the fields before the write; `nil` if the document didn't exist.
  private mutating func trackTimestamps(_ write: DocumentWrite, on before: Fields?) {
    switch write.operation {
    case .set, .delete: pendingTimestamps = []
    case .update(_, let mask):
      pendingTimestamps.removeAll { pending in mask.contains { $0.isPrefix(of: pending.field) } }
    }
    for transform in write.transforms {
      pendingTimestamps.removeAll { $0.field == transform.field }
      guard case .serverTimestamp = transform.kind else { continue }
      pendingTimestamps.append(PendingTimestamp(field: transform.field, previous: before?[transform.field]))
    }
  }
}

/// Preconditions that this device can check without the remote.
extension DocumentOverlay {
  /// Whether the document exists after the pending writes; `nil` if only the remote can know.
  var exists: Bool? {
    if fields != nil { return true }
    if isChanged { return false }
    return switch base?.content {
    case .missing: false
    case .found, .unknown: true
    case nil: nil
    }
  }

  /// Throws if this device knows that the remote would reject a write.
  ///
  /// Known are the last state of the document that the remote sent, and the pending writes, which are sent
  /// first. Versions only increase, so a precondition with a version older than the last one, or than a
  /// pending write, can't hold. Newer versions, and documents of unknown state, are left to the remote.
  ///
  /// - Parameters:
  ///   - write: the write.
  ///   - isInLimbo: whether the document is in limbo: the remote is being asked whether it still exists.
  /// - Throws: ``StoreError`` if the precondition doesn't hold: with ``StoreError/Code/notFound`` or
  ///   ``StoreError/Code/alreadyExists`` for one about existence, and with
  ///   ``StoreError/Code/failedPrecondition`` for one about the update time.
  func check(_ write: DocumentWrite, isInLimbo: Bool) throws {
    switch write.precondition {
    case .exists:
      guard let exists, !isInLimbo || isChanged else { return }
      try write.checkPrecondition(exists: exists, updated: nil)
    case .updated(let expected):
      if isChanged || hasPassed(expected) { throw write.changedSinceRead }
    case nil: break
    }
  }

  /// Returns whether the document certainly no longer has the expected version.
  private func hasPassed(_ expected: Timestamp) -> Bool {
    let (known, expected) = (version.microsecondsSince1970, expected.microsecondsSince1970)
    return switch base?.content {
    case .found, .unknown: expected < known
    // It was missing at that version, so it can't have the same version again.
    case .missing: expected <= known
    case nil: false
    }
  }
}
