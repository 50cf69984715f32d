import TenonDocuments
import TenonStoreInterop

/// The change of one document of a view.
package struct ViewChange: Sendable {
  package enum Kind: Int, Sendable {
    /// Changes are reported in this order.
    case removed, added, modified, metadata
  }

  package let kind: Kind
  /// The document with its place; a removed one as it last was.
  let entry: DocumentSet.RankedDocument
  /// The document with its place before the change; `nil` for an added one.
  let before: DocumentSet.RankedDocument?

  /// The document; a removed one as it last was.
  package var document: StoredDocument { entry.document }
}

/// The changes of the documents of a view, one per document.
package struct ViewChanges: Sendable {
  package private(set) var byPath: [ResourcePath: ViewChange] = [:]

  var isEmpty: Bool { byPath.isEmpty }
  var count: Int { byPath.count }

  /// Adds a later change of a document.
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
    // The result still has it, or has it again.
    case (.removed, .added): replace(with: .modified, entry)
    // The document as it was before is removed.
    case (_, .removed): replace(with: .removed, old.entry)
    case (.modified, .metadata): replace(with: .modified, entry)
    default: replace(with: kind, entry)
    }
  }

  /// Adds later changes.
  mutating func track(_ later: ViewChanges) {
    for change in later.byPath.values { track(change.kind, change.entry, before: change.before) }
  }

  /// The changes other than those of metadata only.
  var withoutMetadata: ViewChanges {
    guard byPath.values.contains(where: { $0.kind == .metadata }) else { return self }
    var changes = self
    changes.byPath = byPath.filter { $0.value.kind != .metadata }
    return changes
  }
}
