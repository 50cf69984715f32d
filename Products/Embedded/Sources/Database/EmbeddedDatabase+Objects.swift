import Foundation
import TenonSQLite

/// An object as it is kept: what is said of it, and which content is its own.
struct StoredObject: Sendable, Hashable {
  var record: ObjectRecord
  var content: Int64
}

extension EmbeddedDatabase {
  func object(_ name: String, in bucket: String) throws -> StoredObject? {
    try opened().first(
      "SELECT record, content FROM objects WHERE bucket = ? AND name = ?",
      [.text(bucket), .text(name)]
    ) { row in
      let record = try JSONDecoder().decode(ObjectRecord.self, from: row.blob(0))
      return StoredObject(record: record, content: row.integer(1))
    }
  }

  func save(_ object: StoredObject) throws {
    try opened().run(
      """
      INSERT INTO objects (bucket, name, content, record) VALUES (?, ?, ?, ?)
      ON CONFLICT (bucket, name) DO UPDATE SET content = excluded.content, record = excluded.record
      """,
      [
        .text(object.record.bucket), .text(object.record.name), .integer(object.content),
        .blob(JSONEncoder().encode(object.record)),
      ]
    )
  }

  func deleteObject(_ name: String, in bucket: String) throws {
    try opened().run("DELETE FROM objects WHERE bucket = ? AND name = ?", [.text(bucket), .text(name)])
  }

  /// Names from `start` on, in the order of their bytes.
  func objectNames(in bucket: String, from start: String, limit: Int) throws -> [String] {
    try opened().rows(
      "SELECT name FROM objects WHERE bucket = ? AND name >= ? ORDER BY name LIMIT ?",
      [.text(bucket), .text(start), .integer(limit)]
    ) { row in row.text(0) }
  }

  func upload(_ id: String) throws -> ObjectUpload? {
    try opened().first("SELECT record FROM uploads WHERE id = ?", [.text(id)], Self.upload)
  }

  func save(_ upload: ObjectUpload) throws {
    try opened().run(
      """
      INSERT INTO uploads (id, started, is_active, record) VALUES (?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET is_active = excluded.is_active, record = excluded.record
      """,
      [
        .text(upload.id), .integer(upload.started), .integer(upload.status == .active ? 1 : 0),
        .blob(JSONEncoder().encode(upload)),
      ]
    )
  }

  /// Makes room for one more upload: removes those that are too old, and the oldest where there are too many, of the
  /// active ones and of those that have ended alike. What active ones have received goes with them.
  func pruneUploads(now: Timestamp) throws {
    let connection = try opened()
    var pruned = try connection.rows(
      "SELECT record FROM uploads WHERE is_active IN (0, 1) AND started < ?",
      [.integer(now.milliseconds - ObjectUpload.lifetime)], Self.upload)
    for isActive in 0...1 {
      pruned += try connection.rows(
        "SELECT record FROM uploads WHERE is_active = ? ORDER BY started DESC LIMIT -1 OFFSET ?",
        [.integer(isActive), .integer(ObjectUpload.limit - 1)], Self.upload)
    }
    for upload in pruned {
      try connection.run("DELETE FROM uploads WHERE id = ?", [.text(upload.id)])
      // A finished upload's content is the object's.
      let isUsed = try connection.first(
        "SELECT 1 FROM objects WHERE content = ?", [.integer(upload.content)]
      ) { _ in true }
      if isUsed == nil { try deleteContent(upload.content) }
    }
  }

  private static func upload(_ row: borrowing Row) throws -> ObjectUpload {
    try JSONDecoder().decode(ObjectUpload.self, from: row.blob(0))
  }
}
