import TenonDocuments
import TenonStoreInterop

/// What a search has found.
package struct TextSearchResult: Sendable {
  /// A document, and how well it matches.
  package struct Hit: Sendable {
    package let document: StoredDocument
    package let rank: Double
  }

  /// The index that was searched.
  let index: TextIndex
  /// What was searched for.
  let text: TextQuery
  /// The documents, in the order of the search.
  package var hits: [Hit] = []
  /// Whether the remote may have a newer state of the documents.
  package var isFromCache = false

  /// Returns whether both have the same documents, in the same order and state.
  func hasSameDocuments(as other: TextSearchResult) -> Bool {
    hits.count == other.hits.count
      && zip(hits, other.hits).allSatisfy {
        let (left, right) = ($0.document, $1.document)
        return left.path == right.path && left.updateTime == right.updateTime && left.flags == right.flags
          && left.fields == right.fields
      }
  }
}
