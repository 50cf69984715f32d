package import TenonValues

/// The change of one document of a view, with what is needed to determine its indices later; see
/// ``ViewSnapshot/orderedSteps(_:)``.
package struct ViewChange: Sendable {
  /// The kind of change. The raw values order the changes of a snapshot.
  package enum Kind: Int, Sendable {
    /// The kinds, in the order in which changes are reported.
    case removed, added, modified, metadata
  }

  /// The kind, combined from all changes of the document since the previous snapshot.
  package let kind: Kind
  /// The document with its position; for a removal, its last state.
  let entry: DocumentSet.RankedDocument
  /// The document with its position before the change; `nil` for an addition.
  let before: DocumentSet.RankedDocument?

  /// The document; for a removal, its last state.
  package var document: StoredDocument { entry.document }
}

/// The changes of the documents of a view, at most one per document.
///
/// Changes to the same document are merged, so the value describes how one result leads to another,
/// regardless of the states in between.
package struct ViewChanges: Sendable {
  /// The changes, by the path of the document.
  package private(set) var byPath: [ResourcePath: ViewChange] = [:]

  /// Whether no document has changed.
  var isEmpty: Bool { byPath.isEmpty }
  /// The number of changed documents.
  var count: Int { byPath.count }

  /// Merges a later change of a document. For example, an addition followed by a removal is no change, and a
  /// removal followed by an addition is a modification. The rules are those of Firestore's clients.
  ///
  /// - Parameters:
  ///   - kind: the kind of the later change.
  ///   - entry: the document after it; for a removal, its last state.
  ///   - before: the document before it; `nil` for an addition.
  mutating func track(
    _ kind: ViewChange.Kind, _ entry: DocumentSet.RankedDocument, before: DocumentSet.RankedDocument?
  ) {
    let path = entry.document.path
    guard let old = byPath[path] else {
      byPath[path] = ViewChange(kind: kind, entry: entry, before: before)
      return
    }
    func replace(with kind: ViewChange.Kind, _ entry: DocumentSet.RankedDocument) {
      byPath[path] = ViewChange(kind: kind, entry: entry, before: old.before)
    }
    switch (old.kind, kind) {
    case (.added, .removed): byPath[path] = nil
    case (.added, _): replace(with: .added, entry)
    // The result contains the document again.
    case (.removed, .added): replace(with: .modified, entry)
    // The previous state of the document is removed.
    case (_, .removed): replace(with: .removed, old.entry)
    case (.modified, .metadata): replace(with: .modified, entry)
    default: replace(with: kind, entry)
    }
  }

  /// Merges later changes.
  ///
  /// - Complexity: O(k) for k later changes.
  mutating func track(_ later: ViewChanges) {
    for change in later.byPath.values { track(change.kind, change.entry, before: change.before) }
  }

  /// The changes except those of metadata alone.
  var withoutMetadata: ViewChanges {
    guard byPath.values.contains(where: { $0.kind == .metadata }) else { return self }
    var changes = self
    changes.byPath = byPath.filter { $0.value.kind != .metadata }
    return changes
  }
}
