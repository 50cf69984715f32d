import TenonDocuments
import TenonFoundation
import TenonJSON
import TenonSQLite
package import TenonValues

/// A text index as stored in the database: a row of `indexes` and an FTS5 table.
///
/// The table `text_<number>` has a column for each field, and the row IDs of the documents. It contains no
/// text itself (https://sqlite.org/fts5.html#contentless_tables), so a row is deleted by passing the text
/// with which it was inserted. In an index of trigrams, `text_<number>_terms` lists the places of these.
package struct StoredTextIndex {
  /// The value of the column `kind` of the table `indexes`. 0 to 4 are other kinds of indexes; see
  /// ``FieldIndex/Origin``.
  static let kind: Int64 = 5

  /// The number of the row, which isn't reused.
  package let number: Int64
  /// The index as the app declared it.
  package let definition: TextIndex
  /// Its state when the declarations were read.
  package let state: DeclaredIndex.State

  /// The name of the FTS5 table.
  package var table: String { "text_\(number)" }
  /// The name of the table that lists the places of trigrams.
  var termTable: String { "text_\(number)_terms" }
  /// The names of the table's columns, separated by commas.
  var columns: String { Self.columns(definition) }

  static func columns(_ definition: TextIndex) -> String {
    definition.fields.indices.map { "f\($0)" }.joined(separator: ", ")
  }

  /// The argument `tokenize` of the table.
  static func tokenizer(_ definition: TextIndex) -> String {
    definition.tokenizer == .words ? "unicode61 remove_diacritics 2" : "trigram"
  }

  /// The SQL statements that create the tables.
  var creation: [String] {
    let creation = """
      CREATE VIRTUAL TABLE \(table) USING fts5(\(columns), content='', tokenize='\(Self.tokenizer(definition))')
      """
    guard definition.tokenizer == .trigrams else { return [creation] }
    return [creation, "CREATE VIRTUAL TABLE \(termTable) USING fts5vocab(\(table), instance)"]
  }

  /// Returns the error for an SQLite library that lacks FTS5 or a tokenizer, if that is why creating the
  /// tables failed.
  static func missingFeature(_ error: SQLiteError) -> StoreError? {
    guard ["no such module", "no such tokenizer"].contains(where: error.message.contains) else { return nil }
    return StoreError(
      .unimplemented,
      "The SQLite library of this system can't search text (\(error.message)); link one that has FTS5, or declare no textIndexes.",
      underlying: error)
  }

  // MARK: - Text

  /// Returns the text of each field of a document.
  ///
  /// It is a function of the fields alone, because the text of a row is needed again when it is deleted.
  ///
  /// - Parameter value: returns the value of a field; `nil` if the document lacks it.
  /// - Returns: `nil` if there is no text, in which case the document isn't in the index.
  package func texts<Failure: Error>(_ value: (FieldPath) throws(Failure) -> Value?) throws(Failure)
    -> [UTF8Text]?
  {
    var texts: [UTF8Text] = []
    for field in definition.fields {
      var text = Self.tokenizable(Self.text(of: try value(field)) ?? "", definition.tokenizer)
      // So that every character begins a trigram, and terms of one or two characters can be found.
      if !text.isEmpty, definition.tokenizer == .trigrams { text += "\n\n" }
      texts.append(UTF8Text(text))
    }
    return texts.contains { !$0.string.isEmpty } ? texts : nil
  }

  /// Returns a text of the same length in UTF-8, which FTS5 divides as ``TextIndex/Tokenizer`` says.
  ///
  /// A zero, at which the tokenizer of trigrams ends, becomes a space. FTS5's tables for words know Unicode
  /// 6.1, and treat later emoji like letters; in their place, one is written that it knows.
  static func tokenizable(_ text: String, _ tokenizer: TextIndex.Tokenizer) -> String {
    // All of them contain one of these bytes.
    guard text.utf8.contains(where: { $0 == 0 || $0 == 0xF0 }) else { return text }
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.value {
          case 0: " "
          // A separate range, because the text of a row is needed again when it is deleted, possibly by a
          // program with newer tables.
          case 0x1F000...0x1FAFF where tokenizer == .words: "\u{1F49A}"
          default: scalar
          }
        }))
  }

  /// Returns the strings of a field's value, each on a separate line; `nil` if there are none, or all are
  /// empty.
  static func text(of value: Value?) -> String? {
    guard let value else { return nil }
    var text = ""
    append(value, to: &text)
    return text.isEmpty ? nil : text
  }

  /// Appends the strings of a value, each on a separate line.
  private static func append(_ value: Value, to text: inout String) {
    switch value {
    case .string(let string):
      if !text.isEmpty { text += "\n" }
      text += string
    case .array(let elements): for element in elements { append(element, to: &text) }
    case .map(let fields): for entry in fields.entries { append(entry.value, to: &text) }
    default: return
    }
  }
}

extension StoredTextIndex {
  /// Migrates from the schema in which zeros and emoji were indexed as they are, and trigrams were listed
  /// without their places: the indexes are emptied, and rebuilt in the background.
  ///
  /// - Parameter connection: a connection in a transaction.
  /// - Throws: `SQLiteError`; `DecodingError` if a definition can't be decoded.
  static func renew(in connection: Connection) throws {
    let stored = try connection.rows("SELECT id, definition FROM indexes WHERE kind = ?", [.integer(kind)]) {
      ($0.integer(0), $0.blob(1))
    }
    for (number, definition) in stored {
      guard let index = try Self(number: number, definition: definition, state: .building) else { continue }
      for table in [index.termTable, index.table] { try connection.execute("DROP TABLE IF EXISTS \(table)") }
      for statement in index.creation { try connection.execute(statement) }
      try connection.run(
        """
        UPDATE indexes SET state = ?, collection = 0, key = x'', documents = 0, total = (SELECT count(*) \
        FROM collections c CROSS JOIN documents d ON d.collection = c.id WHERE c.collection_id = indexes.collection_id) \
        WHERE id = ?
        """,
        [.integer(DeclaredIndex.State.building.rawValue), .integer(number)])
    }
  }

  /// The form in which the table `indexes` stores a definition.
  private struct Definition: Codable {
    let collection: String
    let fields: [[String]]
    let tokenizer: String
  }

  /// Returns the stored form of a definition.
  static func encode(_ index: TextIndex) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(
      Definition(
        collection: index.collectionID, fields: index.fields.map(\.segments),
        tokenizer: index.tokenizer.rawValue))
  }

  /// Decodes a row of the table `indexes`; `nil` if a later version has declared the index with a tokenizer
  /// that is unknown here.
  ///
  /// - Throws: `DecodingError` if the definition can't be decoded.
  init?(number: Int64, definition: Data, state: DeclaredIndex.State) throws {
    let decoded = try JSON.decode(Definition.self, from: definition)
    guard let tokenizer = TextIndex.Tokenizer(rawValue: decoded.tokenizer) else { return nil }
    self.number = number
    self.definition = TextIndex(
      decoded.collection, fields: decoded.fields.map { FieldPath($0) }, tokenizer: tokenizer)
    self.state = state
  }
}
