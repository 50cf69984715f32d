import TenonDocuments
import TenonStoreInterop

/// Documents in the order of a query.
///
/// It is a value, whose copies share what they have in common: see ``SortedTree``. Documents are found by their places only;
/// ``View`` keeps the places by path.
struct DocumentSet: Sendable {
  /// A document with its place in the order of a query, shared by all results that have it.
  final class RankedDocument: Comparable, Sendable {
    let document: StoredDocument
    private let order: Order
    /// `nil` for a document that was read in its place: most of these are never compared.
    private let knownKey: ResolvedQuery.SortKey?

    fileprivate init(_ document: StoredDocument, _ order: Order, _ key: ResolvedQuery.SortKey?) {
      (self.document, self.order, knownKey) = (document, order, key)
    }

    private var key: ResolvedQuery.SortKey { knownKey ?? order.key(of: document) }

    /// Keys end with the document's path, so that the entries of two documents are never equal.
    static func == (left: RankedDocument, right: RankedDocument) -> Bool { left.key.compare(right.key) == 0 }
    static func < (left: RankedDocument, right: RankedDocument) -> Bool { left.key.compare(right.key) < 0 }
  }

  fileprivate final class Order: Sendable {
    /// `nil` for a single document.
    let query: ResolvedQuery?
    init(_ query: ResolvedQuery?) { self.query = query }

    func key(of document: StoredDocument) -> ResolvedQuery.SortKey {
      query?.sortKey(document.fields, at: document.path) ?? .none
    }
  }

  private let order: Order
  private(set) var entries: SortedTree<RankedDocument>

  /// - Parameters:
  ///   - order: the query in whose order the documents are; `nil` for a single document.
  ///   - documents: the documents, in this order.
  init(order: ResolvedQuery?, _ documents: [StoredDocument] = []) {
    let order = Order(order)
    self.order = order
    let made = documents.map { RankedDocument($0, order, nil) }
    assert(zip(made, made.dropFirst()).allSatisfy { $0 < $1 }, "The documents aren't in the query's order.")
    entries = SortedTree(sorted: made)
  }

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }
  var first: RankedDocument? { entries.first }
  var last: RankedDocument? { entries.last }

  /// All documents in their order.
  ///
  /// Complexity: O(n).
  var documents: [StoredDocument] {
    var documents: [StoredDocument] = []
    documents.reserveCapacity(count)
    entries.forEach { documents.append($0.document) }
    return documents
  }

  /// Returns a document with its place, whether it is in the set or not.
  func entry(_ document: StoredDocument) -> RankedDocument {
    RankedDocument(document, order, order.key(of: document))
  }

  /// Returns the index of a document; `nil` if it isn't in the set.
  func index(of entry: RankedDocument) -> Int? { entries.index(of: entry) }

  mutating func insert(_ entry: RankedDocument) { entries.insert(entry) }
  mutating func remove(_ entry: RankedDocument) { entries.remove(entry) }
}
