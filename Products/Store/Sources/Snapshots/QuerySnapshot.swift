import TenonDocuments
import TenonStoreInterop

/// The documents of a query at one moment, and what changed since the moment before.
public struct QuerySnapshot: Sendable {
  /// The documents, in the query's order.
  public let documents: [DocumentSnapshot]
  /// What changed since the snapshot that was read before; everything was added in the first one. Removals come first.
  public let changes: [DocumentChange]

  /// Whether there are no documents.
  public var isEmpty: Bool { documents.isEmpty }
  /// How many documents there are.
  public var count: Int { documents.count }

  init(store: Store, documents: [StoredDocument], previous: [StoredDocument]) {
    self.documents = documents.map { $0.snapshot(in: store) }
    changes = Self.changes(from: previous, to: documents, in: store)
  }

  private static func changes(
    from previous: [StoredDocument],
    to documents: [StoredDocument],
    in store: Store
  ) -> [DocumentChange] {
    let oldIndices = Dictionary(uniqueKeysWithValues: previous.enumerated().map { ($1.path, $0) })
    let newPaths = Set(documents.map(\.path))
    let removed = previous.enumerated().filter { !newPaths.contains($1.path) }.map { index, document in
      DocumentChange(kind: .removed, document: document.snapshot(in: store), oldIndex: index, newIndex: nil)
    }
    let others = documents.enumerated().compactMap { index, document -> DocumentChange? in
      guard let oldIndex = oldIndices[document.path] else {
        return DocumentChange(
          kind: .added,
          document: document.snapshot(in: store),
          oldIndex: nil,
          newIndex: index
        )
      }
      guard
        previous[oldIndex].updateTime != document.updateTime || previous[oldIndex].fields != document.fields
      else {
        return nil
      }
      return DocumentChange(
        kind: .modified,
        document: document.snapshot(in: store),
        oldIndex: oldIndex,
        newIndex: index
      )
    }
    return removed + others
  }
}

/// What happened to one document of a query.
public struct DocumentChange: Sendable {
  /// What happened.
  public enum Kind: Sendable, Hashable {
    /// The document has come into the result.
    case added
    /// The document has changed, and still belongs to the result.
    case modified
    /// The document has left the result.
    case removed
  }

  /// What happened.
  public let kind: Kind
  /// The document; a removed one as it was before.
  public let document: DocumentSnapshot
  /// Where it stood in the result before; `nil` for an added one.
  public let oldIndex: Int?
  /// Where it stands in the result now; `nil` for a removed one.
  public let newIndex: Int?
}

extension StoredDocument {
  func snapshot(in store: Store) -> DocumentSnapshot {
    DocumentSnapshot(reference: DocumentReference(store: store, path: path), document: self)
  }
}
