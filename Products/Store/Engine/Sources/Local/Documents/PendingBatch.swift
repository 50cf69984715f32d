package import TenonFoundation
package import TenonStoreInterop
import TenonValues

/// Pending writes that were committed together, and that the remote commits atomically.
package struct PendingBatch: Sendable {
  /// The position in the queue; IDs increase across all users of the database.
  package let id: Int64
  /// The unique ID by which the remote and the app identify the batch.
  package let uuid: UUID
  /// The time at which the writes were made, by this device's clock.
  package let time: Timestamp
  /// The writes and their conditions.
  let content: BatchContent

  /// The writes, in the order in which they are applied. A batch may write to a document several times.
  package var writes: [PendingWrite] { content.writes }

  /// The written documents without duplicates, in the order of their first writes.
  var paths: [ResourcePath] {
    var seen: Set<ResourcePath> = []
    return writes.map(\.write.document).filter { seen.insert($0).inserted }
  }
}

/// The writes of a batch, and what else must hold for the remote to commit them.
package struct BatchContent: Sendable {
  /// The writes, in the order in which they are applied.
  var writes: [PendingWrite]
  /// What must hold for the documents that a transaction has read and doesn't write.
  var reads: [ReadCondition] = []

  /// Whether a write or a condition awaits the version of its document. The batch is sent when the writes
  /// before it have been answered.
  var awaitsVersions: Bool {
    writes.contains(where: \.awaitsVersion) || reads.contains(where: \.awaitsVersion)
  }

  /// The batch as it is sent: a write without effect for each of ``reads``, then the writes.
  var sent: [DocumentWrite] { reads.map(\.sent) + writes.map(\.sent) }
}

extension BatchContent {
  /// Creates the content of a batch without conditions.
  package init(_ writes: some Sequence<DocumentWrite>) {
    self.init(writes: writes.map { PendingWrite(write: $0) })
  }
}

/// What must hold at the remote for a document that a transaction has read and doesn't write.
///
/// It isn't a write: the document shows no pending write, and a later transaction that reads the document
/// doesn't depend on the fate of this one. For the public protocol, which has no other means, it is sent as a
/// write without effect.
struct ReadCondition: Sendable {
  let document: ResourcePath
  /// The condition; `nil` while it awaits the version that the pending writes before it give the document.
  var precondition: WritePrecondition?

  var awaitsVersion: Bool { precondition == nil }

  /// The write that verifies the condition. If it still awaits a version, the pending writes that it follows
  /// were lost, and it never holds.
  var sent: DocumentWrite {
    switch precondition {
    case .exists(false): DocumentWrite(document, .delete, precondition: precondition)
    default:
      DocumentWrite(
        document, .update(Fields(), mask: []), precondition: precondition ?? PendingWrite.never)
    }
  }
}

/// A pending write, the base values of its increments, and whether it awaits the version of its document.
///
/// When an increment is reapplied because the base document has changed, it is added to the same base value,
/// so that the displayed value doesn't jump if the remote sends the document before it acknowledges the
/// write. The base values are recorded when the write is queued, and stored with it. They are recorded again
/// if a write before it is undone, and when the remote first sends a document that this device didn't know.
package struct PendingWrite: Sendable {
  /// The write, whose precondition is incomplete while it awaits a version.
  package var write: DocumentWrite
  /// The base values of the increments, by field.
  var bases: [FieldBase] = []
  /// Whether the write of a transaction is allowed only on the version that the pending writes before it give
  /// the document. The version becomes the precondition once the remote has committed them; see
  /// ``AwaitedVersions``.
  var awaitsVersion = false
  /// What users saw of the document when they made the write, if it is the first one of its batch to the
  /// document and is conditional; `nil` otherwise. It is part of what an app is told if the condition doesn't
  /// hold.
  var seen: SeenDocument?

  /// The write as it is sent. If it still awaits a version, the pending writes that it follows were lost, and
  /// it has a precondition that never holds.
  var sent: DocumentWrite {
    var write = write
    if awaitsVersion { write.precondition = Self.never }
    return write
  }

  /// A precondition that never holds: every document at a remote has a later version.
  static let never = WritePrecondition.updated(.zero)

  /// A document when a write to it was made.
  enum SeenDocument: Sendable, Hashable {
    case missing
    case found(Fields)

    /// The fields; `nil` if it didn't exist.
    var fields: Fields? {
      switch self {
      case .missing: nil
      case .found(let fields): fields
      }
    }
  }

  /// Whether the write is allowed only if nobody has changed the document. That an updated document must
  /// exist isn't such a condition.
  var isConditional: Bool {
    switch write.precondition {
    case .updated, .exists(false): true
    case .exists(true), nil: awaitsVersion
    }
  }

  /// The value of a field to which an increment is added.
  struct FieldBase: Sendable, Hashable {
    /// The field that is incremented.
    let field: FieldPath
    /// The value to which the increment is added; `nil` if this device doesn't know the document.
    let value: Value?
  }
}

extension DocumentWrite {
  /// Returns the current values of the fields that this write increments; 0 for fields that aren't numbers.
  ///
  /// - Parameters:
  ///   - fields: the fields before the write, as users see them; `nil` if the document doesn't exist.
  ///   - isPartial: whether the document has fields that this device doesn't know.
  /// - Returns: one element for each increment; none for writes without increments.
  func incrementBases(in fields: Fields?, isPartial: Bool) -> [PendingWrite.FieldBase] {
    transforms.compactMap { transform in
      guard case .increment = transform.kind else { return nil }
      if isPartial { return PendingWrite.FieldBase(field: transform.field, value: nil) }
      guard let old = fields?[transform.field], old.doubleValue != nil else {
        return PendingWrite.FieldBase(field: transform.field, value: .integer(0))
      }
      return PendingWrite.FieldBase(field: transform.field, value: old)
    }
  }
}
