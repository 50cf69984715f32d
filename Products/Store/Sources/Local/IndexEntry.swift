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

  /// What has to be taken out of the index and put into it when a document changes. Fields that stay as they are cost a
  /// comparison.
  struct Difference {
    fileprivate(set) var removed: [IndexEntry] = []
    fileprivate(set) var added: [IndexEntry] = []

    init(from old: Fields?, to new: Fields?) { compare(old ?? Fields(), new ?? Fields(), below: []) }

    private mutating func compare(_ old: Fields, _ new: Fields, below names: [String]) {
      var (left, right) = (old.entries[...], new.entries[...])
      while true {
        switch (left.first, right.first) {
        case (nil, nil): return
        case (let before?, nil):
          IndexEntry.collect(before.value, at: names + [before.name], into: &removed)
          left.removeFirst()
        case (nil, let after?):
          IndexEntry.collect(after.value, at: names + [after.name], into: &added)
          right.removeFirst()
        case (let before?, let after?):
          let order = ByteOrder.compare(before.name, after.name)
          if order < 0 {
            IndexEntry.collect(before.value, at: names + [before.name], into: &removed)
            left.removeFirst()
          } else if order > 0 {
            IndexEntry.collect(after.value, at: names + [after.name], into: &added)
            right.removeFirst()
          } else {
            if before.value != after.value { replace(before.value, after.value, at: names + [after.name]) }
            left.removeFirst()
            right.removeFirst()
          }
        }
      }
    }

    private mutating func replace(_ old: Value, _ new: Value, at names: [String]) {
      let field = FieldPath(segments: names)
      switch (old, new) {
      case (.map(let before), .map(let after)):
        removed.append(IndexEntry(field: field, kind: .value, value: IndexEncoding.encode(old)))
        added.append(IndexEntry(field: field, kind: .value, value: IndexEncoding.encode(new)))
        compare(before, after, below: names)
      case (.array, .array):
        var (before, after): ([IndexEntry], [IndexEntry]) = ([], [])
        IndexEntry.collect(old, at: names, into: &before)
        IndexEntry.collect(new, at: names, into: &after)
        let (kept, present) = (Set(after), Set(before))
        removed += before.filter { !kept.contains($0) }
        added += after.filter { !present.contains($0) }
      default:
        IndexEntry.collect(old, at: names, into: &removed)
        IndexEntry.collect(new, at: names, into: &added)
      }
    }
  }

  /// Every entry of a field, each once.
  private static func collect(_ value: Value, at names: [String], into entries: inout [IndexEntry]) {
    let field = FieldPath(segments: names)
    entries.append(IndexEntry(field: field, kind: .value, value: IndexEncoding.encode(value)))
    switch value {
    case .map(let inner):
      for entry in inner.entries { collect(entry.value, at: names + [entry.name], into: &entries) }
    case .array(let elements):
      var seen: Set<Data> = []
      for element in elements {
        let encoded = IndexEncoding.encode(element)
        guard seen.insert(encoded).inserted else { continue }
        entries.append(IndexEntry(field: field, kind: .element, value: encoded))
      }
    default: break
    }
  }
}
