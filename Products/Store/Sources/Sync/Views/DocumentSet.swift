import TenonDocuments
import TenonStoreInterop

/// Documents in the order of a query.
///
/// It is a value, of which copies share what they have in common: see ``SortedTree``. Documents are found by their places
/// only; who knows no more than a path keeps the places (``View``).
struct DocumentSet: Sendable {
  /// A document with its place in the order. The key is made once, and shared by all results that have the document.
  final class Entry: Comparable, Sendable {
    let document: StoredDocument
    private let key: ResolvedQuery.SortKey

    fileprivate init(_ document: StoredDocument, _ key: ResolvedQuery.SortKey) {
      (self.document, self.key) = (document, key)
    }

    /// Keys end with the document's path, so that the entries of two documents are never equal.
    static func == (left: Entry, right: Entry) -> Bool { left.key.compare(right.key) == 0 }
    static func < (left: Entry, right: Entry) -> Bool { left.key.compare(right.key) < 0 }
  }

  private let order: ResolvedQuery?
  private(set) var entries: SortedTree<Entry>

  /// - Parameters:
  ///   - order: the query in whose order the documents are; `nil` for a single document.
  ///   - documents: the documents. It costs the least when they are in this order.
  init(order: ResolvedQuery?, _ documents: [StoredDocument] = []) {
    self.order = order
    entries = SortedTree()
    let made = documents.map(entry)
    let isSorted = zip(made, made.dropFirst()).allSatisfy { $0 < $1 }
    entries = SortedTree(sorted: isSorted ? made : made.sorted())
  }

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }
  var first: Entry? { entries.first }
  var last: Entry? { entries.last }

  /// All documents in their order.
  ///
  /// Complexity: O(n).
  var documents: [StoredDocument] {
    var documents: [StoredDocument] = []
    documents.reserveCapacity(count)
    entries.forEach { documents.append($0.document) }
    return documents
  }

  /// A document with its place, whether it belongs to the set or not.
  func entry(_ document: StoredDocument) -> Entry {
    Entry(document, order?.sortKey(document.fields, at: document.path) ?? .none)
  }

  /// The index of an entry; `nil` when it isn't there.
  func index(of entry: Entry) -> Int? { entries.index(of: entry) }

  mutating func insert(_ entry: Entry) { entries.insert(entry) }
  mutating func remove(_ entry: Entry) { entries.remove(entry) }
}
