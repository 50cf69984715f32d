import TenonFoundation
import TenonSQLite
import TenonValues

/// What a database knows about its pending writes and those before: it decides which pending writes of a
/// backup are sent after a restoration.
///
/// The IDs of batches are never reused (`AUTOINCREMENT`). A batch of the backup that is no longer in the
/// queue of the same database, although its ID was assigned there, was answered by the remote or cancelled
/// since, and must not be sent again. The global value `identity` tells whether the backup is one of the same
/// database; it is created by the first backup.
struct QueueHistory {
  /// The identity; `nil` if there never was a backup.
  let identity: String?
  /// The unique IDs of the pending batches of all users.
  let batches: Set<String>
  /// The greatest ID that was assigned to a batch.
  let newest: Int64

  /// Reads the history of a database.
  ///
  /// - Parameter connection: a connection to a database with the current schema.
  /// - Throws: `SQLiteError`.
  init(_ connection: Connection) throws {
    identity =
      try connection.first("SELECT value FROM globals WHERE name = 'identity'") { $0.text(0) }
    batches = Set(try connection.rows("SELECT uuid FROM batches") { $0.text(0) })
    newest =
      try connection.first("SELECT seq FROM sqlite_sequence WHERE name = 'batches'") { $0.integer(0) } ?? 0
  }
}

extension LocalDatabase {
  /// Gives the database an identity, unless it has one, so that a later restoration recognizes its own
  /// backup.
  ///
  /// - Throws: `SQLiteError`.
  func identify() throws {
    guard try tables.globals.text("identity") == nil else { return }
    try transactions.write { try renew(in: $0) }
  }

  /// Gives the database a new identity.
  private func renew(in transaction: WriteTransaction) throws {
    try tables.globals.set("identity", .text(UUID().uuidString), in: transaction)
  }

  /// Prepares the queue of a restored database, which is about to replace another one.
  ///
  /// Pending writes that were answered or cancelled since the backup are removed, and their effects with
  /// them. The tokens of write streams are removed, because the remote accepts only the newest one. The
  /// identity is kept if the queue has only lost writes in this way; otherwise a later restoration must not
  /// conclude anything from this one, so that a write may be sent twice, but none is lost.
  ///
  /// - Parameters:
  ///   - restored: the history of this database.
  ///   - present: the history of the database that it replaces; `nil` if there is none.
  /// - Throws: `SQLiteError`; an error if a stored document or batch can't be decoded.
  func continueQueue(_ restored: QueueHistory, after present: QueueHistory?) throws {
    try transactions.write { transaction in
      try transaction.run("DELETE FROM globals WHERE substr(name, 1, 6) = 'token:'")
      guard let present, let identity = restored.identity, identity == present.identity else {
        if restored.identity != nil { try renew(in: transaction) }
        return
      }
      try removeBatches(answeredIn: present, in: transaction)
      // The IDs of batches that this restoration discards aren't assigned again.
      try transaction.run(
        "UPDATE sqlite_sequence SET seq = ? WHERE name = 'batches' AND seq < ?",
        [.integer(present.newest), .integer(present.newest)])
      try transaction.run(
        """
        INSERT INTO sqlite_sequence (name, seq) SELECT 'batches', ? \
        WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'batches')
        """,
        [.integer(present.newest)])
      if !present.batches.isSubset(of: restored.batches) { try renew(in: transaction) }
    }
  }

  /// Removes the batches that are no longer in the queue of the database that is replaced. The documents of
  /// the current user's batches are recomputed without them.
  private func removeBatches(answeredIn present: QueueHistory, in transaction: WriteTransaction) throws {
    let rows = try tables.reader.rows(
      "SELECT id, user, uuid FROM batches WHERE id <= ? ORDER BY id", [.integer(present.newest)]
    ) { (id: $0.integer(0), user: $0.text(1), uuid: $0.text(2)) }
    for row in rows where !present.batches.contains(row.uuid) {
      guard let batch = try tables.queue.batch(row.id) else { continue }
      _ = try tables.queue.remove(batch, of: row.user, in: transaction)
      // The documents show only the writes of the current user.
      guard row.user == user ?? "" else { continue }
      for path in batch.paths {
        try tables.overlays.rebase(path, on: try tables.overlays.base(of: path), in: transaction)
        try tables.uses.touch(path, in: transaction)
      }
    }
  }
}
