import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonStoreInterop

/// The documents of one database during one transaction.
///
/// A database that doesn't exist has no documents, and was committed to before all others. The first commit
/// creates it.
final class PresentDocuments: DocumentHistory {
  /// A random text that distinguishes the database from others with the same ID.
  private(set) var identity: String
  /// The prefix of the names of documents: `projects/P/databases/D/documents/`.
  let namePrefix: String
  /// The time of the last commit.
  private(set) var commitTime: Timestamp
  /// The connection, inside a transaction.
  let connection: Connection
  /// The number of the database; 0 if it doesn't exist.
  private(set) var id: Int64
  /// The IDs of the project and the database, with which it is created.
  private let project, name: String
  /// Whether the database exists.
  var exists: Bool { id != 0 }
  /// The time of the last commit whose changes were deleted.
  private let horizon: Timestamp
  /// The size of the documents in the changes, in bytes.
  private(set) var changeBytes: Int
  /// Whether the commit records events for functions.
  var recordsEvents = true
  /// Whether the commit has recorded events.
  private(set) var hasEvents = false
  /// Whether reading a collection stops when the task is cancelled.
  var stopsWhenCancelled = false
  /// The changes by the time since which they were requested. Many listeners request the changes since the
  /// same time.
  private var transitionsSince: [Timestamp: [DocumentTransition]] = [:]

  /// The time of the last commit to a database that doesn't exist.
  private static let never = Timestamp(microsecondsSince1970: 1)

  /// Reads the state of a database.
  init(_ connection: Connection, projectID: String, name: String) throws {
    let row = try connection.first(
      """
      SELECT id, identity, moment, horizon, change_bytes FROM databases WHERE project = ? AND name = ?
      """,
      [.text(projectID), .text(name)]
    ) { row in
      (
        id: row.integer(0), identity: row.text(1), commitTime: row.integer(2), horizon: row.integer(3),
        bytes: row.integer(4)
      )
    }
    (self.connection, self.project, self.name) = (connection, projectID, name)
    changeBytes = row.map { Int(clamping: $0.bytes) } ?? 0
    id = row?.id ?? 0
    identity = row?.identity ?? "none"
    commitTime = row.map { Timestamp(microsecondsSince1970: $0.commitTime) } ?? Self.never
    horizon = row.map { Timestamp(microsecondsSince1970: $0.horizon) } ?? Self.never
    namePrefix = "projects/\(projectID)/databases/\(name)/documents/"
  }

  /// Creates a database if it doesn't exist.
  ///
  /// - Parameters:
  ///   - connection: the connection, inside a transaction.
  ///   - projectID: the ID of the project.
  ///   - name: the ID of the database.
  ///   - now: the time of its creation, which counts as its first commit.
  static func create(
    _ connection: Connection, projectID: String, name: String, now: Timestamp
  ) throws {
    let now = SQLValue.integer(now.microsecondsSince1970)
    try connection.run(
      "INSERT OR IGNORE INTO databases (project, name, identity, moment, horizon) VALUES (?, ?, ?, ?, ?)",
      [.text(projectID), .text(name), .text(RandomText.make(count: 16)), now, now]
    )
  }

  /// Creates the database of this value if it doesn't exist. Listeners that have seen it without documents
  /// receive all changes since.
  func createIfMissing() throws {
    guard !exists else { return }
    try Self.create(connection, projectID: project, name: name, now: Self.never)
    let created = try PresentDocuments(connection, projectID: project, name: name)
    (id, identity) = (created.id, created.identity)
  }

  // MARK: - Reading

  /// Returns a document; `nil` if it doesn't exist.
  ///
  /// - Parameter path: the path of a document.
  /// - Throws: `DocumentError` with `damaged` if the record can't be decoded.
  /// - Complexity: O(log *n*).
  func document(_ path: ResourcePath) throws -> RemoteDocument? {
    guard let collection = path.parent else { return nil }
    return try connection.first(
      "SELECT created, updated, fields FROM documents WHERE database = ? AND collection = ? AND key = ?",
      [.integer(id), .blob(OrderedEncoding.encode(collection)), .blob(Self.key(path))]
    ) { row in try Self.document(path, row.integer(0), row.integer(1), row.blob(2)) }
  }

  /// Calls a closure with each document that matches a query, in any order and regardless of its limit.
  ///
  /// - Complexity: O(*n*) in the number of documents of the collection or group.
  func forEachMatch(of query: ResolvedQuery, _ body: (RemoteDocument) throws -> Void) throws {
    let (condition, bindings) = Self.scope(of: query)
    try connection.forEachRow(
      "SELECT path, created, updated, fields FROM documents WHERE database = ? AND \(condition)",
      [.integer(id)] + bindings
    ) { row in
      if stopsWhenCancelled { try Task.checkCancellation() }
      let path = Self.path(row.text(0))
      guard query.isInScope(path) else { return true }
      let document = try Self.document(path, row.integer(1), row.integer(2), row.blob(3))
      if let fields = document.fields, query.matches(fields, at: document.path) { try body(document) }
      return true
    }
  }

  /// Returns the number of documents that match a query, regardless of its limit. A collection without
  /// filters is counted without reading the documents.
  func count(of query: ResolvedQuery) throws -> Int {
    guard query.holdsEverything, !query.query.coversAllCollections,
      !query.query.allDescendants || query.query.parent.segments.isEmpty
    else {
      var count = 0
      try forEachMatch(of: query) { _ in count += 1 }
      return count
    }
    let (condition, bindings) = Self.scope(of: query)
    return try connection.first(
      "SELECT count(*) FROM documents WHERE database = ? AND \(condition)", [.integer(id)] + bindings
    ) { Int(clamping: $0.integer(0)) } ?? 0
  }

  /// Returns an SQL condition for the documents of a query's collection or group, and its bindings. It holds
  /// for all documents of the query, and may hold for others.
  private static func scope(of query: ResolvedQuery) -> (condition: String, bindings: [SQLValue]) {
    let scope = query.query
    guard scope.coversAllCollections else {
      return scope.allDescendants
        ? ("collection_id = ?", [.text(scope.collectionID)])
        : ("collection = ?", [.blob(OrderedEncoding.encode(query.collection))])
    }
    guard !scope.parent.segments.isEmpty else { return ("true", []) }
    return below(scope.parent)
  }

  /// Returns an SQL condition for all documents below a document or in a collection, and its bindings.
  static func below(_ path: ResourcePath) -> (condition: String, bindings: [SQLValue]) {
    // The character behind the slash is the zero.
    ("path > ? AND path < ?", [.text("\(path.text)/"), .text("\(path.text)0")])
  }

  /// Returns the documents that were changed since a time, each with its state at that time and its present
  /// state.
  ///
  /// - Parameter past: the time of a commit.
  /// - Returns: `nil` if the changes since then were deleted, or if the time is in the future.
  func transitions(since past: Timestamp) throws -> [DocumentTransition]? {
    guard past.compare(horizon) >= 0, past.compare(commitTime) <= 0 else { return nil }
    if let known = transitionsSince[past] { return known }
    var transitions: [ResourcePath: DocumentTransition] = [:]
    try connection.forEachRow(
      """
      SELECT moment, path, created, updated, fields FROM changes
      WHERE database = ? AND moment > ? ORDER BY moment
      """,
      [.integer(id), .integer(past.microsecondsSince1970)]
    ) { row in
      let path = Self.path(row.text(1))
      let deleted = RemoteDocument(
        path: path, fields: nil, updateTime: Timestamp(microsecondsSince1970: row.integer(0)))
      // The first change has the state before; the last one has the time of a deletion.
      if transitions[path] == nil {
        let before = try row.optionalBlob(4).map {
          try Self.document(path, row.integer(2), row.integer(3), $0)
        }
        transitions[path] = DocumentTransition(path: path, before: before, after: deleted)
      }
      transitions[path]?.after = deleted
      return true
    }
    for path in transitions.keys {
      if let present = try document(path) { transitions[path]?.after = present }
    }
    let result = Array(transitions.values)
    transitionsSince[past] = result
    return result
  }

  // MARK: - Writing

  /// Applies a batch, unless it was applied before.
  ///
  /// - Parameters:
  ///   - batch: the writes. Their order matters if several of them write the same document.
  ///   - now: the current time. The commit gets a later time than the one before it.
  ///   - authorize: throws an error if the rules don't allow the writes: the effect of each, and the
  ///     documents after all of them. It is called before the preconditions are checked.
  /// - Returns: the time of the commit and the results of the writes.
  /// - Throws: the error of a precondition or of `authorize`. The transaction must be rolled back.
  func commit(
    _ batch: RemoteBatch, now: Timestamp,
    authorizing authorize: ([DocumentTransition], [ResourcePath: RemoteDocument], Timestamp) throws -> Void
  ) throws -> RemoteCommit {
    if let answer = try answer(to: batch.id) { return answer }
    let next = max(now.microsecondsSince1970, commitTime.microsecondsSince1970 + 1)
    let time = Timestamp(microsecondsSince1970: next)
    let plan = try CommitPlan(
      batch.writes, at: time, namePrefix: namePrefix, reading: { try document($0) },
      authorizing: { try authorize($0, $1, time) })
    // Without writes, there is nothing for which a database would be needed.
    guard exists || !batch.writes.isEmpty else { return plan.commit }
    try createIfMissing()
    var size = 0
    let events = EventTable(connection: connection, projectID: project)
    let triggers = recordsEvents ? try events.triggers(for: name) : []
    for transition in plan.transitions {
      try write(transition)
      if !triggers.isEmpty,
        try events.record(transition, for: triggers, in: name, at: time, now: now)
      {
        hasEvents = true
      }
      size += try recordChange(transition, changed: next)
    }
    try connection.run(
      "INSERT INTO answers (database, batch, moment, answer) VALUES (?, ?, ?, ?)",
      [.integer(id), .blob(Self.bytes(of: batch.id)), .integer(next), .blob(plan.commit.bytes)]
    )
    try connection.run(
      "UPDATE databases SET moment = ?, change_bytes = change_bytes + ? WHERE id = ?",
      [.integer(next), .integer(size), .integer(id)]
    )
    commitTime = plan.commit.time
    transitionsSince = [:]
    changeBytes &+= size
    return plan.commit
  }

  /// Returns the result of a batch that was applied before; `nil` if it wasn't.
  ///
  /// - Parameter batch: the ID of the batch, which the client creates.
  /// - Throws: `DocumentError` with `damaged` if the record can't be decoded.
  private func answer(to batch: UUID) throws -> RemoteCommit? {
    try connection.first(
      "SELECT answer FROM answers WHERE database = ? AND batch = ?",
      [.integer(id), .blob(Self.bytes(of: batch))]
    ) { row in try RemoteCommit(bytes: row.blob(0)) }
  }

  /// Writes the state of a document after a transition.
  ///
  /// - Parameter transition: the document before and after the commit. If it has no fields afterwards, it is
  ///   deleted.
  private func write(_ transition: DocumentTransition) throws {
    let path = transition.path
    guard let collection = path.parent else { return }
    let place: [SQLValue] = [
      .integer(id), .blob(OrderedEncoding.encode(collection)), .blob(Self.key(path)),
    ]
    guard let fields = transition.after.fields else {
      try connection.run("DELETE FROM documents WHERE database = ? AND collection = ? AND key = ?", place)
      return
    }
    try connection.run(
      """
      INSERT INTO documents (database, collection, key, collection_id, path, created, updated, fields)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (database, collection, key) DO UPDATE
      SET created = excluded.created, updated = excluded.updated, fields = excluded.fields
      """,
      place + [
        .text(collection.id), .text(path.text), Self.microseconds(transition.after.createTime),
        Self.microseconds(transition.after.updateTime), .blob(DocumentCoding.encode(fields)),
      ]
    )
  }

  /// Inserts the state of a document before a transition into the changes.
  ///
  /// - Returns: the size of its fields in bytes.
  ///
  /// - Parameters:
  ///   - transition: the document before and after the commit.
  ///   - commitTime: the time of the commit, in microseconds since 1970.
  private func recordChange(_ transition: DocumentTransition, changed commitTime: Int64) throws -> Int {
    let before = transition.before
    let fields = before?.fields.map { DocumentCoding.encode($0) }
    try connection.run(
      "INSERT INTO changes (database, moment, path, created, updated, fields) VALUES (?, ?, ?, ?, ?, ?)",
      [
        .integer(id), .integer(commitTime), .text(transition.path.text),
        Self.microseconds(before?.createTime), Self.microseconds(before?.updateTime),
        .blob(fields),
      ]
    )
    return fields?.count ?? 0
  }

  // MARK: - Columns

  /// Returns the encoding of a document's ID, which determines its order within the collection.
  private static func key(_ path: ResourcePath) -> Data {
    OrderedEncoding.encode(ResourcePath(segments: [path.id]))
  }

  /// Parses a path. It is split by code points, because a slash and a combining mark after it are one
  /// `Character`.
  static func path(_ text: String) -> ResourcePath {
    ResourcePath(segments: text.unicodeScalars.split(separator: "/").map(String.init))
  }

  /// Decodes a document.
  ///
  /// - Throws: `DocumentError` with `damaged`.
  private static func document(
    _ path: ResourcePath, _ created: Int64, _ updated: Int64, _ fields: Data
  ) throws -> RemoteDocument {
    RemoteDocument(
      path: path,
      fields: try DocumentCoding.decode(fields),
      createTime: Timestamp(microsecondsSince1970: created),
      updateTime: Timestamp(microsecondsSince1970: updated)
    )
  }

  /// Returns a time as a column; `NULL` if it is `nil`.
  private static func microseconds(_ time: Timestamp?) -> SQLValue {
    time.map { .integer($0.microsecondsSince1970) } ?? .null
  }

  /// Returns the bytes of a batch's ID.
  private static func bytes(of id: UUID) -> Data { withUnsafeBytes(of: id.uuid) { Data($0) } }
}
