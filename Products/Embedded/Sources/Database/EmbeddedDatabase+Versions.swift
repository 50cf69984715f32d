import TenonFoundation
import TenonSQLite
import TenonValues

/// Which objects of a bucket a list has.
enum ObjectScope: Sendable, Hashable {
  /// Those that are live.
  case live
  /// Those that are live, and the noncurrent versions.
  case versions
  /// Those that are soft-deleted at a time, in milliseconds since 1970.
  case softDeleted(now: Int64)

  /// The query for the names from a certain one on, each once. Both sides of the union are read in the order
  /// of an index, one row at a time.
  var namesQuery: String {
    switch self {
    case .live: EmbeddedDatabase.namesQuery
    case .versions:
      """
      SELECT name FROM objects WHERE bucket = ?1 AND name >= ?2
      UNION SELECT name FROM versions WHERE bucket = ?1 AND name >= ?2 AND expires IS NULL ORDER BY name
      """
    case .softDeleted:
      "SELECT DISTINCT name FROM versions WHERE bucket = ?1 AND name >= ?2 AND expires > ?3 ORDER BY name"
    }
  }
}

/// The versions of objects that are no longer live: noncurrent ones, and soft-deleted ones.
extension EmbeddedDatabase {
  /// The greatest number of expired versions that are deleted in one transaction.
  private static let mostPurged = 100

  /// Returns a version of an object, live or noncurrent; `nil` if there is none.
  ///
  /// - Parameter generation: the generation; `nil` for the live object.
  func object(_ name: String, in bucket: String, generation: Int64?) throws -> StoredObject? {
    let live = try object(name, in: bucket)
    guard let generation, live?.record.generation != generation else { return live }
    return try version(generation, of: name, in: bucket, "expires IS NULL")
  }

  /// Returns a soft-deleted version of an object; `nil` if there is none.
  ///
  /// - Parameter now: the current time, in milliseconds since 1970.
  func softDeletedObject(_ name: String, in bucket: String, generation: Int64, now: Int64) throws
    -> StoredObject?
  {
    try version(generation, of: name, in: bucket, "expires > ?4", [.integer(now)])
  }

  private func version(
    _ generation: Int64, of name: String, in bucket: String, _ condition: String, _ bindings: [SQLValue] = []
  ) throws -> StoredObject? {
    try opened().first(
      "SELECT record, content FROM versions WHERE bucket = ?1 AND name = ?2 AND generation = ?3 AND \(condition)",
      [.text(bucket), .text(name), .integer(generation)] + bindings
    ) { row in try stored(row) }
  }

  /// Inserts a version that isn't live, or replaces it.
  func saveVersion(_ object: StoredObject) throws {
    let record = object.record
    try opened().run(
      """
      INSERT OR REPLACE INTO versions (bucket, name, generation, content, expires, record)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        .text(record.bucket), .text(record.name), .integer(record.generation), .integer(object.content),
        record.hardDeleteTime.map(SQLValue.integer) ?? .null, .blob(JSONEncoder().encode(record)),
      ])
  }

  /// Returns the generations of the versions with a name, in their order. The live object is the last one, as
  /// `Int64.max`.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - bucket: the bucket.
  ///   - scope: which versions.
  ///   - start: the generation with which to begin.
  ///   - limit: the greatest number of generations.
  func generations(of name: String, in bucket: String, _ scope: ObjectScope, from start: Int64, limit: Int)
    throws -> [Int64]
  {
    let (condition, isLive): (String, Bool)
    var bindings: [SQLValue] = [.text(bucket), .text(name), .integer(start), .integer(limit)]
    switch scope {
    case .live: return [.max]
    case .versions: (condition, isLive) = ("expires IS NULL", true)
    case .softDeleted(let now):
      (condition, isLive) = ("expires > ?5", false)
      bindings.append(.integer(now))
    }
    var generations = try opened().rows(
      """
      SELECT generation FROM versions WHERE bucket = ?1 AND name = ?2 AND generation >= ?3 AND \(condition)
      ORDER BY generation LIMIT ?4
      """, bindings
    ) { $0.integer(0) }
    if isLive, generations.count < limit, try object(name, in: bucket) != nil { generations.append(.max) }
    return generations
  }

  /// Returns the greatest generation that a name has had and that is known; 0 if there is none.
  func lastGeneration(of name: String, in bucket: String) throws -> Int64 {
    let earlier = try opened().first(
      "SELECT max(generation) FROM versions WHERE bucket = ? AND name = ?", [.text(bucket), .text(name)]
    ) { $0.integer(0) }
    return max(earlier ?? 0, try object(name, in: bucket)?.record.generation ?? 0)
  }

  /// Checks that an object can be removed from its place now: that nothing holds it or retains it.
  ///
  /// - Throws: ``Refusal`` with status 403.
  func checkRemoval(of record: ObjectRecord, isPermanent: Bool = false, now: Timestamp) throws {
    try record.checkRemoval(from: try createdBucket(record.bucket), isPermanent: isPermanent, now: now)
  }

  /// Removes an object from its place. A live object of a bucket with versioning becomes noncurrent; with a
  /// soft delete policy, any other object becomes soft-deleted. Otherwise it is deleted. Its content remains;
  /// see ``deleteContent(_:)``, which keeps what a version still has.
  ///
  /// - Parameters:
  ///   - object: the object.
  ///   - isPermanent: whether the request names the generation: then a live object doesn't become noncurrent.
  ///   - now: the current time.
  /// - Throws: ``Refusal`` with status 403 if a hold or its retention prevents it.
  func remove(_ object: StoredObject, isPermanent: Bool = false, now: Timestamp) throws {
    let bucket = try createdBucket(object.record.bucket)
    var removed = object.record
    try removed.checkRemoval(from: bucket, isPermanent: isPermanent, now: now)
    if removed.isLive {
      try deleteObject(removed.name, in: removed.bucket)
    } else {
      try opened().run(
        "DELETE FROM versions WHERE bucket = ? AND name = ? AND generation = ?",
        [.text(removed.bucket), .text(removed.name), .integer(removed.generation)])
    }
    if removed.isLive, !isPermanent, bucket?.keepsVersions == true {
      removed.timeDeleted = now.millisecondsSince1970
      try save(StoredObject(record: removed, content: object.content))
      try record(.objectArchived, removed)
      return
    }
    if let period = bucket?.softDeletePeriod {
      removed.softDeleteTime = now.millisecondsSince1970
      removed.hardDeleteTime = now.millisecondsSince1970 + period * 1_000
      try save(StoredObject(record: removed, content: object.content))
    }
    try record(.objectDeleted, object.record)
  }

  /// Deletes soft-deleted objects whose time has come.
  func purgeVersions(now: Timestamp) throws {
    let expired = try opened().rows(
      "SELECT rowid, content FROM versions WHERE expires <= ? ORDER BY expires LIMIT ?",
      [.integer(now.millisecondsSince1970), .integer(Self.mostPurged)]
    ) { row in (id: row.integer(0), content: row.integer(1)) }
    for version in expired {
      try opened().run("DELETE FROM versions WHERE rowid = ?", [.integer(version.id)])
      try deleteContent(version.content)
    }
  }
}
