import TenonAuthInterop
public import TenonCore
import TenonDocuments
import TenonStoreInterop

/// A database of documents that is whole without a network, with the data model of Firestore.
///
/// ```swift
/// let store = try Store.store()
/// let notes = try store.collection("notes")
/// try await notes.document("tea").set(["title": "Tea", "rating": 5])
/// for try await snapshot in notes.where("rating", .greaterThan, 3).snapshots { print(snapshot.documents.count) }
/// ```
///
/// Documents are kept by SQLite in the app's directory, or in memory when the app keeps everything there. A write that
/// has returned is durable. An app has as many databases as it names; several processes may use the same one, and
/// listeners in one see what the others write.
///
/// Documents are shared through the `StoreRemote` that a linked library provides: writes wait in a queue until it has
/// confirmed them, and listeners and reads ask it while it can be reached. Without one, writes wait on this device, reads come
/// from the cache, and what needs the remote throws ``StoreError/Code/unavailable``. A database for which
/// ``StoreSettings/isLocalOnly`` was requested has no remote: what is on this device is the truth.
///
/// Operations throw ``StoreError``, and `CancellationError` when their task is cancelled.
public final class Store: Sendable {
  /// The id of the default database.
  public static let defaultDatabase = "(default)"

  /// The database's id.
  public let database: String
  let engine: StoreEngine

  init(_ engine: StoreEngine) {
    database = engine.configuration.database
    self.engine = engine
  }

  /// Whether documents come from and go to a remote, even if none is linked now. Otherwise what is on this device is the truth.
  var isShared: Bool { !engine.configuration.isLocalOnly }

  /// A database of an app; it is opened when it is first used.
  ///
  /// - Parameters:
  ///   - app: the app, the default one when `nil`.
  ///   - database: the database's id: `(default)`, or 4 to 63 lower-case letters, digits and hyphens.
  ///   - settings: how documents are kept, and the declared indexes; those of the first call when `nil`, or the usual ones.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument``, and with ``StoreError/Code/failedPrecondition`` when
  ///   the database is in use with other settings; the error of the app's container.
  public static func store(
    app: App? = nil, database: String = defaultDatabase, settings: StoreSettings? = nil
  ) throws -> Store {
    try instances(of: app).store(database: database, settings: settings)
  }

  /// The ids of an app's databases, in their order: those that are in use, and those that are kept on this device.
  ///
  /// - Parameter app: the app, the default one when `nil`.
  /// - Throws: ``StoreError`` with ``StoreError/Code/unavailable`` when the app's directory can't be read; the error of the
  ///   app's container.
  public static func databases(app: App? = nil) throws -> [String] {
    try instances(of: app).databases()
  }

  private static func instances(of app: App?) throws -> StoreInstances {
    try (app ?? App.default).resolve(StoreInstances.self, from: StoreLibrary.self)
  }

  /// The id of the user who is signed in to the app; `nil` when nobody is, or Auth isn't linked.
  ///
  /// - Throws: Auth's error when the session can't be read, or Auth isn't configured.
  public var currentUserID: String? {
    get async throws { try await engine.configuration.auth()?.currentUserID }
  }

  // MARK: - References

  /// A collection by its path, for example `rooms/den/messages`.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument``.
  public func collection(_ path: String) throws -> CollectionReference {
    CollectionReference(
      store: self,
      path: try checked { () throws(DocumentError) in try ResourcePath(collection: path) }
    )
  }

  /// A document by its path, for example `rooms/den`.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument``.
  public func document(_ path: String) throws -> DocumentReference {
    DocumentReference(
      store: self,
      path: try checked { () throws(DocumentError) in try ResourcePath(document: path) }
    )
  }

  /// Every collection of an id, wherever it lies.
  public func collectionGroup(_ id: String) -> Query {
    Query(
      store: self,
      structure: StructuredQuery(parent: ResourcePath(segments: []), collectionID: id, allDescendants: true)
    )
  }

  /// Writes that are made together or not at all.
  public func batch() -> WriteBatch { WriteBatch(store: self) }
}

/// Runs what checks rules, and throws what users catch.
func checked<Result>(_ body: () throws(DocumentError) -> Result) throws -> Result {
  do { return try body() } catch { throw StoreError.wrapping(error) }
}
