import TenonDocuments
import TenonStoreInterop

/// The documents of a query, kept in its order and within its limit.
struct SortedResult {
  private struct Element {
    let key: ResolvedQuery.SortKey
    let document: StoredDocument
  }

  let query: ResolvedQuery
  let limit: Int
  private var elements: [Element] = []
  private var keys: [ResourcePath: ResolvedQuery.SortKey] = [:]

  init(query: ResolvedQuery, limit: Int) {
    self.query = query
    self.limit = limit
  }

  var documents: [StoredDocument] { elements.map(\.document) }
  var isFull: Bool { elements.count >= limit }

  func contains(_ path: ResourcePath) -> Bool { keys[path] != nil }

  /// Puts a document in its place; the last one goes when there are too many.
  mutating func add(_ document: StoredDocument) {
    let key = query.sortKey(document.fields, at: document.path)
    if isFull, let last = elements.last, query.compare(last.key, key) < 0 { return }
    keys[document.path] = key
    elements.insert(Element(key: key, document: document), at: position(of: key))
    if elements.count > limit, let last = elements.popLast() { keys[last.document.path] = nil }
  }

  /// Takes a document out.
  mutating func remove(_ path: ResourcePath) {
    guard let key = keys.removeValue(forKey: path) else { return }
    elements.remove(at: position(of: key))
  }

  /// Where a key stands, or would stand. Keys end with the document's path, so no two are the same.
  private func position(of key: ResolvedQuery.SortKey) -> Int {
    var low = 0
    var high = elements.count
    while low < high {
      let middle = (low + high) / 2
      if query.compare(elements[middle].key, key) < 0 { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
