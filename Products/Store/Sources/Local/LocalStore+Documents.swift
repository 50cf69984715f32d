import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

extension LocalStore {
  /// The columns of `documents` from which a document is read.
  static let documentColumns = "d.name, d.fields, d.created, d.updated, d.flags, d.timestamps"

  /// A row of ``documentColumns``.
  func document(_ row: borrowing Row, in collection: ResourcePath) throws(StoreError) -> StoredDocument {
    try document(row, at: collection.appending(row.text(0)))
  }

  /// A row of ``documentColumns`` that is known to be a document's.
  private func document(_ row: borrowing Row, at path: ResourcePath) throws(StoreError) -> StoredDocument {
    let (created, updated, flags) = (row.integer(2), row.integer(3), row.integer(4))
    let timestamps = row.optionalBlob(5)
    return try row.withBytes(1) { fields throws(StoreError) in
      try StoredDocument(
        at: path, fields: fields, created: created, updated: updated, flags: flags, timestamps: timestamps,
        file: database.path)
    }
  }

  /// A document as users see it; `nil` when there is none.
  func document(_ path: ResourcePath) throws -> StoredDocument? {
    guard let parent = path.parent, let collection = try existingNumber(of: parent) else { return nil }
    return try row(of: path, in: collection)?.document
  }

  /// A document and where it stands.
  struct DocumentRow {
    let id: Int64
    let key: Data
    let document: StoredDocument
  }

  private static let rowSQL =
    "SELECT \(documentColumns), d.id FROM documents d WHERE d.collection = ? AND d.key = ?"

  /// - Parameter collection: the number of the document's collection.
  func row(of path: ResourcePath, in collection: Int64) throws -> DocumentRow? {
    let key = Self.key(path)
    return try database.first(Self.rowSQL, [.integer(collection), .blob(key)]) {
      DocumentRow(id: $0.integer(6), key: key, document: try document($0, at: path))
    }
  }

  // MARK: - Bases

  /// What the remote last said of a document; `nil` when it said nothing.
  func base(of path: ResourcePath) throws -> BaseDocument? {
    guard let parent = path.parent, let collection = try existingNumber(of: parent) else { return nil }
    return try base(of: path, in: collection, beside: row(of: path, in: collection))
  }

  /// - Parameter row: the document as users see it.
  func base(of path: ResourcePath, in collection: Int64, beside row: DocumentRow?) throws -> BaseDocument? {
    let aside = try database.first(
      """
      SELECT kind, created, version, is_committed, fields FROM bases WHERE collection = ? AND name = ?
      """,
      [.integer(collection), .text(path.id)]
    ) { row in
      BaseDocument(
        content: row.integer(0) == 1
          ? .found(try fields(row, 4, of: path)) : row.integer(0) == 0 ? .missing : .unknown,
        createTime: Timestamp(microsecondsSince1970: row.integer(1)),
        version: Timestamp(microsecondsSince1970: row.integer(2)),
        isCommitted: row.integer(3) != 0)
    }
    if let aside { return aside }
    guard let document = row?.document, !document.hasLocalMutations else { return nil }
    return BaseDocument(
      content: .found(document.fields), createTime: document.createTime, version: document.updateTime,
      isCommitted: document.hasCommittedMutations)
  }

  private func fields(
    _ row: borrowing Row, _ column: Int, of document: ResourcePath
  ) throws(StoreError) -> Fields {
    do {
      return try row.withBytes(column) { bytes throws(DocumentError) in try DocumentCoding.decode(bytes) }
    } catch {
      throw .damaged(document, in: database.path, error)
    }
  }

  /// Keeps what the remote said of a document beside what users see.
  private func setAside(_ base: BaseDocument?, of path: ResourcePath, in collection: Int64) throws {
    guard let base else {
      try database.run(
        "DELETE FROM bases WHERE collection = ? AND name = ?", [.integer(collection), .text(path.id)])
      return
    }
    let (kind, fields): (Int64, Data?) =
      switch base.content {
      case .missing: (0, nil)
      case .found(let fields): (1, DocumentCoding.encode(fields))
      case .unknown: (2, nil)
      }
    try database.run(
      """
      INSERT OR REPLACE INTO bases (collection, name, kind, created, version, is_committed, fields) \
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(collection), .text(path.id), .integer(kind), .integer(base.createTime.microsecondsSince1970),
        .integer(base.version.microsecondsSince1970), .integer(base.isCommitted ? 1 : 0), .blob(fields),
      ]
    )
  }

  // MARK: - Views

  /// Puts down what the remote said of a document, and what users see of it.
  func put(_ base: BaseDocument?, viewed view: LocalView) throws {
    let collection = try place(of: view.path).collection
    try put(base, viewed: view, in: collection, replacing: row(of: view.path, in: collection))
  }

  /// Puts down what the remote said of a document, and what users see of it, in place of what is known to be there.
  func put(
    _ base: BaseDocument?, viewed view: LocalView, in collection: Int64, replacing old: DocumentRow?
  ) throws {
    if !view.isChanged, case .found = base?.content {
      // Users see what the remote said: one row is enough.
      try setAside(nil, of: view.path, in: collection)
    } else {
      try setAside(base, of: view.path, in: collection)
    }
    try put(view.document, at: view.path, in: collection, replacing: old)
  }

  /// Applies the writes that wait for the remote to what it said of a document.
  func refresh(_ path: ResourcePath, on base: BaseDocument?) throws {
    try put(base, viewed: view(of: path, over: base))
  }

  /// A document with the writes that wait for the remote applied to what the remote said of it.
  func view(of path: ResourcePath, over base: BaseDocument?) throws -> LocalView {
    var view = LocalView(path, base)
    for batch in try batches(for: path) {
      for write in batch.writes where write.write.document == path {
        // One that no longer fits is left to the remote, which will refuse it.
        try? view.apply(write, at: batch.time)
      }
    }
    return view
  }

  /// Makes a document what users see, with its index, and notes the change.
  func put(_ document: StoredDocument?, at path: ResourcePath) throws {
    let collection = try place(of: path).collection
    try put(document, at: path, in: collection, replacing: try row(of: path, in: collection))
  }

  /// Makes a document what users see, in place of what is known to be there.
  func put(
    _ document: StoredDocument?, at path: ResourcePath, in collection: Int64, replacing old: DocumentRow?
  ) throws {
    let key = old?.key ?? Self.key(path)
    if let old, let document, old.document.isSame(as: document) { return }
    let id: Int64
    switch (old, document) {
    case (nil, nil): return
    case (let old?, nil):
      id = old.id
      try database.run("DELETE FROM documents WHERE id = ?", [.integer(id)])
    case (let old?, let document?):
      id = old.id
      try database.run(
        """
        UPDATE documents SET fields = ?, created = ?, updated = ?, flags = ?, timestamps = ? WHERE id = ?
        """,
        Self.content(of: document) + [.integer(id)])
    case (nil, let document?):
      try database.run(
        """
        INSERT INTO documents (fields, created, updated, flags, timestamps, collection, key, name) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        Self.content(of: document) + [.integer(collection), .blob(key), .text(path.id)])
      id = database.lastInsertedRowID
    }
    try entryChanges.note(
      EntryChanges.Document(collection: collection, key: key, id: id), from: old?.document.fields,
      to: document?.fields, fieldNumbers)
    // Large transactions don't fill the memory.
    if entryChanges.areMany { try entryChanges.write(to: database) }
    try updateDeclaredIndexes(
      from: old?.document.fields, to: document?.fields, at: path, collection: collection, document: id)
    noteChange(of: path, to: document, in: collection)
  }

  private static func content(of document: StoredDocument) -> [SQLValue] {
    [
      .blob(DocumentCoding.encode(document.fields)), .integer(document.createTime.microsecondsSince1970),
      .integer(document.updateTime.microsecondsSince1970), .integer(document.flags),
      .blob(WriteCoding.encode(document.pendingTimestamps)),
    ]
  }
}

extension StoredDocument {
  /// Whether both are the same in every respect.
  func isSame(as other: StoredDocument) -> Bool {
    updateTime == other.updateTime && createTime == other.createTime
      && hasLocalMutations == other.hasLocalMutations
      && hasCommittedMutations == other.hasCommittedMutations && fields == other.fields
      && pendingTimestamps.map(\.field) == other.pendingTimestamps.map(\.field)
  }
}
