import TenonDocuments
import TenonStoreInterop

/// What happened to one document of a view.
package struct ViewChange: Sendable {
  package enum Kind: Int, Sendable {
    /// In this order they are told.
    case removed, added, modified, metadata
  }

  package let kind: Kind
  /// The document; a removed one as it was before.
  package let document: StoredDocument
}

/// What happened to the documents of a view, one change for each document.
package struct ViewChanges: Sendable {
  package private(set) var byPath: [ResourcePath: ViewChange] = [:]

  var isEmpty: Bool { byPath.isEmpty }
  var count: Int { byPath.count }

  /// Adds what happened to a document after everything before.
  mutating func track(_ kind: ViewChange.Kind, _ document: StoredDocument) {
    let path = document.path
    guard let old = byPath[path] else {
      byPath[path] = ViewChange(kind: kind, document: document)
      return
    }
    switch (old.kind, kind) {
    case (.added, .removed): byPath[path] = nil
    case (.added, _): byPath[path] = ViewChange(kind: .added, document: document)
    // The result has it still, or again.
    case (.removed, .added): byPath[path] = ViewChange(kind: .modified, document: document)
    // What was there before is what is removed.
    case (_, .removed): byPath[path] = ViewChange(kind: .removed, document: old.document)
    case (.modified, .metadata): byPath[path] = ViewChange(kind: .modified, document: document)
    default: byPath[path] = ViewChange(kind: kind, document: document)
    }
  }

  /// Adds all that happened after this.
  mutating func track(_ later: ViewChanges) {
    for change in later.byPath.values { track(change.kind, change.document) }
  }

  /// Without those that concern nothing but metadata.
  var withoutMetadata: ViewChanges {
    var changes = self
    changes.byPath = byPath.filter { $0.value.kind != .metadata }
    return changes
  }
}
