import TenonFoundation
import TenonSQLite
import TenonValues

/// The contents of objects, stored in chunks. A content belongs to one object or several, if it was copied,
/// or it is the draft of an upload.
extension EmbeddedDatabase {
  /// Inserts an empty content.
  ///
  /// - Returns: the content's ID, which is never reused.
  func insertContent(created: Timestamp) throws -> Int64 {
    let connection = try opened()
    try connection.run("INSERT INTO contents (created) VALUES (?)", [.integer(created.millisecondsSince1970)])
    let content = connection.lastInsertedRowID
    try connection.run("INSERT INTO drafts (content) VALUES (?)", [.integer(content)])
    return content
  }

  /// Appends a chunk to a content.
  ///
  /// - Parameters:
  ///   - piece: the bytes; an empty chunk isn't stored.
  ///   - content: the content's ID.
  ///   - position: the offset of the chunk, which is the size of the content before.
  func append(_ piece: Data, to content: Int64, at position: Int64) throws {
    guard !piece.isEmpty else { return }
    try opened().run(
      "INSERT INTO pieces (content, position, bytes) VALUES (?, ?, ?)",
      [.integer(content), .integer(position), .blob(piece)]
    )
  }

  /// Reads bytes of a content.
  ///
  /// - Parameters:
  ///   - content: the content's ID.
  ///   - position: an offset inside the content.
  ///   - count: the greatest number of bytes; fewer are returned at the end of a chunk.
  /// - Returns: `nil` if the content was deleted.
  func bytes(of content: Int64, from position: Int64, count: Int) throws -> Data? {
    let piece = try opened().first(
      """
      SELECT substr(bytes, ?2 - position + 1, ?3) FROM pieces WHERE content = ?1 AND position <= ?2
      ORDER BY position DESC LIMIT 1
      """,
      [.integer(content), .integer(position), .integer(count)]
    ) { row in row.blob(0) }
    return piece.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Makes a draft the content of an object.
  func keepContent(_ content: Int64) throws {
    try opened().run("DELETE FROM drafts WHERE content = ?", [.integer(content)])
  }

  /// Deletes a content and its chunks, unless an object or an earlier version has it.
  func deleteContent(_ content: Int64) throws {
    let user = try opened().first(
      """
      SELECT 1 FROM objects WHERE content = ?1 UNION ALL SELECT 1 FROM versions WHERE content = ?1 LIMIT 1
      """, [.integer(content)]
    ) { _ in true }
    guard user == nil else { return }
    try keepContent(content)
    try opened().run("DELETE FROM pieces WHERE content = ?", [.integer(content)])
    try opened().run("DELETE FROM contents WHERE id = ?", [.integer(content)])
  }

  /// Deletes the content of a failed upload. If that fails, for example because the disk is full,
  /// ``retryDiscards()`` deletes it later.
  func discard(_ content: Int64) {
    do { try transaction { try $0.deleteContent(content) } } catch { discarded.append(content) }
  }

  /// Deletes the contents that ``discard(_:)`` couldn't delete.
  func retryDiscards() {
    guard !discarded.isEmpty else { return }
    let contents = discarded
    discarded = []
    for content in contents { discard(content) }
  }

  /// Deletes uploads that were abandoned, and the drafts of which no active upload makes use, because the
  /// process that received them ended.
  ///
  /// - Parameters:
  ///   - limit: the time before which they were begun.
  ///   - isAlone: whether no other process uses the database. If so, later drafts without an upload are
  ///     abandoned, too.
  /// - Complexity: O(*n*) in the number of drafts and uploads.
  func deleteAbandonedContents(before limit: Timestamp, isAlone: Bool) throws {
    let limit = limit.millisecondsSince1970
    try transaction { database in
      let connection = try database.opened()
      try connection.run("DELETE FROM uploads WHERE started < ?", [.integer(limit)])
      let parts = try database.contentsOfParts(deletingUploadsBefore: limit)
      let used = parts.union(try database.activeUploads().map(\.content))
      let drafts = try connection.rows(
        "SELECT content, created FROM drafts LEFT JOIN contents ON id = content"
      ) { row in (content: row.integer(0), created: row.integer(1)) }
      for draft in drafts where !used.contains(draft.content) && (isAlone || draft.created < limit) {
        try database.deleteContent(draft.content)
      }
    }
  }
}
