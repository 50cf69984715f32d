import TenonDocuments
import TenonStoreInterop

/// The steps that lead from one result of a query to the next, as Firestore's document changes have them: removals,
/// then additions, then modifications, each in the query's order and with indices as of its turn.
///
/// Complexity: O(k log k + k log n) for k steps in a result of n documents.
struct ResultSteps {
  struct Step {
    let kind: DocumentChange.Kind
    let document: StoredDocument
    let oldIndex: Int?
    let newIndex: Int?
  }

  private(set) var steps: [Step] = []

  init(from old: DocumentSet, by changes: ViewChanges) {
    let ordered = changes.byPath.values.sorted { left, right in
      // A change that concerns nothing but metadata counts as a modification.
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
    // The result as the steps so far have left it.
    var result = old
    for change in ordered {
      let oldIndex = change.before.flatMap { result.index(of: $0) }
      if let before = change.before { result.remove(before) }
      let kind: DocumentChange.Kind
      switch change.kind {
      case .removed: kind = .removed
      case .added: kind = .added
      case .modified, .metadata: kind = .modified
      }
      if kind != .removed { result.insert(change.entry) }
      steps.append(
        Step(
          kind: kind, document: change.document, oldIndex: oldIndex,
          newIndex: kind == .removed ? nil : result.index(of: change.entry)))
    }
  }
}
