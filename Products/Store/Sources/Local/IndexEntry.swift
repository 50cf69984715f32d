import Foundation
import TenonDocuments
import TenonStoreInterop

/// One entry of the index: a field of a document, or an element of an array in it.
struct IndexEntry: Hashable {
  /// What is found by an entry.
  enum Kind: Int64 {
    /// Documents whose field has a value, in the values' order.
    case value = 0
    /// Documents whose array holds an element.
    case element = 1
  }

  let field: FieldPath
  let kind: Kind
  let value: Data

  /// Every entry of a document's fields.
  static func entries(of fields: Fields) -> Set<IndexEntry> {
    var entries: Set<IndexEntry> = []
    collect(fields, below: [], into: &entries)
    return entries
  }

  private static func collect(_ fields: Fields, below names: [String], into entries: inout Set<IndexEntry>) {
    for entry in fields.entries {
      let path = FieldPath(segments: names + [entry.name])
      entries.insert(IndexEntry(field: path, kind: .value, value: IndexEncoding.encode(entry.value)))
      switch entry.value {
      case .map(let inner): collect(inner, below: path.segments, into: &entries)
      case .array(let elements):
        for element in elements {
          entries.insert(IndexEntry(field: path, kind: .element, value: IndexEncoding.encode(element)))
        }
      default: break
      }
    }
  }
}
