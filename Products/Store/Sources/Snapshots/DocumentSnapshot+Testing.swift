import TenonCore
import TenonDocuments
import TenonStoreEngine
public import TenonValues

// Snapshots as values that tests and previews create, without a database. They belong to this module because
// `TenonTesting` must not import a product; a test imports both.

extension DocumentSnapshot {
  /// Creates the snapshot of a document for a test or a preview, without a database.
  ///
  /// ```swift
  /// let note = DocumentSnapshot(fields: ["title": "Tea", "rating": 5], path: "notes/tea")
  /// #expect(NoteRow(note).title == "Tea")
  /// ```
  ///
  /// It behaves like a snapshot that was read: fields are looked up and decoded in the same way, and
  /// ``DocumentID`` properties are set from the path.
  ///
  /// - Parameters:
  ///   - fields: the fields; `nil` for a document that doesn't exist.
  ///   - path: the document's path; `documents/document` by default. It isn't checked.
  ///   - store: the database of ``reference``. By default there is none: the references of all such snapshots
  ///     belong together, so that those with equal paths are equal, and their operations throw ``StoreError``
  ///     with ``StoreError/Code/failedPrecondition``.
  ///   - createTime: the time at which the document was created; `nil` by default.
  ///   - updateTime: the time at which the document was last updated; `nil` by default.
  ///   - metadata: the relation to the state of the remote; confirmed by default.
  ///   - pendingTimestamps: the fields whose server timestamps aren't known yet, with their previous values,
  ///     null for a field that didn't exist. `fields` contains the estimates. Empty by default.
  public init(
    fields: Fields?, path: String = "documents/document", in store: Store? = nil,
    createTime: Timestamp? = nil, updateTime: Timestamp? = nil,
    metadata: SnapshotMetadata = SnapshotMetadata(), pendingTimestamps: [FieldPath: Value] = [:]
  ) {
    self.init(
      reference: (store ?? .detached).document(path), fields: fields,
      createTime: fields == nil ? .zero : createTime ?? .zero,
      updateTime: fields == nil ? .zero : updateTime ?? .zero,
      metadata: metadata,
      pendingTimestamps: fields == nil
        ? []
        : pendingTimestamps.sorted { $0.key.compare($1.key) < 0 }.map {
          PendingTimestamp(field: $0.key, previous: $0.value)
        })
  }

  /// Creates the snapshot of a document with the fields that a value encodes, for a test or a preview; see
  /// ``init(fields:path:in:createTime:updateTime:metadata:pendingTimestamps:)``.
  ///
  /// - Parameters:
  ///   - value: the value. Its ``DocumentID`` properties aren't stored; `path` sets them.
  ///   - path: the document's path; `documents/document` by default.
  ///   - store: the database of ``reference``; none by default.
  ///   - metadata: the relation to the state of the remote; confirmed by default.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the value doesn't encode itself
  ///   with keys, or has a ``ServerTimestamp`` that is `nil`; `EncodingError`.
  public init(
    from value: some Encodable, path: String = "documents/document", in store: Store? = nil,
    metadata: SnapshotMetadata = SnapshotMetadata()
  ) throws {
    let fields = try StoreError.mapping { try FieldsEncoder().encode(value) }
    self.init(fields: fields, path: path, in: store, metadata: metadata)
  }
}

extension QuerySnapshot {
  /// Creates the snapshot of a query for a test or a preview, without a database.
  ///
  /// ```swift
  /// let first = QuerySnapshot([tea, coffee])
  /// let second = QuerySnapshot([coffee, cocoa], after: first)
  /// second.documentChanges.map(\.type)  // → [.removed, .added]
  /// ```
  ///
  /// - Parameters:
  ///   - documents: the documents, in the query's order. Of several with one path, the first counts, and
  ///     those that don't exist are left out.
  ///   - previous: the snapshot that a listener received before. ``documentChanges`` leads from its documents
  ///     to `documents`: removals, additions, and then modifications, which are documents whose fields,
  ///     metadata or position among the others differ. By default there is none, so every document was added.
  ///   - metadata: the relation to the state of the remote. By default it isn't from the cache, and has
  ///     pending writes if a document has.
  /// - Complexity: O(n²) for n documents if `previous` is given, otherwise O(n).
  public init(
    _ documents: [any DocumentSnapshotConvertible], after previous: QuerySnapshot? = nil,
    metadata: SnapshotMetadata? = nil
  ) {
    var paths: Set<ResourcePath> = []
    let documents = documents.compactMap { QueryDocumentSnapshot($0.documentSnapshot) }
      .filter { paths.insert($0.reference.resourcePath).inserted }
    self.init(
      documents: documents,
      changes: previous.map { Self.changes(from: $0.documents, to: documents) }
        ?? Self.additions(of: documents),
      metadata: metadata
        ?? SnapshotMetadata(
          hasPendingWrites: documents.contains(where: \.metadata.hasPendingWrites), isFromCache: false))
  }

  /// Returns the changes between two results without duplicates, in the order that ``documentChanges``
  /// documents.
  private static func changes(
    from old: [QueryDocumentSnapshot], to new: [QueryDocumentSnapshot]
  ) -> [DocumentChange] {
    let newPaths = Set(new.map(\.reference.resourcePath))
    let oldPlaces = Dictionary(
      old.enumerated().map { ($1.reference.resourcePath, $0) }, uniquingKeysWith: { first, _ in first })
    var changes: [DocumentChange] = []
    // The result after the changes so far.
    var result = old
    for document in old where !newPaths.contains(document.reference.resourcePath) {
      let index = result.firstIndex { $0.reference.resourcePath == document.reference.resourcePath }
      if let index { result.remove(at: index) }
      changes.append(DocumentChange(type: .removed, document: document, oldIndex: index, newIndex: nil))
    }
    // The documents that are at their place: unchanged ones in the order of both results, and those already
    // changed.
    var settled: Set<ResourcePath> = []
    var lastPlace = -1
    for document in new {
      guard let place = oldPlaces[document.reference.resourcePath], place > lastPlace,
        old[place].isSame(as: document)
      else { continue }
      lastPlace = place
      settled.insert(document.reference.resourcePath)
    }
    for type in [DocumentChangeType.added, .modified] {
      // The index after the settled documents that precede the next one.
      var index = 0
      for document in new {
        let path = document.reference.resourcePath
        let isNew = oldPlaces[path] == nil
        if !settled.contains(path), isNew == (type == .added) {
          let oldIndex = result.firstIndex { $0.reference.resourcePath == path }
          if let oldIndex {
            result.remove(at: oldIndex)
            if oldIndex < index { index -= 1 }
          }
          result.insert(document, at: index)
          changes.append(DocumentChange(type: type, document: document, oldIndex: oldIndex, newIndex: index))
          settled.insert(path)
        }
        if settled.contains(path) {
          index = (result.firstIndex { $0.reference.resourcePath == path } ?? index) + 1
        }
      }
    }
    return changes
  }
}

extension QueryDocumentSnapshot {
  /// Returns whether a later snapshot of the document is the same in fields and metadata.
  fileprivate func isSame(as other: QueryDocumentSnapshot) -> Bool {
    fields == other.fields && metadata == other.metadata
  }
}

extension Store {
  /// The database of snapshots that belong to none. Its operations throw.
  static let detached = Store(
    StoreEngine(
      StoreEngine.Configuration(logger: AppLogger(source: "tenon-store"), isLocalOnly: true),
      throwing: StoreError(
        .failedPrecondition,
        "The document belongs to a snapshot that was created without a database; pass one to DocumentSnapshot(fields:path:in:)."
      )))
}
