import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// The moments of documents. The backend's own ``Timestamp`` has milliseconds.
typealias DocumentTime = TenonStoreInterop.Timestamp

/// One database of documents during one transaction.
final class DocumentTable: DocumentHistory {
  let identity: String
  let namePrefix: String
  private(set) var moment: DocumentTime
  private let connection: Connection
  private let id: Int64
  private let horizon: DocumentTime
  /// The size of the documents in the changes.
  private(set) var changeBytes: Int
  /// Whether reading a collection ends with the task that asked for it.
  var stopsWhenCancelled = false
  /// Many listeners ask for what changed since the same moment.
  private var known: [DocumentTime: [DocumentTransition]] = [:]

  /// `nil` when there is no such database yet.
  init?(_ connection: Connection, projectID: String, name: String) throws {
    let row = try connection.first(
      """
      SELECT id, identity, moment, horizon, change_bytes FROM databases WHERE project = ? AND name = ?
      """,
      [.text(projectID), .text(name)]
    ) { row in
      (
        id: row.integer(0), identity: row.text(1), moment: row.integer(2), horizon: row.integer(3),
        bytes: row.integer(4)
      )
    }
    guard let row else { return nil }
    changeBytes = Int(row.bytes)
    self.connection = connection
    id = row.id
    identity = row.identity
    moment = DocumentTime(microsecondsSince1970: row.moment)
    horizon = DocumentTime(microsecondsSince1970: row.horizon)
    namePrefix = "projects/\(projectID)/databases/\(name)/documents/"
  }

  /// Makes a database, if it isn't there.
  static func create(
    _ connection: Connection, projectID: String, name: String, now: DocumentTime
  ) throws {
    let now = SQLValue.integer(now.microsecondsSince1970)
    try connection.run(
      "INSERT OR IGNORE INTO databases (project, name, identity, moment, horizon) VALUES (?, ?, ?, ?, ?)",
      [.text(projectID), .text(name), .text(RandomText.make(count: 16)), now, now]
    )
  }

  // MARK: - Reading

  func document(_ path: ResourcePath) throws -> RemoteDocument? {
    guard let collection = path.parent else { return nil }
    return try connection.first(
      "SELECT created, updated, fields FROM documents WHERE database = ? AND collection = ? AND key = ?",
      [.integer(id), .blob(OrderedEncoding.encode(collection)), .blob(Self.key(path))]
    ) { row in try Self.document(path, row.integer(0), row.integer(1), row.blob(2)) }
  }

  func forEachMatch(of query: ResolvedQuery, _ body: (RemoteDocument) throws -> Void) throws {
    let (condition, binding) = Self.scope(of: query)
    try connection.forEachRow(
      "SELECT path, created, updated, fields FROM documents WHERE database = ? AND \(condition)",
      [.integer(id), binding]
    ) { row in
      if stopsWhenCancelled { try Task.checkCancellation() }
      let document = try Self.document(
        Self.path(row.text(0)), row.integer(1), row.integer(2), row.blob(3))
      if let fields = document.fields, query.matches(fields, at: document.path) { try body(document) }
      return true
    }
  }

  func count(of query: ResolvedQuery) throws -> Int {
    guard query.holdsEverything, !query.query.allDescendants || query.query.parent.segments.isEmpty else {
      var count = 0
      try forEachMatch(of: query) { _ in count += 1 }
      return count
    }
    let (condition, binding) = Self.scope(of: query)
    return try connection.first(
      "SELECT count(*) FROM documents WHERE database = ? AND \(condition)", [.integer(id), binding]
    ) { Int($0.integer(0)) } ?? 0
  }

  /// The rows among which a query's documents are.
  private static func scope(of query: ResolvedQuery) -> (condition: String, binding: SQLValue) {
    query.query.allDescendants
      ? ("collection_id = ?", .text(query.query.collectionID))
      : ("collection = ?", .blob(OrderedEncoding.encode(query.collection)))
  }

  func transitions(since past: DocumentTime) throws -> [DocumentTransition]? {
    guard past.compare(horizon) >= 0, past.compare(moment) <= 0 else { return nil }
    if let known = known[past] { return known }
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
        path: path, fields: nil, updateTime: DocumentTime(microsecondsSince1970: row.integer(0)))
      // The first change tells what was before, the last one when a document went.
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
    known[past] = result
    return result
  }

  // MARK: - Writing

  /// Applies a batch, if it wasn't applied before.
  ///
  /// - Parameter check: refuses what the rules don't allow.
  func commit(
    _ batch: RemoteBatch, now: DocumentTime, check: (DocumentTransition) throws -> Void
  ) throws -> RemoteCommit {
    if let answer = try answer(to: batch.id) { return answer }
    let next = max(now.microsecondsSince1970, moment.microsecondsSince1970 + 1)
    let plan = try CommitPlan(batch.writes, at: DocumentTime(microsecondsSince1970: next)) {
      try document($0)
    }
    for step in plan.steps { try check(step) }
    var size = 0
    for transition in plan.transitions {
      try write(transition)
      size += try keep(transition, changed: next)
    }
    try connection.run(
      "INSERT INTO answers (database, batch, moment, answer) VALUES (?, ?, ?, ?)",
      [.integer(id), .blob(Self.bytes(of: batch.id)), .integer(next), .blob(plan.commit.bytes)]
    )
    try connection.run(
      "UPDATE databases SET moment = ?, change_bytes = change_bytes + ? WHERE id = ?",
      [.integer(next), .integer(size), .integer(id)]
    )
    moment = plan.commit.time
    known = [:]
    changeBytes += size
    return plan.commit
  }

  private func answer(to batch: UUID) throws -> RemoteCommit? {
    try connection.first(
      "SELECT answer FROM answers WHERE database = ? AND batch = ?",
      [.integer(id), .blob(Self.bytes(of: batch))]
    ) { row in try RemoteCommit(bytes: row.blob(0)) }
  }

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

  /// - Returns: the size of what is kept.
  private func keep(_ transition: DocumentTransition, changed moment: Int64) throws -> Int {
    let before = transition.before
    let fields = before?.fields.map { DocumentCoding.encode($0) }
    try connection.run(
      "INSERT INTO changes (database, moment, path, created, updated, fields) VALUES (?, ?, ?, ?, ?, ?)",
      [
        .integer(id), .integer(moment), .text(transition.path.text),
        Self.microseconds(before?.createTime), Self.microseconds(before?.updateTime),
        .blob(fields),
      ]
    )
    return fields?.count ?? 0
  }

  // MARK: - Columns

  private static func key(_ path: ResourcePath) -> Data {
    OrderedEncoding.encode(ResourcePath(segments: [path.id]))
  }

  /// By code points: a slash and a combining mark after it are one `Character`.
  private static func path(_ text: String) -> ResourcePath {
    ResourcePath(segments: text.unicodeScalars.split(separator: "/").map(String.init))
  }

  private static func document(
    _ path: ResourcePath, _ created: Int64, _ updated: Int64, _ fields: Data
  ) throws -> RemoteDocument {
    RemoteDocument(
      path: path,
      fields: try DocumentCoding.decode(fields),
      createTime: DocumentTime(microsecondsSince1970: created),
      updateTime: DocumentTime(microsecondsSince1970: updated)
    )
  }

  private static func microseconds(_ time: DocumentTime?) -> SQLValue {
    time.map { .integer($0.microsecondsSince1970) } ?? .null
  }

  private static func bytes(of id: UUID) -> Data { withUnsafeBytes(of: id.uuid) { Data($0) } }
}
