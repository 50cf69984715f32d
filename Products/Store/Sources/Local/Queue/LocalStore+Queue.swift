import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// The writes that wait for the remote, for each user in their order.
extension LocalStore {
  /// Puts writes at the end of the queue and shows their effect.
  ///
  /// - Parameters:
  ///   - writes: the writes.
  ///   - moment: when they are made.
  ///   - uuid: the batch's id.
  ///   - check: gets each write with the document that it is applied to, and throws when it can't be made.
  /// - Throws: what `check` throws; ``DocumentError`` when a result can't be a document, ``SQLiteError``.
  func queue(
    _ writes: [DocumentWrite], at moment: Timestamp, uuid: UUID = UUID(),
    checking check: (LocalView, DocumentWrite) throws -> Void = { _, _ in }
  ) throws -> MutationBatch {
    expectChanges(of: writes.count)
    var views: [ResourcePath: CurrentView] = [:]
    var locals: [LocalWrite] = []
    for write in writes {
      let path = write.document
      var current = try views[path] ?? currentView(of: path)
      try check(current.view, write)
      let local = LocalWrite(write: write, bases: write.incrementBases(in: current.view.fields))
      try current.view.apply(local, at: moment)
      views[path] = current
      locals.append(local)
    }
    try database.run(
      "INSERT INTO batches (user, uuid, time, content) VALUES (?, ?, ?, ?)",
      [
        .text(user ?? ""), .text(uuid.uuidString), .integer(moment.microsecondsSince1970),
        .blob(WriteCoding.encode(locals)),
      ])
    let batch = MutationBatch(id: database.lastInsertedRowID, uuid: uuid, time: moment, writes: locals)
    for path in batch.paths {
      guard let current = views[path] else { continue }
      try database.run(
        "INSERT INTO batch_documents (user, collection, name, batch) VALUES (?, ?, ?, ?)",
        [.text(user ?? ""), .integer(current.collection), .text(path.id), .integer(batch.id)])
      try put(current.base, viewed: current.view, in: current.collection, replacing: current.row)
    }
    return batch
  }

  /// Puts writes of any user at the end of the queue, unless a batch of that id is there.
  func requeue(
    _ writes: [DocumentWrite], of owner: String?, at moment: Timestamp, uuid: UUID
  ) throws -> MutationBatch? {
    let isThere = try database.first("SELECT 1 FROM batches WHERE uuid = ?", [.text(uuid.uuidString)]) { _ in
      true
    }
    guard isThere == nil else { return nil }
    let present = user
    // Of others nothing is shown.
    if owner != present { _ = try showWrites(of: owner) }
    let batch = try queue(writes, at: moment, uuid: uuid)
    if owner != present { _ = try showWrites(of: present) }
    return batch
  }

  /// A document with the writes that wait, to which a further one is applied.
  private struct CurrentView {
    let collection: Int64
    /// What is there now.
    let row: DocumentRow?
    let base: BaseDocument?
    var view: LocalView
  }

  private func currentView(of path: ResourcePath) throws -> CurrentView {
    let collection = try place(of: path).collection
    let row = try row(of: path, in: collection)
    let base = try base(of: path, in: collection, beside: row)
    let view =
      try row.map { LocalView(path, $0.document, over: base) } ?? self.view(of: path, over: base)
    return CurrentView(collection: collection, row: row, base: base, view: view)
  }

  /// Documents that were written before there was a remote are sent to it.
  func queueAllDocuments(at moment: Timestamp) throws {
    // In pages, because a database may be larger than memory. What is queued gets a new row behind the last one.
    let last = try database.first("SELECT max(id) FROM documents") { $0.integer(0) } ?? 0
    var position: Int64 = 0
    while true {
      let page = try database.rows(
        """
        SELECT \(Self.documentColumns), d.collection, d.id FROM documents d WHERE d.id > ? AND d.id <= ? \
        ORDER BY d.id LIMIT 500
        """, [.integer(position), .integer(last)]
      ) { row in (id: row.integer(7), document: try document(row, in: try path(of: row.integer(6)))) }
      guard let end = page.last?.id else { return }
      for document in page.map(\.document) {
        // Nothing is known yet of what the remote has.
        try put(nil, at: document.path)
        _ = try queue([DocumentWrite(document.path, .set(document.fields))], at: moment)
      }
      position = end
    }
  }

  /// The next batch of the user after one; the first one after 0.
  func nextBatch(after id: Int64) throws -> MutationBatch? {
    if let error = simulatedFailure(.nextBatch) { throw error }
    return try database.first(
      "SELECT id, uuid, time, content FROM batches WHERE user = ? AND id > ? ORDER BY id LIMIT 1",
      [.text(user ?? ""), .integer(id)], Self.batch)
  }

  /// The batches of the user, in their order.
  func batches() throws -> [MutationBatch] {
    try database.rows(
      "SELECT id, uuid, time, content FROM batches WHERE user = ? ORDER BY id", [.text(user ?? "")],
      Self.batch)
  }

  /// The newest batch of the user; 0 when there is none.
  func newestBatch() throws -> Int64 {
    if let error = simulatedFailure(.newestBatch) { throw error }
    return try database.first("SELECT max(id) FROM batches WHERE user = ?", [.text(user ?? "")]) {
      $0.integer(0)
    } ?? 0
  }

  /// The oldest batch of the user; `nil` when there is none.
  func oldestBatch() throws -> Int64? {
    try database.first("SELECT min(id) FROM batches WHERE user = ?", [.text(user ?? "")]) {
      $0.optionalInteger(0)
    } ?? nil
  }

  /// Whether a batch still waits.
  func hasBatch(_ id: Int64) throws -> Bool {
    try database.first("SELECT 1 FROM batches WHERE id = ?", [.integer(id)]) { _ in true } ?? false
  }

  /// The batches of the user that concern a document, in their order.
  func batches(for path: ResourcePath) throws -> [MutationBatch] {
    let place = try place(of: path)
    return try database.rows(
      """
      SELECT b.id, b.uuid, b.time, b.content FROM batch_documents d CROSS JOIN batches b ON b.id = d.batch \
      WHERE d.user = ? AND d.collection = ? AND d.name = ? ORDER BY d.batch
      """,
      [.text(user ?? ""), .integer(place.collection), .text(place.name)], Self.batch)
  }

  private static func batch(_ row: borrowing Row) throws -> MutationBatch {
    MutationBatch(
      id: row.integer(0), uuid: UUID(uuidString: row.text(1)) ?? UUID(),
      time: Timestamp(microsecondsSince1970: row.integer(2)), writes: try WriteCoding.decode(row.blob(3)))
  }
}
