import Foundation
import TenonSQLite

/// The file of a database: opening it, and setting a damaged one aside.
struct StoreFile: Sendable {
  /// The file; `nil` for a database in memory.
  let path: String?
  /// The name of the disk (VFS) in SQLite; the default one if `nil`. Tests have one that fails.
  var disk: String?

  /// Opens the database; creates or migrates it if necessary.
  func open() throws -> Connection {
    let connection = try Connection.open(path, migrations: LocalSchema.migrations, disk: disk)
    guard try LocalSchema.statements(in: connection).isSuperset(of: LocalSchema.statements) else {
      throw StoreError.damaged(path, "its tables aren't those of its version")
    }
    return connection
  }

  /// Returns whether the file can't be used, or documents in it can't be read.
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
  /// - Returns: the new path.
  func setAside(_ path: String, at time: Date) throws -> String {
    try Connection.withoutConnections(to: path, disk: disk) {
      let aside = Self.freeName(path, time)
      // The file is moved first: a log without its file is detected when the database is opened, and can be set aside then.
      for part in ["", "-wal", "-walmark"] where FileManager.default.fileExists(atPath: path + part) {
        try FileManager.default.moveItem(atPath: path + part, toPath: aside + part)
      }
      // This is only an index of the log; SQLite recreates it.
      try? FileManager.default.removeItem(atPath: "\(path)-shm")
      return aside
    }
  }

  /// `default.sqlite.damaged-20260102T030405Z`, with a suffix if that exists.
  private static func freeName(_ path: String, _ date: Date) -> String {
    let time = date.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    let name = "\(path).damaged-\(time)"
    let isFree = !FileManager.default.fileExists(atPath: name)
    return isFree ? name : "\(name)-\(UUID())"
  }

  /// Returns whether SQLite finds the structure of the file intact; it doesn't know the encoding of documents.
  private static func isSound(_ connection: Connection) throws -> Bool {
    try connection.first("PRAGMA integrity_check(1)") { $0.text(0) } == "ok"
  }

  /// Runs a closure with a copy of a database that was set aside: opening a database changes it.
  ///
  /// - Parameter body: gets the copy, and whether SQLite finds nothing wrong with it.
  static func withCopy<Result>(
    of path: String, _ body: (Connection, _ isSound: Bool) throws -> Result
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
    let connection = try Connection.open(copy, disk: nil, salvages: true)
    let isSound = (try? isSound(connection)) ?? false
    return try body(connection, isLogWhole && isSound)
  }
}
