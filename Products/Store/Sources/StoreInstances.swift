import Foundation
import TenonAuthInterop
import TenonCore
import TenonStoreInterop

/// The databases of one app, each opened once.
final class StoreInstances: Sendable {
  private let directory: String?
  private let auth: (any AuthInterop)?
  private let remote: (any StoreRemote)?
  private let logger: Logger
  private let stores = Lock<[String: Store]>([:])

  init(directory: String?, auth: (any AuthInterop)?, remote: (any StoreRemote)?, logger: Logger) {
    self.directory = directory
    self.auth = auth
    self.remote = remote
    self.logger = logger
  }

  func store(database: String, settings: StoreSettings?) throws(StoreError) -> Store {
    guard database == Store.defaultDatabase || database.wholeMatch(of: /[a-z][a-z0-9-]{2,61}[a-z0-9]/) != nil
    else {
      throw StoreError(
        .invalidArgument,
        "\"\(database)\" can't name a database: it takes 4 to 63 lower-case letters, digits and "
          + "hyphens, beginning with a letter, or \(Store.defaultDatabase)."
      )
    }
    for index in settings?.indexes ?? [] { try index.check() }
    let store = stores.withLock { stores in
      // One that was terminated is made anew.
      if let store = stores[database], !store.engine.isOver { return store }
      // The default database's parentheses don't belong in a file name.
      let file = database == Store.defaultDatabase ? "default" : "db-\(database)"
      let store = Store(
        StoreEngine(
          StoreEngine.Configuration(
            path: directory.map { "\($0)/\(file).sqlite" }, database: database, logger: logger,
            remote: remote,
            auth: auth, settings: settings ?? StoreSettings())))
      stores[database] = store
      return store
    }
    if let settings, store.engine.configuration.settings != settings {
      throw StoreError(
        .failedPrecondition,
        "The database \(database) is in use with other settings; give them with its first use, or terminate it before."
      )
    }
    return store
  }

  /// The ids of the databases that are in use or were kept, in their order.
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

  func close() async {
    for store in stores.withLock({ Array($0.values) }) { await store.engine.close() }
  }
}
