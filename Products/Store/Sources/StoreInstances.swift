import TenonAuthInterop
import TenonCore
import TenonDocuments
import TenonFoundation
import TenonStorageInterop
import TenonStoreEngine
import TenonValues

/// The databases of one app. Each is opened at most once per process.
///
/// It is a component of the app, and closes the databases when the app is deleted. A database that was
/// terminated is replaced by a new object at its next use. A lock guards the list.
final class StoreInstances: Sendable {
  private let directory: String?
  private let backend: AppBackend.Kind
  private let auth: Provider<(any AuthInterop)?>
  private let remote: SelectedRemote
  private let storage: Provider<(any StorageInterop)?>
  private let logger: AppLogger
  /// The databases by ID, including those that were terminated and not used since.
  private let stores = Lock<[String: Store]>([:])

  /// - Parameters:
  ///   - directory: the directory of the databases; `nil` for in-memory databases.
  ///   - backend: the app's backend.
  ///   - auth: resolved when a database first needs the signed-in user, which a local-only database never
  ///     does.
  ///   - remote: resolved for the first database that isn't local-only.
  ///   - storage: resolved for a backup in Storage.
  ///   - logger: the logger of the databases.
  init(
    directory: String?, backend: AppBackend.Kind, auth: Provider<(any AuthInterop)?>,
    remote: SelectedRemote, storage: Provider<(any StorageInterop)?>, logger: AppLogger
  ) {
    self.directory = directory
    self.backend = backend
    self.auth = auth
    self.remote = remote
    self.storage = storage
    self.logger = logger
  }

  /// Returns the database with an ID, creating it if it isn't in use. Its file is opened when it is first
  /// used.
  ///
  /// - Parameters:
  ///   - database: the ID: `(default)`, or 4 to 63 lower-case letters, digits and hyphens, of which the first
  ///     is a letter and the last isn't a hyphen.
  ///   - settings: the settings; `nil` for those with which it is in use, or the default ones.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the ID, an index or a collection is
  ///   invalid, and with ``StoreError/Code/failedPrecondition`` if the database is in use with other
  ///   settings; the error of the container if the remote can't be resolved.
  func store(database: String, settings: StoreSettings?) throws -> Store {
    guard database == Store.defaultDatabase || database.wholeMatch(of: /[a-z][a-z0-9-]{2,61}[a-z0-9]/) != nil
    else {
      throw StoreError(
        .invalidArgument,
        "\"\(database)\" can't name a database: a name has 4 to 63 lower-case letters, digits and "
          + "hyphens, beginning with a letter, or \(Store.defaultDatabase)."
      )
    }
    for index in settings?.indexes ?? [] { try index.check() }
    for override in settings?.fieldOverrides ?? [] { try override.check() }
    for id in (settings?.localCollections ?? []).sorted() {
      try checked { () throws(DocumentError) in try ResourcePath(segments: [id]).checkCollection() }
    }
    let store = try openStore(database) ?? makeStore(database, settings ?? StoreSettings())
    if let settings, store.engine.configuration.settings != settings {
      throw StoreError(
        .failedPrecondition,
        "The database \(database) is in use with other settings; give them with its first use, or terminate it before."
      )
    }
    return store
  }

  /// Returns the database if it is in use; `nil` if it was never used or has been terminated.
  private func openStore(_ database: String) -> Store? {
    stores.withLock { stores in stores[database].flatMap { $0.engine.isOver ? nil : $0 } }
  }

  /// Creates a database; if another task has created it in the meantime, returns that one. In the app's
  /// directory, the file of the default database is `default.sqlite`, and that of another one begins with
  /// `db-` and its ID.
  ///
  /// - Throws: the error of ``SelectedRemote/get()`` if the remote can't be resolved.
  private func makeStore(_ database: String, _ settings: StoreSettings) throws -> Store {
    // Outside the lock, because this resolves components.
    let remote = settings.isLocalOnly ? nil : try remote.get()
    // The parentheses of the default database's ID aren't used in a file name.
    let file = database == Store.defaultDatabase ? "default" : "db-\(database)"
    let configuration = StoreEngine.Configuration(
      path: directory.map { "\($0)/\(file).sqlite" }, database: database, logger: logger, backend: backend,
      remote: remote, isLocalOnly: settings.isLocalOnly,
      auth: { [auth] in try auth.get() }, storage: { [storage] in try storage.get() }, settings: settings)
    return stores.withLock { stores in
      if let store = stores[database], !store.engine.isOver { return store }
      let store = Store(StoreEngine(configuration))
      stores[database] = store
      return store
    }
  }

  /// Returns the IDs of the databases that are in use or have a file, sorted.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/unavailable`` if the directory can't be read.
  func databases() throws -> [String] {
    var ids = Set(stores.withLock { stores in stores.filter { !$0.value.engine.isOver }.keys })
    if let directory {
      do {
        for file in try FileManager.default.contentsOfDirectory(atPath: directory)
        where file.hasSuffix(".sqlite") {
          let name = file.dropLast(".sqlite".count)
          if name == "default" { ids.insert(Store.defaultDatabase) }
          if name.hasPrefix("db-") { ids.insert(String(name.dropFirst("db-".count))) }
        }
      } catch {
        throw StoreError(.unavailable, "The directory \(directory) can't be read.", underlying: error)
      }
    }
    return ids.sorted()
  }

  /// Closes all databases. Operations on them throw ``StoreError/Code/closed`` from then on.
  func close() async {
    for store in stores.withLock({ Array($0.values) }) { await store.engine.close() }
  }
}
