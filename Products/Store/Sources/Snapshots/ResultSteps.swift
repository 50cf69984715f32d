import TenonDocuments
import TenonStoreInterop

/// The steps that lead from one result of a query to the next, as Firestore's document changes have them: removals,
/// then additions, then modifications, each in the query's order and with indices as of its turn.
///
/// Complexity: O(*n*), and for each step O(log *n*) comparisons.
struct ResultSteps {
  struct Step {
    let kind: DocumentChange.Kind
    let document: StoredDocument
    let oldIndex: Int?
    let newIndex: Int?
  }

  private(set) var steps: [Step] = []
  private let query: ResolvedQuery
  /// The list while the steps are done to it. A modified document stands where its former fields put it until its
  /// turn comes, so the list is always in order.
  private var list: [StoredDocument]

  init(from previous: [StoredDocument], to documents: [StoredDocument], of query: ResolvedQuery) {
    self.query = query
    list = previous
    guard !previous.isEmpty else {
      steps = documents.enumerated().map { Step(kind: .added, document: $1, oldIndex: nil, newIndex: $0) }
      return
    }
    let before = Dictionary(uniqueKeysWithValues: previous.map { ($0.path, $0) })
    let present = Set(documents.map(\.path))
    for document in previous where !present.contains(document.path) {
      steps.append(Step(kind: .removed, document: document, oldIndex: remove(document), newIndex: nil))
    }
    for document in documents where before[document.path] == nil {
      steps.append(Step(kind: .added, document: document, oldIndex: nil, newIndex: insert(document)))
    }
    for document in documents {
      guard let old = before[document.path], !old.isSame(as: document) else { continue }
      let oldIndex = remove(old)
      steps.append(
        Step(kind: .modified, document: document, oldIndex: oldIndex, newIndex: insert(document))
      )
    }
  }

  private mutating func remove(_ document: StoredDocument) -> Int {
    let index = position(of: document)
    list.remove(at: index)
    return index
  }

  private mutating func insert(_ document: StoredDocument) -> Int {
    let index = position(of: document)
    list.insert(document, at: index)
    return index
  }

  /// Where a document stands, or would stand.
  private func position(of document: StoredDocument) -> Int {
    let key = query.sortKey(document.fields, at: document.path)
    var range = list.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let other = query.sortKey(list[middle].fields, at: list[middle].path)
      if query.compare(other, key) < 0 {
        range = middle + 1..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    return range.lowerBound
  }
}

extension StoredDocument {
  fileprivate func isSame(as other: StoredDocument) -> Bool {
    updateTime == other.updateTime && fields == other.fields
  }
}
