import TenonDocuments
import TenonStoreInterop

/// The steps that lead from one result of a query to the next, as Firestore's document changes have them: removals,
/// then additions, then modifications, each in the query's order and with indices as of its turn.
///
/// Complexity: for each step a search, and moving what stands behind.
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
      // What changed in its metadata only is told among those that changed.
      let (first, second) = (min(left.kind.rawValue, 2), min(right.kind.rawValue, 2))
      return first != second ? first < second : old.compare(left.document, right.document) < 0
    }
    steps.reserveCapacity(ordered.count)
    guard !old.isEmpty else {
      steps = ordered.enumerated().map { index, change in
        Step(kind: .added, document: change.document, oldIndex: nil, newIndex: index)
      }
      return
    }
    var list = old
    for change in ordered {
      let path = change.document.path
      let oldIndex = list.index(of: path)
      switch change.kind {
      case .removed:
        list.remove(path)
        steps.append(Step(kind: .removed, document: change.document, oldIndex: oldIndex, newIndex: nil))
      case .added:
        list.add(change.document)
        steps.append(
          Step(kind: .added, document: change.document, oldIndex: nil, newIndex: list.index(of: path)))
      case .modified, .metadata:
        list.add(change.document)
        steps.append(
          Step(
            kind: .modified, document: change.document, oldIndex: oldIndex, newIndex: list.index(of: path)))
      }
    }
  }
}
