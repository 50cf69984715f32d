import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonValues

/// The columns of a document that are written, encoded in one buffer, which SQLite reads without copying it.
struct DocumentRow {
  private let document: StoredDocument
  private var bytes: [UInt8]
  private let fields: Range<Int>
  /// The pending server timestamps; `nil` if there are none.
  private let timestamps: Range<Int>?

  /// Creates the row of a document.
  ///
  /// - Parameters:
  ///   - document: the document.
  ///   - encoded: its encoded fields.
  init(_ document: StoredDocument, _ encoded: consuming [UInt8]) {
    self.document = document
    fields = 0..<encoded.count
    if let pending = WriteCoding.encode(document.pendingTimestamps) {
      timestamps = encoded.appendRange(contentsOf: pending)
    } else {
      timestamps = nil
    }
    bytes = encoded
  }

  /// Replaces the content of a row; its collection, key and name stay as they are.
  ///
  /// - Throws: `SQLiteError`.
  func update(_ id: Int64, in transaction: WriteTransaction) throws {
    try transaction.repeating(
      "UPDATE documents SET fields = ?, created = ?, updated = ?, flags = ?, timestamps = ? WHERE id = ?",
      of: bytes.span
    ) { statement in
      try bindContent(to: statement)
      try statement.bind(id, at: 6)
      try statement.run()
    }
  }

  /// Inserts the row.
  ///
  /// - Parameters:
  ///   - collection: the number of the document's collection.
  ///   - key: its key within the collection.
  ///   - unlessItExists: whether nothing is inserted if there is a row with the key; otherwise that is an
  ///     error.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`.
  consuming func insert(
    in collection: Int64, _ key: Data, unlessItExists: Bool = false, _ transaction: WriteTransaction
  ) throws {
    let key = key.withUnsafeBytes { bytes.appendRange(contentsOf: $0) }
    let name = bytes.appendRange(contentsOf: document.path.id.utf8)
    try transaction.repeating(
      unlessItExists ? Self.insertionUnlessItExists : Self.insertion, of: bytes.span
    ) { statement in
      try bindContent(to: statement)
      try statement.bind(collection, at: 6)
      try statement.bind(key, at: 7)
      try statement.bind(text: name, at: 8)
      try statement.run()
    }
  }

  private static let insertion = """
    INSERT INTO documents (fields, created, updated, flags, timestamps, collection, key, name) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    """
  private static let insertionUnlessItExists = insertion + " ON CONFLICT (collection, key) DO NOTHING"

  /// Binds the content to the first five parameters of a statement. Without pending server timestamps, the
  /// last one remains `NULL`.
  private func bindContent(to statement: borrowing RepeatedStatement) throws {
    try statement.bind(fields, at: 1)
    try statement.bind(document.createTime.microsecondsSince1970, at: 2)
    try statement.bind(document.updateTime.microsecondsSince1970, at: 3)
    try statement.bind(document.flags, at: 4)
    if let timestamps { try statement.bind(timestamps, at: 5) }
  }
}
