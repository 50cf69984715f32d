import TenonCore
import TenonStoreEngine
public import TenonValues

/// A reference to a document, which may or may not exist.
///
/// A reference isn't checked when it is made; the first operation that uses a path that breaks a rule throws
/// a ``StoreError`` with ``StoreError/Code/invalidArgument``.
public struct DocumentReference: SnapshotSource {
  /// The database.
  public let store: Store
  /// The path of the document's collection, which the documents of a result share.
  private let collection: ResourcePath
  /// The document's ID, the last part of its path.
  public let documentID: String

  /// Creates a reference to a document of a collection, without checking the path.
  init(store: Store, collection: ResourcePath, id: String) {
    (self.store, self.collection, documentID) = (store, collection, id)
  }

  /// Creates a reference to a document by its complete path, without checking it.
  init(store: Store, path: ResourcePath) {
    self.init(store: store, collection: ResourcePath(segments: Array(path.segments.dropLast())), id: path.id)
  }

  /// The document's path from the root of the database, for example `rooms/den`.
  public var path: String { resourcePath.text }
  /// The document's path, unchecked.
  package var resourcePath: ResourcePath { collection.appending(documentID) }
  /// The collection that contains the document.
  public var parent: CollectionReference { CollectionReference(store: store, resourcePath: collection) }

  /// Returns a collection below the document.
  ///
  /// - Parameter path: the collection's ID, or a path below the document, for example `messages/1/replies`.
  public func collection(_ path: String) -> CollectionReference {
    CollectionReference(
      store: store,
      resourcePath: ResourcePath(segments: resourcePath.segments + ResourcePath(unchecked: path).segments))
  }

  /// Returns the document's path.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if it isn't the path of a document.
  func checkedPath() throws -> ResourcePath {
    let path = resourcePath
    try checked { () throws(DocumentError) in try path.checkDocument() }
    return path
  }

  // MARK: - Writing
  //
  // Each of these returns when the write is durable on this device, with a confirmation to wait for if it
  // matters whether the remote applies or rejects the write; with StoreSettings.writes = .confirmed, each
  // waits for that itself.

  /// Sets the fields of the document.
  ///
  /// ```swift
  /// try await page.setData(
  ///   ["title": title, "views": .increment(1), "seen": .serverTimestamp()], merge: true)
  /// ```
  ///
  /// - Parameters:
  ///   - data: the fields, and how their values are computed.
  ///   - merge: whether fields that `data` doesn't contain are kept; maps are merged field by field. By
  ///     default, the document is replaced.
  /// - Returns: the confirmation by the remote, which can be waited for.
  /// - Throws: ``StoreError``; nothing was changed then.
  ///   The remote's rejection comes later: ``WriteConfirmation/confirmed()`` throws it, or this call if
  ///   ``StoreSettings/writes`` says that it waits.
  @discardableResult
  public func setData(_ data: [String: any DocumentValue], merge: Bool = false) async throws
    -> WriteConfirmation
  {
    try await commit(.setting(checkedPath(), DocumentData(data), merge: merge))
  }

  /// Sets the fields of the document, as ``setData(_:merge:)-([String:DocumentValue],_)``.
  @discardableResult @_disfavoredOverload
  public func setData(_ fields: Fields, merge: Bool = false) async throws -> WriteConfirmation {
    try await commit(.setting(checkedPath(), DocumentData(fields), merge: merge))
  }

  /// Sets some fields of the document, and keeps the others.
  ///
  /// - Parameters:
  ///   - data: the fields; those that `mergeFields` doesn't contain are ignored.
  ///   - fields: the fields to set, each of which `data` must contain.
  /// - Returns: the confirmation by the remote, which can be waited for.
  /// - Throws: ``StoreError``; nothing was changed then.
  ///   The remote's rejection comes later: ``WriteConfirmation/confirmed()`` throws it, or this call if
  ///   ``StoreSettings/writes`` says that it waits.
  @discardableResult
  public func setData(
    _ data: [String: any DocumentValue], mergeFields fields: [any FieldPathConvertible]
  ) async throws -> WriteConfirmation {
    try await commit(.merging(checkedPath(), DocumentData(data), fields: fields.map(\.fieldPath)))
  }

  /// Sets some fields of the document, as ``setData(_:mergeFields:)-([String:DocumentValue],_)``.
  @discardableResult @_disfavoredOverload
  public func setData(
    _ data: Fields, mergeFields fields: [any FieldPathConvertible]
  ) async throws -> WriteConfirmation {
    try await commit(.merging(checkedPath(), DocumentData(data), fields: fields.map(\.fieldPath)))
  }

  /// Sets the fields of the document to those that a value encodes.
  ///
  /// - Parameters:
  ///   - value: the value; see ``DocumentID``, ``ServerTimestamp`` and ``ExplicitNull`` for properties of its
  ///     type.
  ///   - merge: whether fields that the value doesn't encode are kept. By default, the document is replaced.
  /// - Returns: the confirmation by the remote, which can be waited for.
  /// - Throws: ``StoreError``; `EncodingError`. Nothing was changed then.
  ///   The remote's rejection comes later: ``WriteConfirmation/confirmed()`` throws it, or this call if
  ///   ``StoreSettings/writes`` says that it waits.
  @discardableResult
  public func setData(from value: some Encodable, merge: Bool = false) async throws -> WriteConfirmation {
    try await commit(.setting(checkedPath(), DocumentData(encoding: value), merge: merge))
  }

  /// Sets some fields of the document to those that a value encodes, and keeps the others.
  ///
  /// - Parameters:
  ///   - value: the value; fields that `mergeFields` doesn't contain are ignored.
  ///   - fields: the fields to set, each of which the value must encode.
  /// - Returns: the confirmation by the remote, which can be waited for.
  /// - Throws: ``StoreError``; `EncodingError`. Nothing was changed then.
  ///   The remote's rejection comes later: ``WriteConfirmation/confirmed()`` throws it, or this call if
  ///   ``StoreSettings/writes`` says that it waits.
  @discardableResult
  public func setData(
    from value: some Encodable, mergeFields fields: [any FieldPathConvertible]
  ) async throws -> WriteConfirmation {
    try await commit(.merging(checkedPath(), DocumentData(encoding: value), fields: fields.map(\.fieldPath)))
  }

  /// Creates the document, which must not exist.
  ///
  /// This device decides what it knows: a document that is in the cache, or that a pending write creates,
  /// exists. A write whose condition only the remote can check is queued; a rejection is thrown by
  /// ``WriteConfirmation/confirmed()``, listed in ``Store/rejectedWrites`` and delivered by
  /// ``Store/writeRejections``.
  ///
  /// - Returns: the confirmation by the remote, which can be waited for.
  /// - Throws: ``StoreError`` with ``StoreError/Code/alreadyExists`` if this device knows that the document
  ///   exists.
  ///   The remote's rejection comes later: ``WriteConfirmation/confirmed()`` throws it, or this call if
  ///   ``StoreSettings/writes`` says that it waits.
  @discardableResult
  public func create(_ data: [String: any DocumentValue]) async throws -> WriteConfirmation {
    try await commit(.setting(checkedPath(), DocumentData(data), precondition: .exists(false)))
  }

  /// Creates the document, as ``create(_:)-([String:DocumentValue])``.
  @discardableResult @_disfavoredOverload
  public func create(_ fields: Fields) async throws -> WriteConfirmation {
    try await commit(.setting(checkedPath(), DocumentData(fields), precondition: .exists(false)))
  }

  /// Creates the document from what a value encodes, as ``create(_:)-([String:DocumentValue])``.
  ///
  /// - Throws: as ``create(_:)-([String:DocumentValue])``; `EncodingError`.
  @discardableResult
  public func create(from value: some Encodable) async throws -> WriteConfirmation {
    try await commit(.setting(checkedPath(), DocumentData(encoding: value), precondition: .exists(false)))
  }

  /// Changes fields of the document, which must exist. Names with dots lead into maps:
  /// `["address.city": "Ulm"]`. A map replaces the field's value.
  ///
  /// This device decides what it knows: that the remote has no such document, that a pending write deletes
  /// it, or that it was changed later than `precondition` says, by others or by a pending write. What only
  /// the remote can know is queued, and this returns also if the remote has no such document; that is thrown
  /// by ``WriteConfirmation/confirmed()``, listed in ``Store/rejectedWrites`` and delivered by
  /// ``Store/writeRejections``.
  ///
  /// - Parameters:
  ///   - fields: the fields and their values, by name (`String`) or by path (`FieldPath`).
  ///   - precondition: the condition on the document; that it exists, by default.
  /// - Returns: the confirmation by the remote, which can be waited for.
  /// - Throws: ``StoreError`` with ``StoreError/Code/notFound`` if this device knows that there is no such
  ///   document, ``StoreError/Code/failedPrecondition`` if it knows that the document has changed since the
  ///   time of `precondition`.
  ///   The remote's rejection comes later: ``WriteConfirmation/confirmed()`` throws it, or this call if
  ///   ``StoreSettings/writes`` says that it waits.
  @discardableResult
  public func updateData<Field: FieldPathConvertible & Hashable>(
    _ fields: [Field: any DocumentValue], if precondition: WritePrecondition = .exists(true)
  ) async throws -> WriteConfirmation {
    try await commit(.updating(checkedPath(), fields, precondition: precondition))
  }

  /// Deletes the document; its collections are kept. Deleting a document that doesn't exist isn't an error,
  /// unless a precondition says so.
  ///
  /// - Parameter precondition: the condition on the document; none by default.
  /// - Returns: the confirmation by the remote, which can be waited for.
  /// - Throws: as ``updateData(_:if:)``.
  @discardableResult
  public func delete(if precondition: WritePrecondition? = nil) async throws -> WriteConfirmation {
    try await commit(DocumentWrite(checkedPath(), .delete, precondition: precondition))
  }

  /// Commits a single write; see ``StoreEngine/commit(_:)``.
  private func commit(_ write: DocumentWrite) async throws -> WriteConfirmation {
    try await store.engine.commit([write])
  }

  // MARK: - Reading

  /// Reads the document.
  ///
  /// If it is known not to exist, the snapshot's ``DocumentSnapshotConvertible/exists`` is `false`; that
  /// isn't an error. Pending writes of this device are applied to what the remote sends.
  ///
  /// - Parameter source: where the document is read. By default the remote is asked, and the cache is used if
  ///   the remote can't be reached. A remote that doesn't respond is waited for for ten seconds, and not
  ///   again until it has responded.
  /// - Returns: the document; ``DocumentSnapshot/metadata`` contains whether it comes from the cache.
  /// - Throws: ``StoreError`` with ``StoreError/Code/unavailable`` if the remote can't be reached, or isn't
  ///   asked, and nothing is known of the document on this device, or if `source` excludes the cache and the
  ///   remote can't be reached; with ``StoreError/Code/failedPrecondition`` if `source` is
  ///   ``FirestoreSource/server`` and the collection exists only on this device; with
  ///   ``StoreError/Code/invalidArgument`` if the path is invalid; with the remote's code, such as
  ///   ``StoreError/Code/permissionDenied``, if it rejects the read; `CancellationError`.
  public func getDocument(source: FirestoreSource = .default) async throws -> DocumentSnapshot {
    let path = try checkedPath()
    let isLocal = try await store.engine.isLocal(collection.id)
    if isLocal, source == .server { throw StoreError.onlyOnDevice(collection.id) }
    let isFinal = store.isLocalOnly || isLocal
    guard !isFinal, source != .cache else {
      let (document, isKnown) =
        isFinal ? (try await store.engine.document(path), true) : try await store.engine.knownDocument(path)
      guard isKnown else {
        throw StoreError(
          .unavailable, "The document \(path.text) isn't in the cache; read it from the server.")
      }
      return DocumentSnapshot(reference: self, document: document, isFromCache: !isFinal)
    }
    let session = await store.engine.beginReading(.document(path))
    let document: StoredDocument?
    do {
      try await session?.fetch([path])
      document = try await store.engine.document(path)
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

  /// Reads the document as a `Decodable` value.
  ///
  /// - Parameters:
  ///   - type: the value's type.
  ///   - source: where the document is read; see ``getDocument(source:)``.
  /// - Throws: as ``getDocument(source:)`` and ``DocumentSnapshotConvertible/data(as:with:)``.
  public func getDocument<Decoded: Decodable>(
    as type: Decoded.Type, source: FirestoreSource = .default
  ) async throws -> Decoded {
    try await getDocument(source: source).data(as: type)
  }

  /// Returns a stream of the document now, and each time it changes.
  ///
  /// A slow reader skips states and gets the newest. The listener ends with the iteration. An invalid path
  /// ends the stream with its error.
  ///
  /// - Parameters:
  ///   - includeMetadataChanges: whether changes of ``DocumentSnapshot/metadata`` alone are delivered.
  ///   - source: whether the remote is asked for changes.
  public func snapshots(
    includeMetadataChanges: Bool = false, source: ListenSource = .default
  ) -> AsyncThrowingStream<DocumentSnapshot, any Error> {
    snapshots(includeMetadataChanges: includeMetadataChanges, source: source) { $0 }
  }

  /// Returns a stream of what a closure makes of each snapshot; see
  /// ``snapshots(includeMetadataChanges:source:)``.
  func snapshots<Snapshot>(
    includeMetadataChanges: Bool, source: ListenSource,
    _ make: @escaping @Sendable (DocumentSnapshot) -> Snapshot
  ) -> AsyncThrowingStream<Snapshot, any Error> {
    let reader: SnapshotReader
    do {
      reader = store.engine.listen(
        to: ListenQuery(try checkedPath()),
        QueryListener.Options(
          includesMetadataChanges: includeMetadataChanges, asksRemote: source == .default))
    } catch {
      return AsyncThrowingStream { throw error }
    }
    return AsyncThrowingStream {
      try await reader.next().map {
        make(
          DocumentSnapshot(
            reference: self, document: $0.documents.first?.document, isFromCache: $0.isFromCache))
      }
    }
  }
}

extension DocumentReference: Hashable, CustomStringConvertible {
  /// Returns whether both refer to the same document of the same database.
  public static func == (left: DocumentReference, right: DocumentReference) -> Bool {
    left.store === right.store && left.resourcePath == right.resourcePath
  }

  /// Hashes the path.
  public func hash(into hasher: inout Hasher) { hasher.combine(resourcePath) }

  /// The path, for example `rooms/den`.
  public var description: String { path }
}

extension DocumentReference {
  /// Unavailable; declared so that the compiler explains how to convert dictionaries of type `[String: Any]`.
  @available(
    *, unavailable,
    message:
      "a value of the dictionary isn't a DocumentValue; declare the dictionary as [String: any DocumentValue], adopt DocumentValue in your type, or use try [String: any DocumentValue](checking: untyped)"
  )
  @discardableResult @_disfavoredOverload
  public func setData(_ data: [String: Any], merge: Bool = false) async throws -> WriteConfirmation {
    .settled()
  }

  /// Unavailable; declared so that the compiler explains how to convert dictionaries of type `[String: Any]`.
  @available(
    *, unavailable,
    message:
      "a value of the dictionary isn't a DocumentValue; declare the dictionary as [String: any DocumentValue], adopt DocumentValue in your type, or use try [String: any DocumentValue](checking: untyped)"
  )
  @discardableResult @_disfavoredOverload
  public func updateData(_ fields: [String: Any]) async throws -> WriteConfirmation { .settled() }
}

extension StoreError {
  /// Runs a closure, and throws errors of the layers below as errors that users see; see ``wrapping(_:)``.
  static func mapping<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw wrapping(error) }
  }
}
