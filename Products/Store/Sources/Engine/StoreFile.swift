import Foundation
import TenonSQLite

/// Where a database is kept: opening it, and putting a damaged one aside.
struct StoreFile: Sendable {
  /// The file; `nil` for a database in memory.
  let path: String?
  /// The name by which SQLite knows the disk; the default one when `nil`. Tests have one that fails.
  var disk: String?

  /// Opens the database, creates it if need be, and brings it up to date.
  func open() throws -> Connection {
    let connection = try Connection.open(path, migrations: LocalSchema.migrations, disk: disk)
    guard try LocalSchema.statements(in: connection).isSuperset(of: LocalSchema.statements) else {
      throw StoreError.damaged(path, "its tables aren't those of its version")
    }
    return connection
  }

  /// Whether the file can't be used, or documents in it can't be read.
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

  /// Moves a damaged database to a new name beside its old one, with its log. Nobody may have it open.
  ///
  /// - Returns: where it is now.
  func setAside(_ path: String, at moment: Date = Date()) throws -> String {
    try Connection.withoutConnections(to: path, disk: disk) {
      let aside = Self.freeName(path, moment)
      // The file goes first: a log without its file is noticed when the database is opened, and can be set aside then.
      for part in ["", "-wal", "-walmark"] where FileManager.default.fileExists(atPath: path + part) {
        try FileManager.default.moveItem(atPath: path + part, toPath: aside + part)
      }
      // Only tells what is where in the log; SQLite makes it anew.
      try? FileManager.default.removeItem(atPath: "\(path)-shm")
      return aside
    }
  }

  /// `default.sqlite.damaged-20260102T030405Z`, with something behind it where that is taken.
  private static func freeName(_ path: String, _ moment: Date) -> String {
    let time = moment.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    let name = "\(path).damaged-\(time)"
    let isFree = !FileManager.default.fileExists(atPath: name)
    return isFree ? name : "\(name)-\(UUID())"
  }

  /// What SQLite says of the form of everything in the file; it doesn't know what should be in the documents.
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
