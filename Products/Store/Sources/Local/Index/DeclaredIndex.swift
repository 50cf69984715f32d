import Foundation
import TenonDocuments
import TenonStoreInterop

/// A declared index as it lies in the database.
struct DeclaredIndex {
  enum State: Int64 {
    /// Writes keep it, but documents that were there before may be missing.
    case building = 0
    case complete = 1
    /// Nothing keeps it; its entries are being taken away.
    case dropped = 2
  }

  let number: Int64
  let definition: CompositeIndex
  let state: State

  /// The bytes under which a document stands in the index: the encodings of its values one after the other, those of
  /// descending fields inverted. None when it lacks a field.
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

  /// The bytes of a document's id, or of its path where collections stand together.
  func key(of document: ResourcePath) -> Data {
    let bytes =
      definition.scope == .collection ? LocalStore.key(document) : OrderedEncoding.encode(document)
    return definition.isKeyDescending ? bytes.inverted : bytes
  }

  /// The number under which a collection's documents stand; 0 where collections stand together.
  func collection(_ number: Int64) -> Int64 { definition.scope == .collection ? number : 0 }
}
