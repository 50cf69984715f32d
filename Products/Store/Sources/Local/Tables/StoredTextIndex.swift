import TenonDocuments
import TenonJSON
import TenonSQLite
import TenonStoreInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A text index as stored in the database: a row of `indexes` and an FTS5 table.
///
/// The table `text_<number>` has a column for each field, and the row IDs of the documents. It contains no text of its own
/// (https://sqlite.org/fts5.html#contentless_tables), so a row is deleted by passing the text with which it was inserted. In an
/// index of trigrams, `text_<number>_terms` lists these.
struct StoredTextIndex {
  /// The value of the column `kind` of the table `indexes`. 0 to 4 are other kinds of indexes; see ``FieldIndex/Origin``.
  static let kind: Int64 = 5

  /// The number of the row, which is not reused.
  let number: Int64
  /// The index as the app declared it.
  let definition: TextIndex
  /// Its state when the declarations were read.
  let state: DeclaredIndex.State

  /// The name of the FTS5 table.
  var table: String { "text_\(number)" }
  /// The name of the table that lists the trigrams.
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
    return [creation, "CREATE VIRTUAL TABLE \(termTable) USING fts5vocab(\(table), row)"]
  }

  /// Returns the error for an SQLite library that lacks FTS5 or a tokenizer, if that is why creating the tables failed.
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
  /// - Returns: `nil` if there is no text, in which case the document is not in the index.
  func texts<Failure: Error>(_ value: (FieldPath) throws(Failure) -> Value?) throws(Failure) -> [UTF8Text]? {
    var texts: [UTF8Text] = []
    for field in definition.fields {
      var text = Self.text(of: try value(field)) ?? ""
      // So that every character begins a trigram, and terms of one or two characters can be found.
      if !text.isEmpty, definition.tokenizer == .trigrams { text += "\n\n" }
      texts.append(UTF8Text(text))
    }
    return texts.contains { !$0.string.isEmpty } ? texts : nil
  }

  /// Returns the strings of a field's value, each on a line of its own; `nil` if there are none, or all are empty.
  static func text(of value: Value?) -> String? {
    guard let value else { return nil }
    var text = ""
    append(value, to: &text)
    return text.isEmpty ? nil : text
  }

  /// Appends the strings of a value, each on a line of its own.
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

  /// Decodes a row of the table `indexes`; `nil` if a later version has declared the index with a tokenizer that is unknown here.
  ///
  /// - Throws: `DecodingError` if the definition cannot be decoded.
  init?(number: Int64, definition: Data, state: DeclaredIndex.State) throws {
    let decoded = try JSON.decode(Definition.self, from: definition)
    guard let tokenizer = TextIndex.Tokenizer(rawValue: decoded.tokenizer) else { return nil }
    self.number = number
    self.definition = TextIndex(
      decoded.collection, fields: decoded.fields.map { FieldPath($0) }, tokenizer: tokenizer)
    self.state = state
  }
}
