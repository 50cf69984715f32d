public import TenonAdminInterop
import TenonAuthInterop
public import TenonCore
import TenonFoundation
import TenonStoreEngine
import TenonStoreInterop

/// A document database that works offline, with the data model of Firestore.
///
/// ```swift
/// let store = try Store.store()
/// let notes = store.collection("notes")
/// try await notes.document("tea").setData(["title": "Tea", "rating": 5])
/// for try await snapshot in notes.whereField("rating", isGreaterThan: 3).snapshots { print(snapshot.count) }
/// ```
///
/// Documents are stored by SQLite in the app's directory, or in memory if the app stores everything there. A
/// write that has returned is durable. An app can have several databases; several processes may use the same
/// one, and their listeners see each other's writes.
///
/// Documents are synchronized with the `StoreRemote` that a linked library provides: writes are queued until
/// it has confirmed them, and listeners and reads use it while it can be reached. Without one, writes stay
/// queued on this device, reads come from the cache, and operations that need the remote throw
/// ``StoreError/Code/unavailable``. A database with ``StoreSettings/isLocalOnly`` has no remote: the
/// documents of this device are authoritative.
///
/// A server with TenonAdmin bypasses the security rules with `Store.store(as: .admin)`: a separate instance with
/// separate files, whose cache and pending writes are never shared with users. Signing in or out doesn't affect
/// it, and rules on the device (``StoreSettings/rules``) don't apply.
///
/// Operations throw ``StoreError``, and `CancellationError` if their task is cancelled.
public final class Store: Sendable {
  /// The ID of the default database.
  public static let defaultDatabase = "(default)"

  /// The database's ID.
  public let database: String
  /// On whose authority the database is used.
  public var authority: Authority { engine.configuration.isAdministrators ? .admin : .user }
  let engine: StoreEngine
  /// The function of ``onConflict``.
  let conflictHandler = Lock<ConflictHandler?>(nil)

  /// Creates a database; ``StoreInstances`` creates one per ID.
  init(_ engine: StoreEngine) {
    database = engine.configuration.database
    self.engine = engine
  }

  /// Whether this device's documents are never synchronized with a remote.
  var isLocalOnly: Bool { engine.configuration.isLocalOnly }

  /// Returns a database of an app, which is opened when it is first used.
  ///
  /// - Parameters:
  ///   - app: the app; `nil` for the default app.
  ///   - database: the database's ID: `(default)`, or 4 to 63 lower-case letters, digits and hyphens.
  ///   - settings: the settings; `nil` for those of the first call, or the default settings.
  ///   - authority: on whose authority the database is used. As `.admin`, a server reads and writes past the
  ///     security rules, with the credential of TenonAdmin.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument``, and with
  ///   ``StoreError/Code/failedPrecondition`` if the database is in use with other settings, or if the authority
  ///   is `.admin` and TenonAdmin isn't linked; the error of the app's container.
  public static func store(
    app: App? = nil, database: String = defaultDatabase, settings: StoreSettings? = nil,
    as authority: Authority = .user
  ) throws -> Store {
    try instances(of: app).store(database: database, settings: settings, as: authority)
  }

  /// Returns the IDs of an app's databases, sorted: those in use and those stored on this device, without those
  /// that are used as an administrator.
  ///
  /// - Parameter app: the app; `nil` for the default app.
  /// - Throws: ``StoreError`` with ``StoreError/Code/unavailable`` if the app's directory can't be read; the
  ///   error of the app's container.
  public static func databases(app: App? = nil) throws -> [String] {
    try instances(of: app).databases()
  }

  /// Returns the databases of an app.
  ///
  /// - Throws: the error of the app's container.
  private static func instances(of app: App?) throws -> StoreInstances {
    try (app ?? App.default).resolve(StoreInstances.self, from: StoreLibrary.self)
  }

  /// The ID of the user who is signed in to the app; `nil` if no user is, or Auth isn't linked, and for an
  /// administrator.
  ///
  /// - Throws: Auth's error if the session can't be read, or Auth isn't configured.
  public var currentUserID: String? {
    get async throws { try await engine.configuration.auth()?.currentUserID }
  }

  // MARK: - References

  /// Returns a reference to a collection by its path, for example `rooms/den/messages`.
  public func collection(_ path: String) -> CollectionReference {
    CollectionReference(store: self, resourcePath: ResourcePath(unchecked: path))
  }

  /// Returns a reference to a document by its path, for example `rooms/den`.
  public func document(_ path: String) -> DocumentReference {
    DocumentReference(store: self, path: ResourcePath(unchecked: path))
  }

  /// Returns the query for the documents of all collections with an ID, at any path.
  public func collectionGroup(_ id: String) -> Query {
    Query(
      store: self,
      structure: StructuredQuery(parent: ResourcePath(segments: []), collectionID: id, allDescendants: true)
    )
  }

  /// Returns a new batch of writes that are applied together or not at all.
  public func batch() -> WriteBatch { WriteBatch(store: self) }
}
