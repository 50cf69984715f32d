import TenonCore
import TenonFoundation
import TenonStoreInterop

/// The file of a ``DocumentDatabase``. Several apps of this process may have it open; the one that commits
/// notifies the others immediately, without waiting for them to poll.
final class DocumentFile: Sendable {
  /// A database that has the file open. It is removed when it is closed, and ignored once it was released.
  private struct OpenDatabase {
    weak var database: DocumentDatabase?
  }

  /// The open databases by their directories. Symbolic links are resolved, so that different paths to one
  /// file have the same key.
  private static let openDatabases = Lock<[String: [OpenDatabase]]>([:])
  /// The directory of the file.
  private let directory: String
  /// The key of this file in the open databases; `nil` before the file was opened.
  private let key = Lock<String?>(nil)

  /// Creates a value for the file in a directory, which needn't exist.
  init(directory: String) { self.directory = directory }

  /// Returns the path of the file, and creates its directory, to which no other user has access.
  ///
  /// - Throws: `StoreRemoteError` with `failedPrecondition` if the directory can't be created.
  func prepare() throws -> String {
    do {
      try FileManager.default.createDirectory(
        atPath: directory,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw StoreRemoteError(
        .failedPrecondition,
        "The data directory \(directory) can't be created: \(error.systemReason). Check AppOptions.backend.",
        underlying: error)
    }
    return "\(directory)/documents.sqlite"
  }

  /// Adds a database to those that are notified.
  func register(_ database: DocumentDatabase) {
    let key = URL(fileURLWithPath: directory).resolvingSymlinksInPath().path
    self.key.withLock { $0 = key }
    let openDatabase = OpenDatabase(database: database)
    Self.openDatabases.withLock { $0[key, default: []].append(openDatabase) }
  }

  /// Removes a database, and those that were released.
  func unregister(_ database: DocumentDatabase) {
    guard let key = key.withLock({ $0 }) else { return }
    Self.openDatabases.withLock { openDatabases in
      openDatabases[key]?.removeAll { $0.database == nil || $0.database === database }
      if openDatabases[key]?.isEmpty ?? false { openDatabases[key] = nil }
    }
  }

  /// Makes the other databases deliver the commit of one of them to their listeners.
  func notifyOthers(except writer: DocumentDatabase) {
    guard let key = key.withLock({ $0 }) else { return }
    let others = Self.openDatabases.withLock { $0[key]?.compactMap(\.database) ?? [] }
    for other in others where other !== writer { Task { await other.deliverChanges() } }
  }
}
