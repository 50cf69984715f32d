import Foundation
import TenonDocuments
import TenonStoreInterop

/// A declared index as it is stored in the database.
struct DeclaredIndex {
  enum State: Int64 {
    /// Writes keep it up to date, but documents that existed before may be missing.
    case building = 0
    case complete = 1
    /// It isn't kept up to date; its entries are being removed.
    case dropped = 2
  }

  let number: Int64
  let definition: CompositeIndex
  let state: State

  /// Returns the values under which a document is in the index: the encodings of its fields one after the other, those of
  /// descending fields inverted. Empty if the document lacks a field.
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

  /// Returns the encoding of a document's id, or of its path in an index of a collection group.
  func key(of document: ResourcePath) -> Data {
    let bytes =
      definition.scope == .collection ? CollectionTable.key(document) : OrderedEncoding.encode(document)
    return definition.isKeyDescending ? bytes.inverted : bytes
  }

  /// Returns the number under which a collection's documents are in the index; 0 in an index of a collection group.
  func collection(_ number: Int64) -> Int64 { definition.scope == .collection ? number : 0 }
}
