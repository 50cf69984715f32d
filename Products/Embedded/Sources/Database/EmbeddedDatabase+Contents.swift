import TenonSQLite
import TenonStoreInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The contents of objects, stored in chunks. A content belongs to one object, or to an active upload.
extension EmbeddedDatabase {
  /// Inserts an empty content.
  ///
  /// - Returns: The content's ID, which is never reused.
  func insertContent(created: Timestamp) throws -> Int64 {
    let connection = try opened()
    try connection.run("INSERT INTO contents (created) VALUES (?)", [.integer(created.millisecondsSince1970)])
    return connection.lastInsertedRowID
  }

  /// Appends a chunk to a content.
  ///
  /// - Parameters:
  ///   - piece: The bytes; an empty chunk isn't stored.
  ///   - content: The content's ID.
  ///   - position: The offset of the chunk, which is the size of the content before.
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
  ///   - content: The content's ID.
  ///   - position: An offset inside the content.
  ///   - count: The greatest number of bytes; fewer are returned at the end of a chunk.
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

  /// Deletes a content and its chunks.
  func deleteContent(_ content: Int64) throws {
    try opened().run("DELETE FROM pieces WHERE content = ?", [.integer(content)])
    try opened().run("DELETE FROM contents WHERE id = ?", [.integer(content)])
  }

  /// Deletes uploads that were abandoned, and contents that no object refers to because the process ended
  /// during an upload.
  ///
  /// - Parameter limit: The time before which they were begun.
  func deleteAbandonedContents(before limit: Timestamp) throws {
    let limit = limit.millisecondsSince1970
    try transaction { database in
      let connection = try database.opened()
      let unused = "SELECT id FROM contents WHERE created < ? AND id NOT IN (SELECT content FROM objects)"
      try connection.run("DELETE FROM uploads WHERE started < ?", [.integer(limit)])
      try connection.run("DELETE FROM pieces WHERE content IN (\(unused))", [.integer(limit)])
      try connection.run("DELETE FROM contents WHERE id IN (\(unused))", [.integer(limit)])
    }
  }
}
