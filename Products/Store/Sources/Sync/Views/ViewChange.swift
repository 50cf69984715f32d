import TenonDocuments
import TenonStoreInterop

/// What happened to one document of a view.
package struct ViewChange: Sendable {
  package enum Kind: Int, Sendable {
    /// Changes are reported in this order.
    case removed, added, modified, metadata
  }

  package let kind: Kind
  /// The document with its place; a removed one as it was last.
  let entry: DocumentSet.Entry
  /// The document with its place before all that happened to it; `nil` for an added one.
  let before: DocumentSet.Entry?

  /// The document; a removed one as it was last.
  package var document: StoredDocument { entry.document }
}

/// What happened to the documents of a view, one change for each document.
package struct ViewChanges: Sendable {
  package private(set) var byPath: [ResourcePath: ViewChange] = [:]

  var isEmpty: Bool { byPath.isEmpty }
  var count: Int { byPath.count }

  /// Adds what happened to a document after everything before.
  mutating func track(_ kind: ViewChange.Kind, _ entry: DocumentSet.Entry, before: DocumentSet.Entry?) {
    let path = entry.document.path
    guard let old = byPath[path] else {
      byPath[path] = ViewChange(kind: kind, entry: entry, before: before)
      return
    }
    func note(_ kind: ViewChange.Kind, _ entry: DocumentSet.Entry) {
      byPath[path] = ViewChange(kind: kind, entry: entry, before: old.before)
    }
    switch (old.kind, kind) {
    case (.added, .removed): byPath[path] = nil
    case (.added, _): note(.added, entry)
    // The result has it still, or again.
    case (.removed, .added): note(.modified, entry)
    // What was there before is what is removed.
    case (_, .removed): note(.removed, old.entry)
    case (.modified, .metadata): note(.modified, entry)
    default: note(kind, entry)
    }
  }

  /// Adds all that happened after this.
  mutating func track(_ later: ViewChanges) {
    for change in later.byPath.values { track(change.kind, change.entry, before: change.before) }
  }

  /// Without those that concern nothing but metadata.
  var withoutMetadata: ViewChanges {
    guard byPath.values.contains(where: { $0.kind == .metadata }) else { return self }
    var changes = self
    changes.byPath = byPath.filter { $0.value.kind != .metadata }
    return changes
  }
}
