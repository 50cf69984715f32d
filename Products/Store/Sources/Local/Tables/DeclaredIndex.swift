import Foundation
import TenonDocuments
import TenonStoreInterop

/// A composite index as stored in the database.
struct DeclaredIndex {
  /// The lifecycle of an index.
  enum State: Int64 {
    /// Writes keep it up to date, but documents that existed before may be missing. Queries do not use it.
    case building = 0
    /// It contains all documents, and queries use it.
    case complete = 1
    /// It is no longer maintained, and its entries are being deleted.
    case dropped = 2
  }

  let number: Int64
  let definition: CompositeIndex
  let state: State

  /// Returns the values under which a document is in the index: the concatenated encodings of its fields, with those of
  /// descending fields inverted. There are several if a field is an array whose elements are indexed, and none if the document
  /// lacks a field.
  func values(of fields: Fields) -> Set<Data> {
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

  /// Returns the key of a document in the index: the encoding of its ID, or of its path in an index over a collection group.
  func key(of document: ResourcePath) -> Data {
    let bytes =
      definition.scope == .collection ? CollectionTable.key(document) : OrderedEncoding.encode(document)
    return definition.isKeyDescending ? bytes.inverted : bytes
  }

  /// Returns the collection number under which documents are in the index: 0 for an index over a collection group.
  func collection(_ number: Int64) -> Int64 { definition.scope == .collection ? number : 0 }
}
