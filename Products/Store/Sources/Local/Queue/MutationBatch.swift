import Foundation
import TenonDocuments
import TenonStoreInterop

/// Writes that wait for the remote together.
package struct MutationBatch: Sendable {
  /// Grows with each batch of the database.
  let id: Int64
  /// The same wherever the batch is sent or told of.
  let uuid: UUID
  /// When the writes were made here.
  let time: Timestamp
  let writes: [LocalWrite]

  var paths: [ResourcePath] {
    var seen: Set<ResourcePath> = []
    return writes.map(\.write.document).filter { seen.insert($0).inserted }
  }
}

/// A write, and what its increments began with.
///
/// An increment that is applied again, because the document below it has changed, begins with the same number. So what
/// users see doesn't jump when the remote sends the document before it confirms the write.
struct LocalWrite: Sendable {
  let write: DocumentWrite
  var bases: [FieldBase] = []

  struct FieldBase: Sendable {
    let field: FieldPath
    let value: Value
  }
}

extension DocumentWrite {
  /// What the increments of this write begin with in a document.
  func incrementBases(in fields: Fields?) -> [LocalWrite.FieldBase] {
    transforms.compactMap { transform in
      guard case .increment = transform.kind else { return nil }
      guard let old = fields?[transform.field], old.doubleValue != nil else {
        return LocalWrite.FieldBase(field: transform.field, value: .integer(0))
      }
      return LocalWrite.FieldBase(field: transform.field, value: old)
    }
  }
}
