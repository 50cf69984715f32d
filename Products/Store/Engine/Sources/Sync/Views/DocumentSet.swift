import TenonDocuments
import TenonValues

/// Documents in the order of a query.
///
/// A value type whose copies share structure; see ``SortedTree``. Documents are found by position only;
/// ``View`` maps paths to positions.
package struct DocumentSet: Sendable {
  /// A document with its sort key, shared by all results that contain it. Immutable.
  package final class RankedDocument: Comparable, Sendable {
    /// The document as users see it.
    package let document: StoredDocument
    /// The order of the set for which it was made.
    private let order: Order
    /// The sort key; `nil` for a document that was read in order, because most of these are never compared.
    private let knownKey: ResolvedQuery.SortKey?

    fileprivate init(_ document: StoredDocument, _ order: Order, _ key: ResolvedQuery.SortKey?) {
      (self.document, self.order, knownKey) = (document, order, key)
    }

    /// The sort key, computed on each use if it isn't known.
    private var key: ResolvedQuery.SortKey { knownKey ?? order.key(of: document) }

    /// Returns whether this document precedes one with some fields, of which those suffice by which the query
    /// sorts.
    func precedes(_ fields: Fields, at path: ResourcePath) -> Bool {
      key.compare(order.key(of: fields, at: path)) < 0
    }

    /// Sort keys end with the path, so that the keys of two documents are never equal.
    package static func == (left: RankedDocument, right: RankedDocument) -> Bool {
      left.key.compare(right.key) == 0
    }
    package static func < (left: RankedDocument, right: RankedDocument) -> Bool {
      left.key.compare(right.key) < 0
    }
  }

  /// The order of a set, shared by its documents.
  fileprivate final class Order: Sendable {
    /// The query; `nil` for a single document.
    let query: ResolvedQuery?
    init(_ query: ResolvedQuery?) { self.query = query }

    /// Returns the sort key of a document; for a set of a single document, a key that is equal for all.
    func key(of document: StoredDocument) -> ResolvedQuery.SortKey {
      key(of: document.fields, at: document.path)
    }

    /// Returns the sort key of a document, given its path and the fields by which the query sorts.
    func key(of fields: Fields, at path: ResourcePath) -> ResolvedQuery.SortKey {
      query?.sortKey(fields, at: path) ?? .none
    }
  }

  /// The order, by which entries are compared.
  private let order: Order
  /// The documents with their sort keys, in order.
  private(set) var entries: SortedTree<RankedDocument>

  /// - Parameters:
  ///   - order: the query that defines the order; `nil` for a single document.
  ///   - documents: the documents, in this order, which is only checked in debug builds.
  /// - Complexity: O(n); no sort keys are computed in release builds.
  init(order: ResolvedQuery?, _ documents: [StoredDocument] = []) {
    let order = Order(order)
    self.order = order
    let made = documents.map { RankedDocument($0, order, nil) }
    assert(zip(made, made.dropFirst()).allSatisfy { $0 < $1 }, "The documents aren't in the query's order.")
    entries = SortedTree(sorted: made)
  }

  /// The number of documents.
  package var count: Int { entries.count }
  /// Whether there are no documents.
  var isEmpty: Bool { entries.isEmpty }
  /// The first document in the order; `nil` if there are none.
  package var first: RankedDocument? { entries.first }
  /// The last document in the order; `nil` if there are none.
  var last: RankedDocument? { entries.last }

  /// All documents, in order.
  ///
  /// - Complexity: O(n).
  package var documents: [StoredDocument] {
    var documents: [StoredDocument] = []
    documents.reserveCapacity(count)
    entries.forEach { documents.append($0.document) }
    return documents
  }

  /// Returns a document with its sort key, which is computed now; it need not be in the set.
  func entry(_ document: StoredDocument) -> RankedDocument {
    RankedDocument(document, order, order.key(of: document))
  }

  /// Returns the index of a document; `nil` if it isn't in the set.
  ///
  /// - Parameter entry: the document in the state in which it was inserted, because it is found by its sort
  ///   key.
  /// - Complexity: O(log n).
  func index(of entry: RankedDocument) -> Int? { entries.index(of: entry) }

  /// Inserts a document at its position. A previous state with another sort key must have been removed.
  ///
  /// - Complexity: O(log n).
  mutating func insert(_ entry: RankedDocument) { entries.insert(entry) }
  /// Removes a document; no effect if there is none with its sort key.
  ///
  /// - Complexity: O(log n).
  mutating func remove(_ entry: RankedDocument) { entries.remove(entry) }
}
