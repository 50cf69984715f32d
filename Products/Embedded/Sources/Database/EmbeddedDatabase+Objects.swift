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
    try opened().first("SELECT record FROM uploads WHERE id = ?", [.text(id)]) { row in
      try JSONDecoder().decode(ObjectUpload.self, from: row.blob(0))
    }
  }

  func save(_ upload: ObjectUpload) throws {
    try opened().run(
      """
      INSERT INTO uploads (id, started, record) VALUES (?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET record = excluded.record
      """,
      [.text(upload.id), .integer(upload.started), .blob(JSONEncoder().encode(upload))]
    )
  }
}
