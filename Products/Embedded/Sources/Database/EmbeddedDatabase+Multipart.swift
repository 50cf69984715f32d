import TenonFoundation
import TenonJSON
import TenonSQLite
import TenonValues

/// The multipart uploads of the XML API.
extension EmbeddedDatabase {
  /// Inserts an upload. The oldest ones are deleted if there are too many, and those that are too old.
  func insert(_ upload: MultipartUpload, now: Timestamp) throws {
    let connection = try opened()
    let old = try connection.rows(
      """
      SELECT id FROM multipart_uploads WHERE started < ?1
      UNION SELECT * FROM (SELECT id FROM multipart_uploads ORDER BY started DESC LIMIT -1 OFFSET ?2)
      """,
      [
        .integer(now.millisecondsSince1970 - ObjectUpload.lifetime),
        .integer(MultipartUpload.limit - 1),
      ]
    ) { row in row.text(0) }
    for id in old { try deleteMultipart(id) }
    try connection.run(
      "INSERT INTO multipart_uploads (id, bucket, name, started, record) VALUES (?, ?, ?, ?, ?)",
      [
        .text(upload.id), .text(upload.bucket), .text(upload.name), .integer(upload.started),
        .blob(JSONEncoder().encode(upload)),
      ])
  }

  /// Returns an upload; `nil` if there is none.
  func multipart(_ id: String) throws -> MultipartUpload? {
    try opened().first("SELECT record FROM multipart_uploads WHERE id = ?", [.text(id)]) { row in
      try JSON.decode(MultipartUpload.self, from: row.blob(0))
    }
  }

  /// Returns the uploads of a bucket, in the order of the names of their objects.
  func multiparts(in bucket: String) throws -> [MultipartUpload] {
    try opened().rows(
      "SELECT record FROM multipart_uploads WHERE bucket = ? ORDER BY name, started, id", [.text(bucket)]
    ) { row in try JSON.decode(MultipartUpload.self, from: row.blob(0)) }
  }

  /// Stores a part, which replaces another one with the same number.
  func save(_ part: UploadedPart, of upload: String) throws {
    let connection = try opened()
    let replaced = try connection.first(
      "SELECT content FROM parts WHERE upload = ? AND number = ?", [.text(upload), .integer(part.number)]
    ) { row in row.integer(0) }
    try connection.run(
      """
      INSERT OR REPLACE INTO parts (upload, number, content, size, md5, crc32c, updated)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(upload), .integer(part.number), .integer(part.content), .integer(part.digest.size),
        .text(part.digest.md5), .text(part.digest.crc32c), .integer(part.updated),
      ])
    if let replaced { try deleteContent(replaced) }
  }

  /// Returns the parts of an upload, in the order of their numbers.
  func parts(of upload: String) throws -> [UploadedPart] {
    try opened().rows(
      "SELECT number, content, size, md5, crc32c, updated FROM parts WHERE upload = ? ORDER BY number",
      [.text(upload)]
    ) { row in
      UploadedPart(
        number: row.integer(0), content: row.integer(1),
        digest: StoredDigest(size: max(row.integer(2), 0), md5: row.text(3), crc32c: row.text(4)),
        updated: row.integer(5))
    }
  }

  /// Deletes an upload with its parts.
  func deleteMultipart(_ id: String) throws {
    let contents = try parts(of: id).map(\.content)
    try opened().run("DELETE FROM parts WHERE upload = ?", [.text(id)])
    try opened().run("DELETE FROM multipart_uploads WHERE id = ?", [.text(id)])
    for content in contents { try deleteContent(content) }
  }

  /// Deletes the uploads that were begun before a time, and returns the contents of the parts of all others.
  ///
  /// - Parameter limit: the time in milliseconds since 1970.
  func contentsOfParts(deletingUploadsBefore limit: Int64) throws -> Set<Int64> {
    let old = try opened().rows(
      "SELECT id FROM multipart_uploads WHERE started < ?", [.integer(limit)]
    ) { row in row.text(0) }
    for id in old { try deleteMultipart(id) }
    return Set(try opened().rows("SELECT content FROM parts", []) { row in row.integer(0) })
  }
}
