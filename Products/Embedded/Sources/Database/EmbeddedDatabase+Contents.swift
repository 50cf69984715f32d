import Foundation
import TenonSQLite

/// Contents of objects, in pieces. A content belongs to one object, or to an upload that is going on.
extension EmbeddedDatabase {
  /// An empty content. Its id is never used again.
  func insertContent(created: Timestamp) throws -> Int64 {
    let connection = try opened()
    try connection.run("INSERT INTO contents (created) VALUES (?)", [.integer(created.milliseconds)])
    return connection.lastInsertedRowID
  }

  func append(_ piece: Data, to content: Int64, at position: Int64) throws {
    guard !piece.isEmpty else { return }
    try opened().run(
      "INSERT INTO pieces (content, position, bytes) VALUES (?, ?, ?)",
      [.integer(content), .integer(position), .blob(piece)]
    )
  }

  /// At most `count` bytes from a position that is inside of the content; `nil` when the content is gone.
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

  func deleteContent(_ content: Int64) throws {
    try opened().run("DELETE FROM pieces WHERE content = ?", [.integer(content)])
    try opened().run("DELETE FROM contents WHERE id = ?", [.integer(content)])
  }

  /// Removes uploads that nobody went on with, and contents that a crash left without an object.
  func deleteAbandonedContents(before limit: Timestamp) throws {
    let limit = limit.milliseconds
    try transaction { database in
      let connection = try database.opened()
      let unused = "SELECT id FROM contents WHERE created < ? AND id NOT IN (SELECT content FROM objects)"
      try connection.run("DELETE FROM uploads WHERE started < ?", [.integer(limit)])
      try connection.run("DELETE FROM pieces WHERE content IN (\(unused))", [.integer(limit)])
      try connection.run("DELETE FROM contents WHERE id IN (\(unused))", [.integer(limit)])
    }
  }
}
