import TenonDocuments
import TenonStoreInterop
public import TenonValues

/// A reference to a collection. A collection exists while it contains documents.
///
/// A reference isn't checked when it is made; the first operation that uses a path that breaks a rule throws
/// a ``StoreError`` with ``StoreError/Code/invalidArgument``.
public struct CollectionReference: Queryable {
  /// The database.
  public let store: Store
  /// The collection's path, unchecked.
  package let resourcePath: ResourcePath

  /// Creates a reference without checking the path.
  init(store: Store, resourcePath: ResourcePath) {
    (self.store, self.resourcePath) = (store, resourcePath)
  }

  /// The collection's path from the root of the database, for example `rooms/den/messages`.
  public var path: String { resourcePath.text }

  /// The collection's ID, the last part of its path.
  public var collectionID: String { resourcePath.id }

  /// The document that contains the collection; `nil` for a collection at the root.
  public var parent: DocumentReference? {
    guard let parent = resourcePath.parent, !parent.segments.isEmpty else { return nil }
    return DocumentReference(store: store, path: parent)
  }

  /// The query for all documents of the collection.
  public var query: Query {
    Query(
      store: store,
      structure: StructuredQuery(
        parent: resourcePath.parent ?? ResourcePath(segments: []), collectionID: resourcePath.id)
    )
  }

  /// Returns a reference to a new document with an ID of twenty random characters.
  public func document() -> DocumentReference {
    DocumentReference(store: store, collection: resourcePath, id: AutomaticID.make())
  }

  /// Returns a reference to a document of the collection.
  ///
  /// - Parameter path: the document's ID, or a path below the collection, for example `den/messages/1`.
  public func document(_ path: String) -> DocumentReference {
    guard path.utf8.contains(UInt8(ascii: "/")) else {
      return DocumentReference(store: store, collection: resourcePath, id: path)
    }
    return DocumentReference(
      store: store,
      path: ResourcePath(segments: resourcePath.segments + ResourcePath(unchecked: path).segments))
  }

  /// Adds a document with a new ID, and returns when it is durable on this device, or when the remote has
  /// applied it if ``StoreSettings/writes`` says so.
  ///
  /// - Parameter data: the fields, and how their values are computed.
  /// - Returns: the reference to the document.
  /// - Throws: ``StoreError``, in particular with ``StoreError/Code/invalidArgument`` if a value can't be
  ///   stored or the path is invalid; nothing was changed then. This call throws the remote's rejection only
  ///   if ``StoreSettings/writes`` says that it waits; otherwise ``Store/onRejectedWrite`` receives it, and
  ///   `document().setData(_:).confirmed()` throws it.
  @discardableResult
  public func addDocument(data: [String: any DocumentValue]) async throws -> DocumentReference {
    let reference = document()
    try await reference.setData(data)
    return reference
  }

  /// Adds a document with a new ID, as ``addDocument(data:)-([String:DocumentValue])``.
  @discardableResult @_disfavoredOverload
  public func addDocument(data: Fields) async throws -> DocumentReference {
    let reference = document()
    try await reference.setData(data)
    return reference
  }

  /// Adds a document with a new ID and the fields that a value encodes.
  ///
  /// - Parameter value: the value, as in ``DocumentReference/setData(from:merge:)``.
  /// - Returns: the reference to the document.
  /// - Throws: ``StoreError``; `EncodingError`. Nothing was changed then. See
  ///   ``addDocument(data:)-([String:DocumentValue])`` for rejections by the remote.
  @discardableResult
  public func addDocument(from value: some Encodable) async throws -> DocumentReference {
    let reference = document()
    try await reference.setData(from: value)
    return reference
  }

  /// Unavailable; declared so that the compiler explains how to convert dictionaries of type `[String: Any]`.
  @available(
    *, unavailable,
    message:
      "a value of the dictionary isn't a DocumentValue; declare the dictionary as [String: any DocumentValue], adopt DocumentValue in your type, or use try [String: any DocumentValue](checking: untyped)"
  )
  @discardableResult @_disfavoredOverload
  public func addDocument(data: [String: Any]) async throws -> DocumentReference { document() }
}

extension CollectionReference: Hashable, CustomStringConvertible {
  /// Returns whether both refer to the same collection of the same database.
  public static func == (left: CollectionReference, right: CollectionReference) -> Bool {
    left.store === right.store && left.resourcePath == right.resourcePath
  }

  /// Hashes the path.
  public func hash(into hasher: inout Hasher) { hasher.combine(resourcePath) }

  /// The path, for example `rooms/den/messages`.
  public var description: String { path }
}
