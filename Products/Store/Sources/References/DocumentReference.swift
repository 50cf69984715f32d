import TenonCore
import TenonDocuments
public import TenonStoreInterop

/// A document's place, whether there is a document or not.
public struct DocumentReference: Sendable {
  /// The database.
  public let store: Store
  /// The path of the collection that the document belongs to, which the documents of a result share.
  private let collection: ResourcePath
  /// The document's id, the last part of its path.
  public let documentID: String

  init(store: Store, collection: ResourcePath, id: String) {
    (self.store, self.collection, documentID) = (store, collection, id)
  }

  init(store: Store, path: ResourcePath) {
    self.init(store: store, collection: ResourcePath(segments: Array(path.segments.dropLast())), id: path.id)
  }

  /// The document's path, from the database's root.
  public var path: ResourcePath { collection.appending(documentID) }
  /// The collection that the document belongs to.
  public var parent: CollectionReference { CollectionReference(store: store, path: collection) }

  /// A collection below the document.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument``.
  public func collection(_ path: String) throws -> CollectionReference {
    try store.collection("\(self.path.text)/\(path)")
  }

  // MARK: - Writing
  //
  // Each of these returns when the write is durable on this device, and gives what to wait for if it matters when the
  // remote has it.

  /// Makes the document this content.
  ///
  /// ```swift
  /// try await page.set(["title": "Tea", "views": .increment(1), "seen": .serverTimestamp], merge: true)
  /// ```
  ///
  /// - Parameters:
  ///   - data: the content: values, and how values are found.
  ///   - merge: keeps the fields that aren't named; maps are merged field by field. `false` replaces what was there.
  /// - Throws: ``StoreError``; nothing was changed then.
  @discardableResult
  public func set(_ data: DocumentData, merge: Bool = false) async throws -> WriteConfirmation {
    try await store.engine.commit([try .setting(path, data, merge: merge)])
  }

  /// Makes the document these fields, as in `["n": .integer(1)]`; see ``set(_:merge:)-(DocumentData,_)``.
  @discardableResult @_disfavoredOverload
  public func set(_ fields: Fields, merge: Bool = false) async throws -> WriteConfirmation {
    try await set(DocumentData(fields), merge: merge)
  }

  /// Makes the document what an `Encodable` value encodes; see ``set(_:merge:)-(DocumentData,_)``.
  ///
  /// - Throws: ``StoreError``; `EncodingError`.
  @discardableResult
  public func set(_ value: some Encodable, merge: Bool = false) async throws -> WriteConfirmation {
    try await set(DocumentData(try StoreError.mapping { try FieldsEncoder().encode(value) }), merge: merge)
  }

  /// Makes some fields of the document what the content says, and keeps the others.
  ///
  /// - Parameters:
  ///   - data: the content; what lies outside the fields is ignored.
  ///   - fields: the fields, each of which the content must name.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func set(_ data: DocumentData, mergeFields fields: [FieldPath]) async throws -> WriteConfirmation {
    try await store.engine.commit([try .merging(path, data, fields: fields)])
  }

  /// Makes a document that isn't there yet.
  ///
  /// This device decides what it knows: a document that is in the cache, or that a pending write makes, exists. What only the
  /// remote can know is queued; a refusal is thrown by ``WriteConfirmation/confirmed()``, listed in ``Store/rejectedWrites`` and
  /// delivered by ``Store/writeRejections``.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/alreadyExists`` when this device knows that it is.
  @discardableResult
  public func create(_ data: DocumentData) async throws -> WriteConfirmation {
    try await store.engine.commit([try .setting(path, data, precondition: .exists(false))])
  }

  /// Changes fields of a document that exists. Names with dots lead into maps: `["address.city": "Ulm"]`. A map
  /// replaces what was there.
  ///
  /// This device decides what it knows: that the remote has said that there is no such document, that a pending write deletes
  /// it, or that it was changed later than `precondition` says, by others or by a pending write. What only the remote can know
  /// is queued; a refusal is thrown by ``WriteConfirmation/confirmed()``, listed in ``Store/rejectedWrites`` and delivered by
  /// ``Store/writeRejections``.
  ///
  /// - Parameters:
  ///   - changes: the fields and what they become.
  ///   - precondition: what must hold; that the document exists, by default.
  /// - Throws: ``StoreError`` with ``StoreError/Code/notFound`` when this device knows that there is no such document,
  ///   ``StoreError/Code/failedPrecondition`` when it knows that the document was changed since the moment that `precondition`
  ///   names.
  @discardableResult
  public func update(
    _ changes: [FieldPath: FieldValue], if precondition: WritePrecondition = .exists(true)
  ) async throws -> WriteConfirmation {
    try await store.engine.commit([try .updating(path, changes, precondition: precondition)])
  }

  /// Changes fields of a document that exists to plain values; see ``update(_:if:)``.
  @discardableResult @_disfavoredOverload
  public func update(_ fields: [FieldPath: Value]) async throws -> WriteConfirmation {
    try await update(fields.mapValues(FieldValue.value))
  }

  /// Deletes the document; its collections stay. Deleting what isn't there is no error, unless a precondition says so.
  ///
  /// - Parameter precondition: what must hold; nothing by default.
  /// - Throws: as ``update(_:if:)``.
  @discardableResult
  public func delete(if precondition: WritePrecondition? = nil) async throws -> WriteConfirmation {
    try await store.engine.commit([DocumentWrite(path, .delete, precondition: precondition)])
  }

  // MARK: - Reading

  /// The document as it is now.
  ///
  /// - Parameter source: where it is looked for. By default the remote is asked, and what is here counts when it can't be
  ///   reached. A remote that doesn't answer is waited for ten seconds, and not again until it is heard of.
  /// - Throws: ``StoreError`` with ``StoreError/Code/unavailable`` when the remote can't be reached, or isn't asked, and
  ///   nothing is known here of the document.
  public func get(source: ReadSource = .default) async throws -> DocumentSnapshot {
    let path = path
    guard store.isShared, source != .cache else {
      let (document, isKnown) = try await store.engine.read { local in
        let document = try local.document(path)
        return (document, try document != nil || !local.hasRemote || local.base(of: path) != nil)
      }
      guard isKnown else {
        throw StoreError(
          .unavailable, "The document \(path.text) isn't in the cache; read it from the server.")
      }
      return DocumentSnapshot(reference: self, document: document, isFromCache: store.isShared)
    }
    let session = await store.engine.beginReading(.document(path))
    let document: StoredDocument?
    do {
      try await session?.fetch([path])
      document = try await store.engine.read { try $0.document(path) }
    } catch {
      await session?.end()
      throw error
    }
    let isFromCache = !(session?.isReachable ?? false)
    await session?.end()
    if isFromCache, source == .server || document == nil {
      throw store.engine.unavailable("The document \(path.text) can't be read")
    }
    return DocumentSnapshot(reference: self, document: document, isFromCache: isFromCache)
  }

  /// The document as it is now, and then each time it changes; see ``snapshots(includeMetadataChanges:source:)``.
  public var snapshots: AsyncThrowingStream<DocumentSnapshot, any Error> { snapshots() }

  /// The document as it is now, and then each time it changes.
  ///
  /// A slow reader skips states and sees the newest. The listening ends with the iteration.
  ///
  /// - Parameters:
  ///   - includeMetadataChanges: whether changes are told that concern ``DocumentSnapshot/metadata`` alone.
  ///   - source: whether the remote is asked for changes.
  public func snapshots(
    includeMetadataChanges: Bool = false, source: ListenSource = .default
  ) -> AsyncThrowingStream<DocumentSnapshot, any Error> {
    let listening = store.engine.listen(
      to: ViewQuery(path),
      QueryListener.Options(includesMetadataChanges: includeMetadataChanges, asksRemote: source == .default))
    return AsyncThrowingStream {
      try await listening.next().map {
        DocumentSnapshot(reference: self, document: $0.documents.first?.document, isFromCache: $0.isFromCache)
      }
    }
  }

  /// Calls back with the document as it is now, and then each time it changes; see
  /// ``snapshots(includeMetadataChanges:source:)``.
  ///
  /// - Parameters:
  ///   - includeMetadataChanges: whether changes are told that concern ``DocumentSnapshot/metadata`` alone.
  ///   - source: whether the remote is asked for changes.
  ///   - callback: called with one state after the other, and with an error at last if there is one.
  /// - Returns: ends the listening when it is told to.
  public func addSnapshotListener(
    includeMetadataChanges: Bool = false, source: ListenSource = .default,
    _ callback: @escaping @Sendable (Result<DocumentSnapshot, any Error>) -> Void
  ) -> ListenerRegistration {
    ListenerRegistration(
      snapshots(includeMetadataChanges: includeMetadataChanges, source: source), callback)
  }
}

extension DocumentReference: Hashable {
  /// Whether both mean the same place in the same database.
  public static func == (left: DocumentReference, right: DocumentReference) -> Bool {
    left.store === right.store && left.path == right.path
  }

  /// Feeds the path.
  public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

extension StoreError {
  /// Runs what throws errors of the layers below, and throws what users catch.
  static func mapping<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw wrapping(error) }
  }
}
