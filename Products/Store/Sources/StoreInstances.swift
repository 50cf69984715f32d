import TenonAdminInterop
import TenonAuthInterop
import TenonCore
import TenonDocuments
import TenonFoundation
import TenonStorageInterop
import TenonStoreEngine
import TenonTelemetry
import TenonValues

/// The databases of one app. Each is opened at most once per process.
///
/// It is a component of the app, and closes the databases when the app is deleted. A database that was
/// terminated is replaced by a new object at its next use. A lock guards the list.
final class StoreInstances: Sendable {
  /// What databases of administrators use.
  struct Administration: Sendable {
    /// Has the credential; `nil` if Admin isn't linked.
    let interop: Provider<(any AdminInterop)?>
    /// Resolved for a backup in Storage.
    let storage: Provider<(any StorageInterop)?>
  }

  /// What distinguishes the databases.
  private struct Key: Hashable {
    let database: String
    let authority: Authority

    /// The name of the file without its extension: `default` for the default database, whose ID has
    /// parentheses, and `db-ID` for another one. An administrator has other files, so that what the rules hide
    /// from users isn't in theirs.
    var file: String {
      (authority == .admin ? "admin-" : "")
        + (database == Store.defaultDatabase ? "default" : "db-\(database)")
    }
  }

  private let directory: String?
  private let backend: AppBackend.Kind
  private let auth: Provider<(any AuthInterop)?>
  private let remote: SelectedRemote
  private let storage: Provider<(any StorageInterop)?>
  private let admin: Administration
  private let telemetry: Telemetry
  /// The databases, including those that were terminated and not used since.
  private let stores = Lock<[Key: Store]>([:])

  /// - Parameters:
  ///   - directory: the directory of the databases; `nil` for in-memory databases.
  ///   - backend: the app's backend.
  ///   - auth: resolved when a database first needs the signed-in user, which a local-only database never
  ///     does.
  ///   - remote: resolved for the first database that isn't local-only.
  ///   - storage: resolved for a backup in Storage.
  ///   - admin: what the databases of administrators use.
  ///   - telemetry: the log, the metrics and the spans of the databases.
  init(
    directory: String?, backend: AppBackend.Kind, auth: Provider<(any AuthInterop)?>,
    remote: SelectedRemote, storage: Provider<(any StorageInterop)?>, admin: Administration,
    telemetry: Telemetry
  ) {
    self.directory = directory
    self.backend = backend
    self.auth = auth
    self.remote = remote
    self.storage = storage
    self.admin = admin
    self.telemetry = telemetry
  }

  /// Returns the database with an ID, creating it if it isn't in use. Its file is opened when it is first
  /// used.
  ///
  /// - Parameters:
  ///   - database: the ID: `(default)`, or 4 to 63 lower-case letters, digits and hyphens, of which the first
  ///     is a letter and the last isn't a hyphen.
  ///   - settings: the settings; `nil` for those with which it is in use, or the default ones.
  ///   - authority: on whose authority it is used.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the ID, an index or a collection is
  ///   invalid, or an administrator's database is local-only, and with
  ///   ``StoreError/Code/failedPrecondition`` if the database is in use with other settings, or Admin isn't
  ///   linked although its authority is requested; the error of the container if the remote can't be resolved.
  func store(database: String, settings: StoreSettings?, as authority: Authority) throws -> Store {
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
    let key = Key(database: database, authority: authority)
    if authority == .admin { try checkAdministration(of: database, settings) }
    let store = try openStore(key) ?? makeStore(key, settings ?? StoreSettings())
    if let settings, store.engine.configuration.settings != settings {
      throw StoreError(
        .failedPrecondition,
        "The database \(database) is in use with other settings; give them with its first use, or terminate it before."
      )
    }
    return store
  }

  /// Returns the database if it is in use; `nil` if it was never used or has been terminated.
  private func openStore(_ key: Key) -> Store? {
    stores.withLock { stores in stores[key].flatMap { $0.engine.isOver ? nil : $0 } }
  }

  /// Checks that a database can be used as an administrator.
  private func checkAdministration(of database: String, _ settings: StoreSettings?) throws {
    guard try admin.interop.get() != nil else {
      throw StoreError(
        .failedPrecondition,
        "The database \(database) can't be used as an administrator, because no linked library has an administrator's "
          + "credential. Link the product TenonAdmin.")
    }
    guard settings?.isLocalOnly != true else {
      throw StoreError(
        .invalidArgument,
        "A database of this device alone has no rules, so it isn't used as an administrator. Leave out \"as: .admin\", or "
          + "isLocalOnly.")
    }
  }

  /// Creates a database; if another task has created it in the meantime, returns that one.
  ///
  /// - Throws: the error of ``SelectedRemote/get()`` if the remote can't be resolved.
  private func makeStore(_ key: Key, _ settings: StoreSettings) throws -> Store {
    // Outside the lock, because this resolves components.
    let remote = settings.isLocalOnly ? nil : try remote.get()
    var configuration = StoreEngine.Configuration(
      path: directory.map { "\($0)/\(key.file).sqlite" }, database: key.database, logger: telemetry.logger,
      backend: backend, remote: remote, isLocalOnly: settings.isLocalOnly,
      auth: { [auth] in try auth.get() }, storage: { [storage] in try storage.get() }, settings: settings)
    configuration.telemetry = telemetry
    if key.authority == .admin {
      configuration.isAdministrators = true
      configuration.auth = { nil }
      configuration.storage = { [admin] in try admin.storage.get() }
    }
    return stores.withLock { [configuration] stores in
      if let store = stores[key], !store.engine.isOver { return store }
      let store = Store(StoreEngine(configuration))
      stores[key] = store
      return store
    }
  }

  /// Returns the IDs of the databases that are in use or have a file, sorted, without those of administrators.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/unavailable`` if the directory can't be read.
  func databases() throws -> [String] {
    var ids = Set(
      stores.withLock { stores in
        stores.filter { $0.key.authority == .user && !$0.value.engine.isOver }.map(\.key.database)
      })
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
