import TenonDocuments
package import TenonFoundation
package import TenonValues

/// A composite index as stored in the database.
///
/// An entry consists of the number of a collection, a value and a key, by which entries are sorted, and the
/// row ID of the document. Values and keys are encoded so that comparing them byte by byte compares documents
/// in the order of the index, including its descending fields. Unlike those of ``EntryTable``, they keep
/// trailing zeros: after a value follows the next one.
package struct DeclaredIndex {
  /// The lifecycle of an index.
  package enum State: Int64 {
    /// Writes keep it up to date, but documents that existed before may be missing. Queries don't use it.
    case building = 0
    /// It contains all documents, and queries use it.
    case complete = 1
    /// It is no longer maintained, and its entries are being deleted.
    case dropped = 2
    /// It is to be built, but entries of a former index must be deleted first. Writes don't maintain it.
    case clearing = 3
  }

  /// The number of the index in the table `index_entries`, which isn't reused.
  package let number: Int64
  /// The index as the app declared it.
  package let definition: CompositeIndex
  /// Its state when the declarations were read.
  let state: State
  /// Whether it may have entries of documents in dropped collections, which nothing may find.
  var hidesDropped = false

  /// Returns the values under which a document is in the index: the concatenated encodings of its fields,
  /// with those of descending fields inverted. There are several if a field is an array whose elements are
  /// indexed, and none if the document lacks a field.
  ///
  /// Each encoding is at most `IndexEncoding.limit` bytes long. No complete encoding is a prefix of another,
  /// so the concatenation is sorted by the first field, then by the second, and so on, except for values that
  /// differ only beyond the limit.
  ///
  /// - Parameter fields: the fields of the document.
  /// - Complexity: O(n) in the size of the indexed values. An index has at most one field with elements, so
  ///   there are at most as many values as elements.
  package func values(of fields: Fields) -> Set<Data> {
    var values: Set<Data> = [Data()]
    for column in definition.columns {
      guard let value = fields[column.path] else { return [] }
      var parts: Set<Data>
      if column.kind == .contains {
        guard case .array(let elements) = value else { return [] }
        parts = Set(elements.map { IndexEncoding.encode($0) })
      } else {
        let bytes = IndexEncoding.encode(value)
        parts = [column.kind == .descending ? bytes.inverted : bytes]
      }
      values = Set(values.flatMap { value in parts.map { value + $0 } })
    }
    return values
  }

  /// Returns the key of a document in the index: the encoding of its ID, or of its path in an index over a
  /// collection group. The bits of the key are inverted if the last field is descending, so that documents
  /// with equal values are in descending order as well.
  package func key(of document: ResourcePath) -> Data {
    let bytes =
      definition.scope == .collection ? CollectionTable.key(document) : OrderedEncoding.encode(document)
    return definition.isKeyDescending ? bytes.inverted : bytes
  }

  /// Returns the collection number under which documents are in the index: 0 for an index over a collection
  /// group.
  package func collection(_ number: Int64) -> Int64 { definition.scope == .collection ? number : 0 }
}
