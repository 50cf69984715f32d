import TenonFoundation
import TenonJSON
import TenonSQLite
import TenonValues

/// An object in the database: its metadata and the ID of its content.
struct StoredObject: Sendable, Hashable {
  /// The metadata.
  var record: ObjectRecord
  /// The ID of the content.
  var content: Int64
}

extension EmbeddedDatabase {
  /// Returns a live object; `nil` if there is none.
  ///
  /// - Throws: an error if the record is damaged.
  func object(_ name: String, in bucket: String) throws -> StoredObject? {
    try opened().first(
      "SELECT record, content FROM objects WHERE bucket = ? AND name = ?",
      [.text(bucket), .text(name)]
    ) { row in try stored(row) }
  }

  /// Returns the object in a row of its record and its content.
  ///
  /// - Throws: an error if the record is damaged.
  func stored(_ row: borrowing Row) throws -> StoredObject {
    var record = try JSON.decode(ObjectRecord.self, from: row.blob(0))
    guard record.size >= 0 else {
      throw SQLiteError(
        code: .damaged, message: "the object \(record.name) has the size \(record.size)", resultCode: 0,
        sql: nil,
        path: try opened().path)
    }
    record.retentionExpiration = record.retentionEnd(in: try createdBucket(record.bucket))
    return StoredObject(record: record, content: row.integer(1))
  }

  /// Inserts an object, or replaces the same version of it. The content of a replaced object remains.
  func save(_ object: StoredObject) throws {
    let record = object.record
    guard record.isLive else { return try saveVersion(object) }
    try opened().run(
      """
      INSERT INTO objects (bucket, name, content, record) VALUES (?, ?, ?, ?)
      ON CONFLICT (bucket, name) DO UPDATE SET content = excluded.content, record = excluded.record
      """,
      [
        .text(record.bucket), .text(record.name), .integer(object.content),
        .blob(JSONEncoder().encode(record)),
      ]
    )
  }

  /// Deletes a live object, but not its content.
  func deleteObject(_ name: String, in bucket: String) throws {
    try opened().run("DELETE FROM objects WHERE bucket = ? AND name = ?", [.text(bucket), .text(name)])
  }

  /// The query for the names of live objects from a certain one on. The primary key's index contains all of
  /// its columns, so that it begins with one search and reads no other names.
  static let namesQuery = "SELECT name FROM objects WHERE bucket = ? AND name >= ? ORDER BY name"

  /// Passes the names of objects to a closure, in the order of their UTF-8 bytes. They are read one at a
  /// time.
  ///
  /// - Parameters:
  ///   - bucket: the bucket.
  ///   - start: the first name, inclusive.
  ///   - scope: which objects.
  ///   - body: receives each name; returns `false` to stop.
  func forEachObjectName(
    in bucket: String, from start: String, _ scope: ObjectScope = .live, _ body: (String) throws -> Bool
  ) throws {
    var bindings: [SQLValue] = [.text(bucket), .text(start)]
    if case .softDeleted(let now) = scope { bindings.append(.integer(now)) }
    try opened().forEachRow(scope.namesQuery, bindings) { row in try body(row.text(0)) }
  }

  /// Returns an upload; `nil` if there is none.
  func upload(_ id: String) throws -> ObjectUpload? {
    try opened().first("SELECT record FROM uploads WHERE id = ?", [.text(id)], Self.upload)
  }

  /// Inserts an upload, or replaces the one with the same ID.
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

  /// Deletes uploads that are too old, and the oldest ones if there are too many to insert another one.
  /// Active uploads and those that ended are counted separately. The contents of deleted active uploads are
  /// deleted, too.
  ///
  /// - Parameter now: the current time.
  func pruneUploads(now: Timestamp) throws {
    let connection = try opened()
    var pruned = try connection.rows(
      "SELECT record FROM uploads WHERE is_active IN (0, 1) AND started < ?",
      [.integer(now.millisecondsSince1970 - ObjectUpload.lifetime)], Self.upload)
    for isActive in 0...1 {
      pruned += try connection.rows(
        "SELECT record FROM uploads WHERE is_active = ? ORDER BY started DESC LIMIT -1 OFFSET ?",
        [.integer(isActive), .integer(ObjectUpload.limit - 1)], Self.upload)
    }
    for upload in pruned {
      try connection.run("DELETE FROM uploads WHERE id = ?", [.text(upload.id)])
      // The content of a finished upload belongs to its object, and is kept.
      try deleteContent(upload.content)
    }
  }

  /// Returns the active uploads.
  func activeUploads() throws -> [ObjectUpload] {
    try opened().rows("SELECT record FROM uploads WHERE is_active = 1", [], Self.upload)
  }

  /// Decodes the upload in the first column of a row.
  private static func upload(_ row: borrowing Row) throws -> ObjectUpload {
    try JSON.decode(ObjectUpload.self, from: row.blob(0))
  }
}
