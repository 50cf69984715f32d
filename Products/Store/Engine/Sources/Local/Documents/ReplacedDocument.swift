import TenonValues

/// A document that the only write of a batch to it replaces whatever it was
/// (``BatchContent/isReplacement(at:)``).
///
/// Users see the new fields, and the base is what it was. So the former fields aren't decoded, as for a
/// ``DocumentOverlay``, and neither the base nor earlier pending writes are read if the document has a row.
struct ReplacedDocument {
  /// The document.
  let path: ResourcePath
  /// The number of the document's collection.
  let collection: Int64
  /// The row in `documents`; `nil` if there is none.
  let row: DocumentTable.Entry?
  /// The time of creation according to the base; 0 if it isn't known.
  let createTime: Timestamp
  /// The new fields.
  let fields: Fields
  /// The position of the write in the batch.
  let write: Int

  /// The document as users see it.
  var document: StoredDocument {
    StoredDocument(
      path: path, fields: fields, createTime: createTime, updateTime: .zero, hasLocalMutations: true)
  }
}
