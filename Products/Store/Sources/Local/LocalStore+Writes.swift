import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

extension LocalStore {
  // MARK: - Without a remote

  /// Makes writes that nobody has to confirm.
  ///
  /// - Throws: ``StoreError`` when a precondition doesn't hold; ``DocumentError``, ``SQLiteError``.
  func apply(_ writes: [DocumentWrite], at moment: Timestamp) throws {
    expectChanges(of: writes.count)
    for write in writes {
      let collection = try place(of: write.document).collection
      let row = try row(of: write.document, in: collection)
      let old = row?.document
      try write.checkPrecondition(exists: old != nil, updated: old?.updateTime)
      let fields = try write.result(on: old?.fields, at: moment)
      guard fields != old?.fields else { continue }
      // A document that changes gets a later moment, whatever the clock says.
      let updated = Timestamp(
        microsecondsSince1970: max(
          moment.microsecondsSince1970, (old?.updateTime.microsecondsSince1970 ?? .min) + 1))
      try put(
        fields.map {
          StoredDocument(
            path: write.document, fields: $0, createTime: old?.createTime ?? moment,
            updateTime: old == nil ? moment : updated)
        },
        at: write.document, in: collection, replacing: row)
    }
  }

  // MARK: - The queue

  /// Puts writes at the end of the queue and shows their effect.
  ///
  /// - Throws: ``DocumentError`` when a result can't be a document, ``SQLiteError``.
  func queue(_ writes: [DocumentWrite], at moment: Timestamp, uuid: UUID = UUID()) throws -> MutationBatch {
    expectChanges(of: writes.count)
    var views: [ResourcePath: CurrentView] = [:]
    var locals: [LocalWrite] = []
    for write in writes {
      let path = write.document
      var current = try views[path] ?? currentView(of: path)
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
    let isDeleted: Bool
    if row == nil, case .found = base?.content { isDeleted = true } else { isDeleted = false }
    let isChanged = try row?.document.hasLocalMutations ?? (isDeleted || hasBatches(for: path))
    return CurrentView(
      collection: collection, row: row, base: base,
      view: LocalView(path, row?.document, over: base, isChanged: isChanged))
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

  private func hasBatches(for path: ResourcePath) throws -> Bool {
    let place = try place(of: path)
    return try database.first(
      "SELECT 1 FROM batch_documents WHERE user = ? AND collection = ? AND name = ?",
      [.text(user ?? ""), .integer(place.collection), .text(place.name)]
    ) { _ in true } ?? false
  }

  /// The documents that a user's batches concern.
  private func documentsInBatches(of user: String?) throws -> Set<ResourcePath> {
    Set(
      try database.rows(
        "SELECT collection, name FROM batch_documents WHERE user = ?", [.text(user ?? "")]
      ) { try path(of: $0.integer(0)).appending($0.text(1)) })
  }

  private static func batch(_ row: borrowing Row) throws -> MutationBatch {
    MutationBatch(
      id: row.integer(0), uuid: UUID(uuidString: row.text(1)) ?? UUID(),
      time: Timestamp(microsecondsSince1970: row.integer(2)), writes: try WriteCoding.decode(row.blob(3)))
  }

  // MARK: - What becomes of a batch

  /// The remote has applied a batch: its results are what the remote has now.
  func acknowledge(_ batch: MutationBatch, _ commit: RemoteCommit, token: Data?) throws -> Outcome<Void> {
    try changing(.acknowledge) {
      guard try remove(batch) else { return }
      if let token { try setGlobal("token:\(user ?? "")", .blob(token)) }
      var bases: [ResourcePath: BaseDocument?] = [:]
      for path in batch.paths { bases.updateValue(try base(of: path), forKey: path) }
      let known = bases
      for (index, local) in batch.writes.enumerated() {
        let path = local.write.document
        let result = index < commit.results.count ? commit.results[index] : RemoteCommit.Result()
        let version = result.updateTime ?? commit.time
        let before = known[path] ?? nil
        guard (before?.version ?? .zero).compare(version) < 0 else { continue }
        bases.updateValue(
          local.write.confirmed(on: bases[path] ?? nil, result, version: version, at: commit.time),
          forKey: path)
      }
      for (path, base) in bases {
        try refresh(path, on: base)
        try use(path)
      }
    }
  }

  /// The remote has refused a batch. Its effect goes; the writes are kept with the reason until the app has seen them.
  func reject(_ batch: MutationBatch, _ error: StoreRemoteError) throws -> Outcome<Void> {
    try changing(.reject) {
      guard try remove(batch) else { return }
      try database.run(
        """
        INSERT OR REPLACE INTO rejections (uuid, user, time, content, code, message) VALUES (?, ?, ?, ?, ?, ?)
        """,
        [
          .text(batch.uuid.uuidString), .text(user ?? ""), .integer(batch.time.microsecondsSince1970),
          .blob(WriteCoding.encode(batch.writes)), .text(error.code.rawValue), .text(error.message),
        ])
      try undo(batch)
    }
  }

  /// Takes a batch out of the queue that wasn't sent.
  ///
  /// - Returns: whether it was in the queue.
  func cancel(_ batch: MutationBatch) throws -> Outcome<Bool> {
    try changing(.cancel) {
      guard try remove(batch) else { return false }
      try undo(batch)
      return true
    }
  }

  private func undo(_ batch: MutationBatch) throws {
    for path in batch.paths {
      try refresh(path, on: try base(of: path))
      try use(path)
    }
  }

  private func remove(_ batch: MutationBatch) throws -> Bool {
    try database.run("DELETE FROM batches WHERE id = ?", [.integer(batch.id)])
    guard database.changes > 0 else { return false }
    for path in batch.paths {
      let place = try place(of: path)
      try database.run(
        "DELETE FROM batch_documents WHERE user = ? AND collection = ? AND name = ? AND batch = ?",
        [.text(user ?? ""), .integer(place.collection), .text(place.name), .integer(batch.id)])
    }
    return true
  }

  // MARK: - Refused writes

  func rejections() throws -> [RejectedBatch] {
    try database.rows(
      "SELECT uuid, time, content, code, message FROM rejections WHERE user = ? ORDER BY time, uuid",
      [.text(user ?? "")]
    ) { row in
      RejectedBatch(
        uuid: UUID(uuidString: row.text(0)) ?? UUID(), time: Timestamp(microsecondsSince1970: row.integer(1)),
        writes: try WriteCoding.decode(row.blob(2)).map(\.write),
        error: StoreRemoteError(.init(rawValue: row.text(3)), row.text(4)))
    }
  }

  /// Forgets a refused batch.
  func dismiss(rejection uuid: UUID) throws {
    try database.run("DELETE FROM rejections WHERE uuid = ?", [.text(uuid.uuidString)])
  }

  // MARK: - Users

  /// Shows the effect of another user's writes in place of that of the present one's.
  func changeUser(to user: String?) throws -> Outcome<Void> {
    try changing(.changeUser) { try showWrites(of: user) }
  }

  /// Makes a user's writes the ones that are shown and sent.
  func showWrites(of user: String?) throws {
    let before = try documentsInBatches(of: self.user)
    var bases: [ResourcePath: BaseDocument?] = [:]
    for path in before.union(try documentsInBatches(of: user)) {
      bases.updateValue(try base(of: path), forKey: path)
    }
    try activate(user: user)
    for (path, base) in bases { try refresh(path, on: base) }
  }

  /// The last token of the user's write stream.
  func writeToken() throws -> Data? {
    if case .blob(let token) = try global("token:\(user ?? "")") { token } else { nil }
  }

  func setWriteToken(_ token: Data?) throws {
    try transaction(.saveToken) { try setGlobal("token:\(user ?? "")", .blob(token)) }
  }
}

/// A batch that the remote refused.
struct RejectedBatch: Sendable {
  let uuid: UUID
  let time: Timestamp
  let writes: [DocumentWrite]
  let error: StoreRemoteError
}

extension DocumentWrite {
  /// - Throws: ``StoreError`` when the precondition doesn't hold.
  func checkPrecondition(exists: Bool, updated: Timestamp?) throws {
    switch precondition {
    case .exists(true) where !exists:
      throw StoreError(
        .notFound, "There is no document \(document.text) to update; use set(_:) to create it.")
    case .exists(false) where exists:
      throw StoreError(.alreadyExists, "The document \(document.text) exists already.")
    case .updated(let expected) where expected.microsecondsSince1970 != updated?.microsecondsSince1970:
      throw StoreError(
        .failedPrecondition, "The document \(document.text) was changed since it was read. Read it again.")
    default: break
    }
  }

  /// What the remote has once it has applied this write.
  func confirmed(
    on base: BaseDocument?, _ result: RemoteCommit.Result, version: Timestamp, at moment: Timestamp
  ) -> BaseDocument {
    var confirmed = BaseDocument(
      content: .unknown, createTime: base?.createTime ?? .zero, version: version, isCommitted: true)
    var known: Fields?
    if case .found(let fields) = base?.content { known = fields }
    switch operation {
    case .delete:
      confirmed.content = .missing
      return confirmed
    case .set: break
    case .update:
      switch (precondition, known) {
      case (.exists(true), nil), (.updated, nil): return confirmed
      default: break
      }
    }
    var plain = self
    plain.transforms = []
    guard var fields = (try? plain.result(on: known, at: moment)) ?? nil else { return confirmed }
    for (index, transform) in transforms.enumerated() {
      fields[transform.field] =
        index < result.transformResults.count
        ? result.transformResults[index] : transform.result(on: fields[transform.field], at: moment)
    }
    confirmed.content = .found(fields)
    return confirmed
  }
}
