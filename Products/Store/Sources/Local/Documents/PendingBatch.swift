import Foundation
import TenonDocuments
import TenonStoreInterop

/// Pending writes that were made together, and that the remote commits together.
package struct PendingBatch: Sendable {
  /// The place in the queue: it grows with each batch of the database.
  let id: Int64
  /// The id by which the remote and the app know the batch.
  let uuid: UUID
  /// When the writes were made, by the clock of this device.
  let time: Timestamp
  let writes: [PendingWrite]

  /// The documents, each once, in the order of their first writes.
  var paths: [ResourcePath] {
    var seen: Set<ResourcePath> = []
    return writes.map(\.write.document).filter { seen.insert($0).inserted }
  }
}

/// A pending write, and the numbers to which its increments add.
///
/// An increment that is applied again, because the base document has changed, adds to the same number. So what users see
/// doesn't jump when the remote sends the document before it acknowledges the write.
struct PendingWrite: Sendable {
  let write: DocumentWrite
  var bases: [FieldBase] = []

  struct FieldBase: Sendable {
    let field: FieldPath
    let value: Value
  }
}

extension DocumentWrite {
  /// Returns the numbers of a document to which the increments of this write add.
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
