import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

extension LocalStore {
  /// Makes writes that nobody has to confirm.
  ///
  /// - Throws: ``StoreError`` when a precondition doesn't hold; ``DocumentError``, ``SQLiteError``.
  func apply(_ writes: [DocumentWrite], at moment: Timestamp) throws {
    expectChanges(of: writes.count)
    for write in writes {
      let collection = try place(of: write.document).collection
      let row = try row(of: write.document, in: collection)
      let old = row?.document
      try write.checkPrecondition(exists: old != nil, updated: old?.updateTime)
      let fields = try write.result(on: old?.fields, at: moment)
      guard fields != old?.fields else { continue }
      // A document that changes gets a later moment, whatever the clock says.
      let updated = Timestamp(
        microsecondsSince1970: max(
          moment.microsecondsSince1970, (old?.updateTime.microsecondsSince1970 ?? .min) + 1))
      try put(
        fields.map {
          StoredDocument(
            path: write.document, fields: $0, createTime: old?.createTime ?? moment,
            updateTime: old == nil ? moment : updated)
        },
        at: write.document, in: collection, replacing: row)
    }
  }
}

extension DocumentWrite {
  /// - Throws: ``StoreError`` when the precondition doesn't hold.
  func checkPrecondition(exists: Bool, updated: Timestamp?) throws {
    switch precondition {
    case .exists(true) where !exists:
      throw StoreError(
        .notFound, "There is no document \(document.text) to update; use set(_:) to create it.")
    case .exists(false) where exists:
      throw StoreError(.alreadyExists, "The document \(document.text) exists already.")
    case .updated(let expected) where expected.microsecondsSince1970 != updated?.microsecondsSince1970:
      throw changedSinceRead
    default: break
    }
  }

  /// The error for a version that has passed.
  var changedSinceRead: StoreError {
    StoreError(
      .failedPrecondition, "The document \(document.text) was changed since it was read. Read it again.")
  }
}
