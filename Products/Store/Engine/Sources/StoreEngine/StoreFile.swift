package import TenonCore
import TenonFoundation
package import TenonSQLite

/// The file of a database: opens it, and sets a damaged one aside.
///
/// It holds no resources. ``StoreEngine`` uses it on its executor, because all of its methods wait for the
/// disk.
package struct StoreFile: Sendable {
  /// The path; `nil` for a database in memory.
  let path: String?
  /// The name of the SQLite VFS; `nil` for the default one. Tests use one that fails.
  var disk: String?
  /// The key; `nil` if the database isn't encrypted.
  var key: DatabaseKey?
  /// Receives what ``DraftDirectory`` can't do.
  var logger: AppLogger

  package init(
    path: String?, disk: String? = nil, key: DatabaseKey? = nil,
    logger: AppLogger = AppLogger(source: "tenon-store")
  ) {
    (self.path, self.disk, self.key, self.logger) = (path, disk, key, logger)
  }

  /// Opens the database, creating, migrating or encrypting it if necessary. One that can't be written is
  /// opened for reading.
  ///
  /// - Parameter limit: how long to wait for the locks of other connections; 10 seconds by default.
  /// - Throws: `SQLiteError`; ``StoreError`` with ``StoreError/Code/dataLoss`` if its tables aren't those of
  ///   its version.
  package func open(waitingAtMost limit: Duration = .seconds(10)) throws -> Connection {
    let connection = try openEncrypting(waitingAtMost: limit)
    guard try LocalSchema.statements(in: connection).isSuperset(of: LocalSchema.statements()) else {
      throw StoreError.damaged(path, "its tables aren't those of its version")
    }
    return connection
  }

  /// Opens the database, and encrypts it before if it was created without a key.
  private func openEncrypting(waitingAtMost limit: Duration) throws -> Connection {
    do { return try openWithKey(waitingAtMost: limit) } catch {
      guard let path, let key, (error as? SQLiteError)?.code == .notEncrypted else { throw error }
      try encrypt(path, with: key)
      return try openWithKey(waitingAtMost: limit)
    }
  }

  /// Opens the database, which must have been encrypted with the key.
  private func openWithKey(waitingAtMost limit: Duration) throws -> Connection {
    try Connection.open(
      path, migrations: LocalSchema.migrations, disk: disk, busyTimeout: limit,
      owned: LocalSchema.ownStatements(), key: key)
  }

  /// Encrypts a database that was created without a key: writes an encrypted copy to a directory beside it,
  /// reads it back, and moves it to the place of the database, while no other process can open it. If the
  /// process is killed, one of the two is at that place, and the next attempt removes the directory.
  ///
  /// - Throws: `SQLiteError`; ``StoreError`` with ``StoreError/Code/unavailable`` if another connection has
  ///   the database open, and with ``StoreError/Code/dataLoss`` if it is damaged; the error of the file
  ///   system.
  private func encrypt(_ path: String, with key: DatabaseKey) throws {
    // Recovers the log and verifies it.
    _ = try Connection.open(path, migrations: LocalSchema.migrations, disk: disk)
    let draft = try DraftDirectory(beside: URL(filePath: path), logger)
    defer { draft.remove() }
    let source: Connection
    do { source = try Connection.openExclusively(path, disk: disk, forEncryption: true) } catch let error
      as SQLiteError
      where error.code == .busy
    {
      throw StoreError(
        .unavailable,
        "The database \(path) can't be encrypted, because another process has it open. Close it there, and try again.",
        underlying: error)
    }
    try source.removeLog()
    try source.encrypt(into: draft.copy.path, key: key)
    do {
      let copy = try Connection.open(draft.copy.path, disk: disk, key: key)
      guard try Self.isSound(copy) else { throw StoreError.damaged(path, "its structure is inconsistent") }
      try copy.finishCopy()
    }
    try OpenFile.replace(URL(filePath: path), with: draft.copy)
    // The database is locked until the copy is in its place.
    withExtendedLifetime(source) {}
  }

  /// Returns whether the file can't be used, or documents in it can't be read. A file that doesn't exist is
  /// created.
  ///
  /// - Throws: ``StoreError`` for errors other than damage, for example if another process has locked the
  ///   file.
  /// - Complexity: O(n) in the size of the file.
  func isDamaged() throws -> Bool {
    do {
      let connection = try open()
      return try !Self.isSound(connection) || !StoredDocumentScan(connection).isComplete
    } catch {
      let error = StoreError.wrapping(error)
      if (error as? StoreError)?.code == .dataLoss { return true }
      throw error
    }
  }

  /// Renames a damaged database and its log. No connection may have it open.
  ///
  /// - Parameters:
  ///   - path: the path of the database file.
  ///   - time: the current time, which becomes part of the new name, to the second.
  /// - Returns: the new path.
  /// - Throws: `SQLiteError` with code `busy` if a connection of this or another process has the file open,
  ///   in which case nothing is moved; the error of the file system if a file can't be moved.
  func setAside(_ path: String, at time: Date) throws -> String {
    try Connection.withoutConnections(to: path, disk: disk) {
      let aside = Self.freeName(path, time)
      // The file is moved first: a log without its file is detected when the database is opened, and can be
      // set aside then.
      for part in ["", "-wal", "-walmark"] where FileManager.default.fileExists(atPath: path + part) {
        try FileManager.default.moveItem(atPath: path + part, toPath: aside + part)
      }
      // This file is only an index of the log, which SQLite recreates.
      try? FileManager.default.removeItem(atPath: "\(path)-shm")
      return aside
    }
  }

  /// Returns a name such as `default.sqlite.damaged-20260102T030405Z`, with a suffix if it is in use.
  private static func freeName(_ path: String, _ date: Date) -> String {
    let time = date.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    let name = "\(path).damaged-\(time)"
    let isFree = !FileManager.default.fileExists(atPath: name)
    return isFree ? name : "\(name)-\(UUID())"
  }

  /// Returns whether SQLite finds the structure of the file intact. This doesn't check the encoding of
  /// documents.
  private static func isSound(_ connection: Connection) throws -> Bool {
    try connection.first("PRAGMA integrity_check(1)") { $0.text(0) } == "ok"
  }

  /// Runs `body` with a copy of a database that was set aside, because opening a database changes it. The
  /// copy is deleted afterwards.
  ///
  /// The copy is in a new directory that only the user of the process can read.
  ///
  /// - Parameters:
  ///   - path: the path of the database file.
  ///   - key: the key; `nil` if there is none. It isn't used if the database isn't encrypted.
  ///   - body: called with the copy, and whether SQLite finds no damage in it or its log. The connection must
  ///     not be used afterwards.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws; errors of copying or opening the file.
  static func withCopy<Result>(
    of path: String, key: DatabaseKey?, _ body: (Connection, _ isSound: Bool) throws -> Result
  ) throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-store-\(UUID())")
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: directory) }
    let copy = directory.appending(path: "copy.sqlite").path
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    for part in ["-wal", "-walmark"] where FileManager.default.fileExists(atPath: path + part) {
      try FileManager.default.copyItem(atPath: path + part, toPath: copy + part)
    }
    let isLogWhole = !Connection.isLogDamaged(of: copy)
    let connection = try openDamaged(copy, key: key)
    let isSound = (try? isSound(connection)) ?? false
    return try body(connection, isLogWhole && isSound)
  }

  /// Opens a damaged database, whether or not it is encrypted.
  private static func openDamaged(_ path: String, key: DatabaseKey?) throws(SQLiteError) -> Connection {
    do { return try Connection.open(path, disk: nil, salvages: true, key: key) } catch {
      guard error.code == .notEncrypted else { throw error }
      return try Connection.open(path, disk: nil, salvages: true)
    }
  }
}
