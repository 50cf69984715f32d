import TenonFoundation
import TenonValues

/// Pending writes that were committed together, and that the remote commits atomically.
package struct PendingBatch: Sendable {
  /// The position in the queue; IDs increase across all users of the database.
  package let id: Int64
  /// The unique ID by which the remote and the app identify the batch.
  let uuid: UUID
  /// The time at which the writes were made, by this device's clock.
  let time: Timestamp
  /// The writes, in the order in which they are applied. A batch may write to a document several times.
  let writes: [PendingWrite]

  /// Whether a write awaits the version of its document. The batch is sent when the writes before it have
  /// been answered.
  var awaitsVersions: Bool { writes.contains(where: \.awaitsVersion) }

  /// The written documents without duplicates, in the order of their first writes.
  var paths: [ResourcePath] {
    var seen: Set<ResourcePath> = []
    return writes.map(\.write.document).filter { seen.insert($0).inserted }
  }
}

/// A pending write, the base values of its increments, and whether it awaits the version of its document.
///
/// When an increment is reapplied because the base document has changed, it is added to the same base value,
/// so that the displayed value doesn't jump if the remote sends the document before it acknowledges the
/// write. The base values are recorded once, when the write is queued, and stored with it.
package struct PendingWrite: Sendable {
  /// The write, whose precondition is incomplete while it awaits a version.
  var write: DocumentWrite
  /// The base values of the increments, by field.
  var bases: [FieldBase] = []
  /// Whether the write of a transaction is allowed only on the version that the pending writes before it give
  /// the document. The version becomes the precondition once the remote has committed them; see
  /// ``AwaitedVersions``.
  var awaitsVersion = false

  /// The write as it is sent. If it still awaits a version, the pending writes that it follows were lost, and
  /// it has a precondition that never holds.
  var sent: DocumentWrite {
    var write = write
    if awaitsVersion { write.precondition = Self.never }
    return write
  }

  /// A precondition that never holds: every document at a remote has a later version.
  static let never = WritePrecondition.updated(.zero)

  /// The value of a field to which an increment is added.
  struct FieldBase: Sendable {
    /// The field that is incremented.
    let field: FieldPath
    let value: Value
  }
}

extension DocumentWrite {
  /// Returns the current values of the fields that this write increments; 0 for fields that aren't numbers.
  ///
  /// - Parameter fields: the fields before the write, as users see them; `nil` if the document doesn't exist.
  /// - Returns: one element for each increment; none for writes without increments.
  func incrementBases(in fields: Fields?) -> [PendingWrite.FieldBase] {
    transforms.compactMap { transform in
      guard case .increment = transform.kind else { return nil }
      guard let old = fields?[transform.field], old.doubleValue != nil else {
        return PendingWrite.FieldBase(field: transform.field, value: .integer(0))
      }
      return PendingWrite.FieldBase(field: transform.field, value: old)
    }
  }
}
