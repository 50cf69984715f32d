import TenonStoreEngine
import TenonValues

/// The documents of a query at one time, and their changes since the previous snapshot.
///
/// A snapshot is a value: it never changes, and can be read on any thread.
///
/// The cost of a listener's snapshot is proportional to the number of changes. ``documents``, and the
/// ``documentChanges`` of a first snapshot, are computed when they are first read.
///
/// ```swift
/// for try await snapshot in store.collection("notes").snapshots {
///   for change in snapshot.documentChanges { print(change.type, change.document.documentID) }
/// }
/// ```
public struct QuerySnapshot: Sendable {
  private let result: Lazily<[QueryDocumentSnapshot]>
  private let steps: Lazily<[DocumentChange]>

  /// The relation of the snapshot to the state of the remote.
  public let metadata: SnapshotMetadata
  /// The number of documents.
  public let count: Int

  /// The documents, in the query's order.
  ///
  /// - Complexity: O(n) when it is first read from a listener's snapshot or a copy of it, O(1) afterwards.
  public var documents: [QueryDocumentSnapshot] { result.value }

  /// The changes since the snapshot that was read before; in the first snapshot, every document was added.
  ///
  /// Applied in order to the previous documents, the changes result in the current ones. Removals come first,
  /// then additions, then modifications, each in the query's order.
  ///
  /// - Complexity: when it is first read, O(k log n) for k changes among n documents, O(n) for the first
  ///   snapshot; O(1) afterwards.
  public var documentChanges: [DocumentChange] { steps.value }

  /// Whether there are no documents.
  public var isEmpty: Bool { count == 0 }

  /// Creates the snapshot of a listener. Nothing is computed yet.
  ///
  /// - Parameters:
  ///   - store: the database, for the references of the documents.
  ///   - snapshot: the state of the view, which this snapshot shares.
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
      snapshot.orderedSteps { change, oldIndex, newIndex in
        DocumentChange(
          type: DocumentChangeType(change.kind),
          document: change.document.snapshot(in: store, isFromCache: isFromCache),
          oldIndex: oldIndex, newIndex: newIndex)
      }
    }
  }

  /// Creates the snapshot of a read, in which every document counts as added.
  ///
  /// - Parameters:
  ///   - documents: the documents, in the query's order.
  ///   - isFromCache: whether the remote hasn't confirmed that the result is current.
  init(documents: [QueryDocumentSnapshot], isFromCache: Bool) {
    result = Lazily(value: documents)
    steps = Lazily { Self.additions(of: documents) }
    count = documents.count
    metadata = SnapshotMetadata(
      hasPendingWrites: documents.contains(where: \.metadata.hasPendingWrites), isFromCache: isFromCache)
  }

  /// Creates a snapshot of given parts; see ``init(_:after:metadata:)``.
  init(documents: [QueryDocumentSnapshot], changes: [DocumentChange], metadata: SnapshotMetadata) {
    result = Lazily(value: documents)
    steps = Lazily(value: changes)
    count = documents.count
    self.metadata = metadata
  }

  /// Returns the changes of a first snapshot: every document was added.
  static func additions(of documents: [QueryDocumentSnapshot]) -> [DocumentChange] {
    documents.enumerated().map { DocumentChange(type: .added, document: $1, oldIndex: nil, newIndex: $0) }
  }
}

extension QuerySnapshot: CustomStringConvertible {
  /// The number of documents and changes on one line, for example `3 documents, 1 change`.
  public var description: String {
    let changes = documentChanges.count
    return
      "\(count) document\(count == 1 ? "" : "s"), \(changes) change\(changes == 1 ? "" : "s")\(metadata.suffix)"
  }
}

/// The kind of change of a document in a result.
public enum DocumentChangeType: Sendable, Hashable {
  /// The document was added to the result.
  case added
  /// The document has changed, and still belongs to the result.
  case modified
  /// The document was removed from the result.
  case removed

  /// Returns the type of a change of a view.
  init(_ kind: ViewSnapshot.Change.Kind) {
    switch kind {
    case .removed: self = .removed
    case .added: self = .added
    case .modified, .metadata: self = .modified
    }
  }
}

/// The change of one document in the result of a query.
///
/// The changes of a snapshot are applied in their order: each removes the document at ``oldIndex``, if it has
/// one, and then inserts it at ``newIndex``, if it has one.
///
/// ```swift
/// var notes: [QueryDocumentSnapshot] = []
/// for change in snapshot.documentChanges {
///   if let index = change.oldIndex { notes.remove(at: index) }
///   if let index = change.newIndex { notes.insert(change.document, at: index) }
/// }
/// ```
public struct DocumentChange: Sendable, CustomStringConvertible {
  /// The kind of change.
  public let type: DocumentChangeType
  /// The document; for a removal, its last state in the result.
  public let document: QueryDocumentSnapshot
  /// The document's index after the preceding changes were applied; `nil` for an addition.
  public let oldIndex: Int?
  /// The document's index after this change was applied as well; `nil` for a removal.
  public let newIndex: Int?

  /// The change on one line, for example `added notes/tea {rating: 5}`.
  public var description: String { "\(type) \(document)" }
}

extension StoredDocument {
  /// Returns the snapshot of the document that users see.
  ///
  /// - Parameters:
  ///   - store: the database, for the reference of the document.
  ///   - isFromCache: whether the remote hasn't confirmed that the result is current.
  func snapshot(in store: Store, isFromCache: Bool) -> QueryDocumentSnapshot {
    QueryDocumentSnapshot(
      existing: DocumentSnapshot(
        reference: DocumentReference(store: store, path: path), document: self, isFromCache: isFromCache))
  }
}
