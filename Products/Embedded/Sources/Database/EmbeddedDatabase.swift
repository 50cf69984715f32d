import Foundation
import TenonCore
import TenonSQLite

/// Everything that the embedded backend keeps, in one SQLite database: a file in a directory, or memory.
///
/// It runs on a queue of its own, because SQLite blocks. A write is on the disk when its transaction returns.
actor EmbeddedDatabase {
  private let executor = QueueExecutor(label: "tenon.embedded.database")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private enum State {
    case unopened
    case open(Connection)
    case closed
  }

  /// Accounts belong to a project; several may share a directory.
  let projectID: String
  private let directory: String?
  private let now: @Sendable () -> Timestamp
  private var state = State.unopened

  /// The database is opened with the first request.
  ///
  /// - Parameter directory: where its file is, or is to be; in memory when `nil`.
  init(directory: String?, projectID: String, now: @escaping @Sendable () -> Timestamp) {
    self.directory = directory
    self.projectID = projectID
    self.now = now
  }

  /// Runs `body` as one transaction: all of it is durable when this returns, or nothing happened.
  func transaction<Result: Sendable>(
    _ body: @Sendable (isolated EmbeddedDatabase) throws -> Result
  ) throws -> Result {
    try opened().transaction { try body(self) }
  }

  /// Runs `body`, which only reads, on one state of the database.
  func read<Result: Sendable>(
    _ body: @Sendable (isolated EmbeddedDatabase) throws -> Result
  ) throws -> Result {
    try opened().transaction(.deferred) { try body(self) }
  }

  /// Closes the database. Later requests fail.
  func close() { state = .closed }

  func opened() throws -> Connection {
    switch state {
    case .open(let connection):
      return connection
    case .closed:
      throw Refusal(
        503,
        "The app of this backend was deleted.",
        reason: "backendError",
        statusName: "UNAVAILABLE"
      )
    case .unopened:
      let connection = try Connection.open(try file(), migrations: EmbeddedSchema.migrations)
      state = .open(connection)
      try deleteAbandonedContents(before: Timestamp(milliseconds: now().milliseconds - ObjectUpload.lifetime))
      return connection
    }
  }

  /// The database's file, in a directory that nobody else may enter: it holds hashes and refresh tokens.
  private func file() throws -> String? {
    guard let directory else { return nil }
    let own = "\(directory)/backend"
    try FileManager.default.createDirectory(
      atPath: own,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    return "\(own)/backend.sqlite"
  }
}
