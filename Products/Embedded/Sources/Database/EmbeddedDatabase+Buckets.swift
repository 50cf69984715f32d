import TenonFoundation
import TenonJSON
import TenonSQLite
import TenonValues

/// A bucket with its properties.
struct StoredBucket: Sendable, Hashable {
  /// The name.
  let name: String
  /// When it was created, in milliseconds since 1970; 0 if it was never created explicitly.
  var created: Int64 = 0
  /// When the properties were last changed, in milliseconds since 1970; 0 if they never were.
  var updated: Int64 = 0
  /// The number of changes to the properties, beginning with 1.
  var metageneration: Int64 = 1
  /// The properties that clients set.
  var properties: [String: JSON] = [:]
  /// The IAM policy; `nil` if clients have set none.
  var policy: JSON?
  /// The notification configurations by their IDs.
  var notifications: [String: JSON] = [:]
}

/// The buckets. One that has objects exists, also if it was never created.
extension EmbeddedDatabase {
  /// Returns a bucket that was created; `nil` if there is none.
  func createdBucket(_ name: String) throws -> StoredBucket? {
    try opened().first(
      "SELECT created, updated, metageneration, properties, policy, notifications FROM buckets WHERE name = ?",
      [.text(name)]
    ) { row in
      StoredBucket(
        name: name, created: row.integer(0), updated: row.integer(1), metageneration: row.integer(2),
        properties: try JSON(parsing: row.blob(3)).object ?? [:],
        policy: try row.optionalBlob(4).map { try JSON(parsing: $0) },
        notifications: try row.optionalBlob(5).flatMap { try JSON(parsing: $0).object } ?? [:])
    }
  }

  /// Returns whether a bucket has objects, live or noncurrent.
  func hasObjects(in bucket: String) throws -> Bool {
    try opened().first(
      """
      SELECT 1 FROM objects WHERE bucket = ?1
      UNION ALL SELECT 1 FROM versions WHERE bucket = ?1 AND expires IS NULL LIMIT 1
      """, [.text(bucket)]
    ) { _ in true } ?? false
  }

  /// Returns the name of the first bucket that was created or has objects, from a certain name on; `nil` if
  /// there is none.
  func bucketName(from start: String) throws -> String? {
    try opened().first(
      """
      SELECT name FROM (
        SELECT * FROM (SELECT name FROM buckets WHERE name >= ?1 ORDER BY name LIMIT 1)
        UNION ALL SELECT * FROM (SELECT bucket FROM objects WHERE bucket >= ?1 ORDER BY bucket LIMIT 1)
      ) ORDER BY name LIMIT 1
      """, [.text(start)]
    ) { row in row.text(0) }
  }

  /// Inserts a bucket, or replaces the one with the same name.
  func save(_ bucket: StoredBucket) throws {
    try opened().run(
      """
      INSERT INTO buckets (name, created, updated, metageneration, properties, policy, notifications)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET created = excluded.created, updated = excluded.updated,
        metageneration = excluded.metageneration, properties = excluded.properties, policy = excluded.policy,
        notifications = excluded.notifications
      """,
      [
        .text(bucket.name), .integer(bucket.created), .integer(bucket.updated),
        .integer(bucket.metageneration), .blob(try JSON.object(bucket.properties).serialized),
        try bucket.policy.map { .blob(try $0.serialized) } ?? .null,
        bucket.notifications.isEmpty ? .null : .blob(try JSON.object(bucket.notifications).serialized),
      ])
  }

  /// Deletes a bucket that was created, with its soft-deleted objects.
  func deleteBucket(_ name: String) throws {
    let contents = try opened().rows("SELECT DISTINCT content FROM versions WHERE bucket = ?", [.text(name)])
    {
      $0.integer(0)
    }
    try opened().run("DELETE FROM versions WHERE bucket = ?", [.text(name)])
    for content in contents { try deleteContent(content) }
    try opened().run("DELETE FROM buckets WHERE name = ?", [.text(name)])
  }
}
