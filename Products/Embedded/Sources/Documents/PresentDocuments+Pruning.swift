import TenonSQLite
import TenonValues

extension PresentDocuments {
  /// Deletes the changes and results of all databases that needn't be kept. Resume tokens from before become
  /// invalid. The last commit of each database is kept, because it must still be sent to listeners.
  ///
  /// - Parameters:
  ///   - connection: the connection, inside a transaction.
  ///   - now: the current time.
  ///   - kept: the part of the history to keep.
  static func prune(
    _ connection: Connection, now: Timestamp, keeping kept: DocumentSchema.Retention = .init()
  ) throws {
    let oldest = now.microsecondsSince1970 - kept.lifetime
    for (id, commitTime) in try connection.rows(
      "SELECT id, moment FROM databases", [], { ($0.integer(0), $0.integer(1)) })
    {
      try pruneChanges(connection, id, before: commitTime, oldest: oldest, kept)
      let limit = try connection.first(
        "SELECT moment FROM answers WHERE database = ? ORDER BY moment DESC LIMIT 1 OFFSET ?",
        [.integer(id), .integer(kept.count)]
      ) { $0.integer(0) }
      try connection.run(
        "DELETE FROM answers WHERE database = ? AND moment <= ?",
        [.integer(id), .integer(max(oldest, limit ?? oldest))]
      )
    }
  }

  /// Deletes the changes of one database that needn't be kept.
  ///
  /// - Parameters:
  ///   - connection: the connection, inside a transaction.
  ///   - id: the number of the database.
  ///   - last: the time of the last commit, which is kept.
  ///   - oldest: the time of the oldest changes to keep.
  ///   - kept: the part of the history to keep.
  private static func pruneChanges(
    _ connection: Connection, _ id: Int64, before last: Int64, oldest: Int64, _ kept: DocumentSchema.Retention
  ) throws {
    var count = 0
    var bytes = 0
    var keptBytes: Int64 = 0
    var present: Int64?
    var horizon: Int64?
    try connection.forEachRow(
      "SELECT moment, ifnull(length(fields), 0) FROM changes WHERE database = ? ORDER BY moment DESC",
      [.integer(id)]
    ) { row in
      let commitTime = row.integer(0)
      if commitTime != present {
        // The changes of a commit are kept or deleted as a whole.
        keptBytes = Int64(clamping: bytes)
        present = commitTime
      }
      count += 1
      // Checked: sizes of blobs.
      bytes += Int(clamping: row.integer(1))
      guard commitTime < last, commitTime <= oldest || count > kept.count || bytes > kept.bytes else {
        return true
      }
      horizon = commitTime
      return false
    }
    guard let horizon else { return }
    try connection.run(
      "DELETE FROM changes WHERE database = ? AND moment <= ?", [.integer(id), .integer(horizon)])
    try connection.run(
      "UPDATE databases SET horizon = ?, change_bytes = ? WHERE id = ?",
      [.integer(horizon), .integer(keptBytes), .integer(id)]
    )
  }
}
