import TenonDocuments
import TenonStoreInterop

/// The documents of a query at one moment, and what changed since the moment before.
///
/// What a listener gets costs in proportion to what changed. ``documents``, and the ``changes`` of a first snapshot, are made
/// when they are first read, and kept from then on.
public struct QuerySnapshot: Sendable {
  private let result: Lazily<[DocumentSnapshot]>
  private let steps: Lazily<[DocumentChange]>

  /// How the snapshot stands to what the remote has.
  public let metadata: SnapshotMetadata
  /// How many documents there are.
  public let count: Int

  /// The documents, in the query's order.
  ///
  /// Complexity: O(n) when it is first read of a listener's snapshot or a copy of it, O(1) from then on.
  public var documents: [DocumentSnapshot] { result.value }

  /// What changed since the snapshot that was read before; everything was added in the first one.
  ///
  /// The changes are steps: done one after the other to a list of the documents before, they give the documents now.
  /// Removals come first, then additions, then modifications, each in the query's order.
  ///
  /// Complexity: when it is first read, O(k log n) for k changes among n documents, O(n) of the first snapshot; O(1) from
  /// then on.
  public var changes: [DocumentChange] { steps.value }

  /// Whether there are no documents.
  public var isEmpty: Bool { count == 0 }

  /// What a listening gave.
  init(store: Store, _ snapshot: ViewSnapshot) {
    let isFromCache = snapshot.isFromCache
    let result = Lazily {
      snapshot.documents.documents.map { $0.snapshot(in: store, isFromCache: isFromCache) }
    }
    self.result = result
    count = snapshot.documents.count
    metadata = SnapshotMetadata(hasPendingWrites: snapshot.hasPendingWrites, isFromCache: isFromCache)
    guard !snapshot.isFirst else {
      steps = Lazily { Self.additions(of: result.value) }
      return
    }
    steps = Lazily {
      ResultSteps(from: snapshot.oldDocuments, by: snapshot.steps).steps.map { step in
        DocumentChange(
          kind: step.kind, document: step.document.snapshot(in: store, isFromCache: isFromCache),
          oldIndex: step.oldIndex, newIndex: step.newIndex)
      }
    }
  }

  /// What was read once.
  init(documents: [DocumentSnapshot], isFromCache: Bool) {
    result = Lazily(value: documents)
    steps = Lazily { Self.additions(of: documents) }
    count = documents.count
    metadata = SnapshotMetadata(
      hasPendingWrites: documents.contains(where: \.metadata.hasPendingWrites), isFromCache: isFromCache)
  }

  private static func additions(of documents: [DocumentSnapshot]) -> [DocumentChange] {
    documents.enumerated().map { DocumentChange(kind: .added, document: $1, oldIndex: nil, newIndex: $0) }
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
