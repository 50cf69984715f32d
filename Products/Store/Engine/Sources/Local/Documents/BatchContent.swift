package import TenonStoreInterop
import TenonValues

/// The content of a batch: its writes, what must be remembered of them until the remote has answered, and
/// what else must hold for the remote to commit them.
package struct BatchContent: Sendable {
  /// The writes, in the order in which they are applied. The precondition of one that awaits a version is
  /// incomplete.
  package var writes: [DocumentWrite]
  /// What must be remembered of writes, by their positions in ``writes``. Most writes have no note.
  private var notes: [Int: WriteNote] = [:]
  /// What must hold for the documents that a transaction has read and doesn't write.
  var reads: [ReadCondition]

  /// Creates the content of a batch, by default without conditions.
  package init(_ writes: [DocumentWrite]) { self.init(writes, reads: []) }

  /// Creates the content of a batch with conditions.
  init(_ writes: [DocumentWrite], reads: [ReadCondition]) { (self.writes, self.reads) = (writes, reads) }

  /// What is remembered of the write at a position of ``writes``.
  subscript(note index: Int) -> WriteNote {
    get { notes[index] ?? WriteNote() }
    set {
      guard !newValue.isEmpty || notes[index] != nil else { return }
      notes[index] = newValue.isEmpty ? nil : newValue
    }
  }

  /// Whether a write or a condition awaits the version of its document. The batch is sent when the writes
  /// before it have been answered.
  var awaitsVersions: Bool {
    notes.values.contains(where: \.awaitsVersion) || reads.contains(where: \.awaitsVersion)
  }

  /// Returns the position of the write that awaits the version of a document; `nil` if there is none.
  func index(awaiting document: ResourcePath) -> Int? {
    guard !notes.isEmpty else { return nil }
    return writes.indices.first { notes[$0]?.awaitsVersion == true && writes[$0].document == document }
  }

  /// Returns whether the write at a position is allowed only if nobody has changed the document. That an
  /// updated document must exist isn't such a condition.
  func isConditional(at index: Int) -> Bool {
    switch writes[index].precondition {
    case .updated, .exists(false): true
    case .exists(true), nil: notes[index]?.awaitsVersion ?? false
    }
  }

  /// Returns whether the write at a position replaces its document whatever it was, and nothing must be
  /// remembered of it.
  func isReplacement(at index: Int) -> Bool {
    guard case .set = writes[index].operation else { return false }
    return writes[index].precondition == nil && writes[index].transforms.isEmpty && notes[index] == nil
  }

  /// The batch as it is sent: a write without effect for each of ``reads``, then the writes. One that still
  /// awaits a version has a precondition that never holds: the pending writes that it follows were lost.
  var sent: [DocumentWrite] {
    var sent = writes
    for (index, note) in notes where note.awaitsVersion { sent[index].precondition = .never }
    return reads.map(\.sent) + sent
  }
}

/// What the queue remembers of a write until the remote has answered it.
///
/// When an increment is reapplied because the base document has changed, it is added to the same base value,
/// so that the displayed value doesn't jump if the remote sends the document before it acknowledges the
/// write. The base values are recorded when the write is queued, and stored with it. They are recorded again
/// if a write before it is undone, and when the remote first sends a document that this device didn't know.
struct WriteNote: Sendable {
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

  /// Whether there is nothing to remember.
  var isEmpty: Bool { bases.isEmpty && !awaitsVersion && seen == nil }

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

  /// The value of a field to which an increment is added.
  struct FieldBase: Sendable, Hashable {
    /// The field that is incremented.
    let field: FieldPath
    /// The value to which the increment is added; `nil` if this device doesn't know the document.
    let value: Value?
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
    default: DocumentWrite(document, .update(Fields(), mask: []), precondition: precondition ?? .never)
    }
  }
}

extension WritePrecondition {
  /// A precondition that never holds: every document at a remote has a later version.
  static let never = WritePrecondition.updated(.zero)
}

extension DocumentWrite {
  /// Returns the current values of the fields that this write increments; 0 for fields that aren't numbers.
  ///
  /// - Parameters:
  ///   - fields: the fields before the write, as users see them; `nil` if the document doesn't exist.
  ///   - isPartial: whether the document has fields that this device doesn't know.
  /// - Returns: one element for each increment; none for writes without increments.
  func incrementBases(in fields: Fields?, isPartial: Bool) -> [WriteNote.FieldBase] {
    transforms.compactMap { transform in
      guard case .increment = transform.kind else { return nil }
      if isPartial { return WriteNote.FieldBase(field: transform.field, value: nil) }
      guard let old = fields?[transform.field], old.doubleValue != nil else {
        return WriteNote.FieldBase(field: transform.field, value: .integer(0))
      }
      return WriteNote.FieldBase(field: transform.field, value: old)
    }
  }
}
