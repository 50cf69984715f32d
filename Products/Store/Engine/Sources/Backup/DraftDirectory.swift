import TenonCore
import TenonFoundation

/// A hidden directory beside a file for an incomplete copy of a database, with the files that SQLite creates
/// beside it.
///
/// Its name is `.NAME.UUID.partial`. It is locked until ``remove()``, also by the operating system when the
/// process is killed, so that the next copy for the same file recognizes and removes what a killed process
/// has left. Until it is locked, its name has no ending. All methods wait for the disk. Confined to the ``BackupWorker`` that creates it.
final class DraftDirectory {
  /// The directory.
  private let url: URL
  private let lease: QueueLease
  /// The database in the directory, which doesn't exist at first.
  let copy: URL

  private static let ending = ".partial"
  /// The name of the lock's file is derived from that of the database.
  private static func copy(in directory: URL) -> URL { directory.appending(path: "copy.sqlite") }

  /// Creates a directory beside a file, and removes those that killed processes have left for it.
  ///
  /// - Parameters:
  ///   - target: the file, which need not exist.
  ///   - logger: receives an error if the lock can't be created.
  /// - Throws: the error of the file system.
  init(beside target: URL, _ logger: AppLogger) throws {
    let parent = target.deletingLastPathComponent()
    let prefix = ".\(target.lastPathComponent)."
    Self.removeAbandoned(in: parent, prefix, logger)
    let name = "\(prefix)\(UUID())"
    let draft = parent.appending(path: name)
    try FileManager.default.createDirectory(
      at: draft, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let lease = QueueLease(database: Self.copy(in: draft).path, logger: logger)
    let url = parent.appending(path: name + Self.ending)
    do {
      guard lease.acquire() else {
        throw StoreError(.unavailable, "The directory \(draft.path) can't be locked. Try again.")
      }
      // It gets its final name with the lock held, so that no other process takes it for an abandoned one.
      try FileManager.default.moveItem(at: draft, to: url)
    } catch {
      try? FileManager.default.removeItem(at: draft)
      throw error
    }
    (self.url, self.lease, copy) = (url, lease, Self.copy(in: url))
  }

  /// Removes the directories of processes that have ended, which aren't locked. Errors are ignored.
  private static func removeAbandoned(in parent: URL, _ prefix: String, _ logger: AppLogger) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
    where name.hasPrefix(prefix) {
      let directory = parent.appending(path: name)
      guard name.hasSuffix(ending) else {
        if UUID(uuidString: String(name.dropFirst(prefix.count))) != nil { removeUnfinished(directory) }
        continue
      }
      let lease = QueueLease(database: copy(in: directory).path, logger: logger)
      guard FileManager.default.fileExists(atPath: copy(in: directory).path + "-queue"), lease.acquire()
      else { continue }
      try? FileManager.default.removeItem(at: directory)
    }
  }

  /// Removes a directory that didn't get its final name within a minute of its creation, which takes
  /// microseconds. It contains at most the empty file of the lock. A process that was suspended for so long
  /// gets an error.
  private static func removeUnfinished(_ directory: URL) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: directory.path)
    guard let created = attributes?[.modificationDate] as? Date, created < Date(timeIntervalSinceNow: -60)
    else { return }
    try? FileManager.default.removeItem(at: directory)
  }

  /// Removes the directory with everything in it.
  func remove() {
    try? FileManager.default.removeItem(at: url)
    lease.release()
  }
}
