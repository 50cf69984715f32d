import TenonDocuments
import TenonStoreInterop

/// The documents of a query at one moment, and what changed since the moment before.
public struct QuerySnapshot: Sendable {
  /// The documents, in the query's order.
  public let documents: [DocumentSnapshot]
  /// What changed since the snapshot that was read before; everything was added in the first one.
  ///
  /// The changes are steps: done one after the other to a list of the documents before, they give the documents now.
  /// Removals come first, then additions, then modifications, each in the query's order.
  public var changes: [DocumentChange] {
    steps
      ?? documents.enumerated().map {
        DocumentChange(kind: .added, document: $1, oldIndex: nil, newIndex: $0)
      }
  }

  /// `nil` where nothing was read before.
  private let steps: [DocumentChange]?

  /// How the snapshot stands to what the remote has.
  public let metadata: SnapshotMetadata

  /// Whether there are no documents.
  public var isEmpty: Bool { documents.isEmpty }
  /// How many documents there are.
  public var count: Int { documents.count }

  /// What a listening gave.
  init(store: Store, _ snapshot: ViewSnapshot) {
    let isFromCache = snapshot.isFromCache
    documents = snapshot.documents.documents.map { $0.snapshot(in: store, isFromCache: isFromCache) }
    steps = ResultSteps(from: snapshot.oldDocuments, by: snapshot.changes).steps.map { step in
      DocumentChange(
        kind: step.kind, document: step.document.snapshot(in: store, isFromCache: isFromCache),
        oldIndex: step.oldIndex, newIndex: step.newIndex)
    }
    metadata = SnapshotMetadata(hasPendingWrites: snapshot.hasPendingWrites, isFromCache: isFromCache)
  }

  /// What was read once.
  init(documents: [DocumentSnapshot], isFromCache: Bool) {
    self.documents = documents
    steps = nil
    metadata = SnapshotMetadata(
      hasPendingWrites: documents.contains(where: \.metadata.hasPendingWrites), isFromCache: isFromCache)
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
  /// Where it stands when the changes before this one have been done; `nil` for an added one.
  public let oldIndex: Int?
  /// Where it stands once this change has been done as well; `nil` for a removed one.
  public let newIndex: Int?
}

extension StoredDocument {
  func snapshot(in store: Store, isFromCache: Bool) -> DocumentSnapshot {
    DocumentSnapshot(
      reference: DocumentReference(store: store, path: path), document: self, isFromCache: isFromCache)
  }
}
