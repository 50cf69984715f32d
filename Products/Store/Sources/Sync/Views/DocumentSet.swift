import TenonDocuments
import TenonStoreInterop

/// Documents in the order of a query, within a limit.
struct DocumentSet: Sendable {
  private struct Element {
    let key: ResolvedQuery.SortKey
    let document: StoredDocument
  }

  private let order: ResolvedQuery?
  private let limit: Int
  private var elements: [Element] = []
  private var keys: [ResourcePath: ResolvedQuery.SortKey] = [:]

  /// - Parameters:
  ///   - order: the query in whose order documents stand; `nil` for a single document.
  ///   - limit: how many there are at most; the last ones go.
  init(order: ResolvedQuery?, limit: Int = .max) {
    self.order = order
    self.limit = limit
  }

  var documents: [StoredDocument] { elements.map(\.document) }
  var count: Int { elements.count }
  var isEmpty: Bool { elements.isEmpty }
  var first: StoredDocument? { elements.first?.document }
  var last: StoredDocument? { elements.last?.document }

  subscript(path: ResourcePath) -> StoredDocument? {
    keys[path].map { elements[position(of: $0)].document }
  }

  func contains(_ path: ResourcePath) -> Bool { keys[path] != nil }

  /// Where a document stands; `nil` when it isn't there.
  func index(of path: ResourcePath) -> Int? { keys[path].map(position) }

  /// Puts a document in its place, in place of its former state. The last one goes when there are too many.
  mutating func add(_ document: StoredDocument) {
    remove(document.path)
    let key = key(of: document)
    if elements.count >= limit, let last = elements.last, compare(last.key, key) < 0 { return }
    keys[document.path] = key
    elements.insert(Element(key: key, document: document), at: position(of: key))
    if elements.count > limit, let last = elements.popLast() { keys[last.document.path] = nil }
  }

  /// Takes a document out.
  mutating func remove(_ path: ResourcePath) {
    guard let key = keys.removeValue(forKey: path) else { return }
    elements.remove(at: position(of: key))
  }

  /// Less than 0 when the first document comes first.
  func compare(_ left: StoredDocument, _ right: StoredDocument) -> Int {
    compare(key(of: left), key(of: right))
  }

  private func key(of document: StoredDocument) -> ResolvedQuery.SortKey {
    order?.sortKey(document.fields, at: document.path) ?? ResolvedQuery.SortKey.none
  }

  private func compare(_ left: ResolvedQuery.SortKey, _ right: ResolvedQuery.SortKey) -> Int {
    order?.compare(left, right) ?? 0
  }

  /// Where a key stands, or would stand. Keys end with the document's path, so no two are the same.
  private func position(of key: ResolvedQuery.SortKey) -> Int {
    var low = 0
    var high = elements.count
    while low < high {
      let middle = (low + high) / 2
      if compare(elements[middle].key, key) < 0 { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
