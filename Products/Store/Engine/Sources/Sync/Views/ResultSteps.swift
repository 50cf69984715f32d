import TenonDocuments
import TenonValues

/// The changes from one result of a query to the next, in Firestore's order: removals, then additions, then
/// modifications, each in the query's order, with indices that are valid after the preceding changes have
/// been applied.
///
/// The changes are replayed on a copy of the previous result, which is a tree that counts its elements, so
/// that each index is found without moving other documents. A modified document is removed from its previous
/// position before its new position is determined.
///
/// - Complexity: O(k log k + k log n) for k changes in a result of n documents.
package struct ResultSteps {
  /// One change; see ``DocumentChange`` for the indices.
  package struct Step {
    /// Whether the document was removed, added or modified; a change of metadata alone is a modification.
    package let kind: ViewChange.Kind
    package let document: StoredDocument
    package let oldIndex: Int?
    package let newIndex: Int?
  }

  /// The changes, in the order in which they are applied.
  package private(set) var steps: [Step] = []

  /// Computes the changes.
  ///
  /// - Parameters:
  ///   - old: the previous result. If it is empty, every change is an addition.
  ///   - changes: the changed documents, by path. They must be the difference between `old` and the next
  ///     result.
  package init(from old: DocumentSet, by changes: ViewChanges) {
    let ordered = changes.byPath.values.sorted { left, right in
      // A change of metadata alone counts as a modification.
      let (first, second) = (min(left.kind.rawValue, 2), min(right.kind.rawValue, 2))
      return first != second ? first < second : left.entry < right.entry
    }
    guard !old.isEmpty else {
      steps = ordered.enumerated().map { index, change in
        Step(kind: .added, document: change.document, oldIndex: nil, newIndex: index)
      }
      return
    }
    steps.reserveCapacity(ordered.count)
    // The result after the changes so far.
    var result = old
    for change in ordered {
      let oldIndex = change.before.flatMap { result.index(of: $0) }
      if let before = change.before { result.remove(before) }
      let kind = change.kind == .metadata ? .modified : change.kind
      if kind != .removed { result.insert(change.entry) }
      steps.append(
        Step(
          kind: kind, document: change.document, oldIndex: oldIndex,
          newIndex: kind == .removed ? nil : result.index(of: change.entry)))
    }
  }
}
