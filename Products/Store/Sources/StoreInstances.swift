import TenonAuthInterop
import TenonCore

/// The databases of one app, each opened once.
final class StoreInstances: Sendable {
  private let directory: String?
  private let auth: (any AuthInterop)?
  private let logger: Logger
  private let stores = Lock<[String: Store]>([:])

  init(directory: String?, auth: (any AuthInterop)?, logger: Logger) {
    self.directory = directory
    self.auth = auth
    self.logger = logger
  }

  func store(database: String) throws(StoreError) -> Store {
    guard database == Store.defaultDatabase || database.wholeMatch(of: /[a-z][a-z0-9-]{2,61}[a-z0-9]/) != nil
    else {
      throw StoreError(
        .invalidArgument,
        "\"\(database)\" can't name a database: it takes 4 to 63 lower-case letters, digits and "
          + "hyphens, beginning with a letter, or \(Store.defaultDatabase)."
      )
    }
    return stores.withLock { stores in
      if let store = stores[database] { return store }
      // The default database's parentheses don't belong in a file name.
      let file = database == Store.defaultDatabase ? "default" : "db-\(database)"
      let engine = StoreEngine(path: directory.map { "\($0)/\(file).sqlite" }, logger: logger)
      let store = Store(database: database, engine: engine, auth: auth)
      stores[database] = store
      return store
    }
  }

  func close() async {
    for store in stores.withLock({ Array($0.values) }) { await store.engine.close() }
  }
}
