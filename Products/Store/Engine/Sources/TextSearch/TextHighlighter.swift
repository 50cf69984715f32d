import TenonDocuments
import TenonFoundation
import TenonSQLite
package import TenonValues

/// Marks in documents what a search has found. Thread-safe.
///
/// The tables of a ``StoredTextIndex`` don't contain the texts. Words are marked by SQLite itself, in a table
/// in memory that contains one text at a time, so that a word is marked if and only if it is found.
package final class TextHighlighter: Sendable {
  private let index: TextIndex
  private let query: TextQuery
  /// The expression for the words; `nil` if nothing is marked.
  private let expression: String?
  /// The connection to the table in memory; `nil` before the first text.
  private let table = Lock<Connection?>(nil)

  package init(_ result: TextSearchResult) {
    (index, query) = (result.index, result.text)
    expression = query.expressionOfTerms()
  }

  /// The text of a field, and what was found in it.
  package struct Highlight {
    /// The field.
    package let field: FieldPath
    /// The text of the field, or the texts in it.
    package let text: String
    /// The places at which something was found, in the order in which they begin; empty if nothing was.
    package let places: [Range<String.Index>]
  }

  /// Returns the texts of a document with the places at which something was found; see
  /// ``FoundDocument/snippets(length:)``.
  package func highlights(of fields: Fields) -> [Highlight] {
    index.fields.compactMap { field in
      // SQLite's texts end at a zero.
      guard let text = StoredTextIndex.text(of: fields[field])?.withoutZeros else { return nil }
      let places = index.tokenizer == .words ? places(ofWordsIn: text) : places(ofPartsIn: text)
      return Highlight(field: field, text: text, places: places)
    }
  }

  // MARK: - Words

  private func places(ofWordsIn text: String) -> [Range<String.Index>] {
    let mark = Self.mark(absentFrom: text)
    guard let expression, let marked = try? highlight(text, expression, mark) else { return [] }
    // Searched for as bytes, because a mark may be followed by a character that combines with it.
    var places: [Range<String.Index>] = []
    var begin: String.Index?
    for (number, position) in Self.positions(of: Array(mark.utf8), in: Array(marked.utf8)).enumerated() {
      // The marks before are part of the position.
      let offset = position - number * mark.utf8.count
      let place =
        text.utf8.index(text.startIndex, offsetBy: offset, limitedBy: text.endIndex) ?? text.endIndex
      // Checked: the second mark follows the first.
      if let start = begin { places.append(start..<place) }
      begin = begin == nil ? place : nil
    }
    return places
  }

  /// Returns a mark that a text doesn't contain. It is a single byte if possible, because FTS5 copies all
  /// marks before for each match.
  private static func mark(absentFrom text: String) -> String {
    let control = (1...8 as ClosedRange<UInt8>).first { !text.utf8.contains($0) }
    // A random one is in no text.
    return control.map { String(Unicode.Scalar($0)) } ?? UUID().uuidString
  }

  /// Returns a text with a mark before and after each match; `nil` if there is none.
  ///
  /// - Throws: `SQLiteError`.
  private func highlight(_ text: String, _ expression: String, _ mark: String) throws -> String? {
    try table.withLock { table in
      let connection = try table ?? Self.makeTable(for: index)
      table = connection
      // Of the same length, so that the marks have the same places.
      try connection.run(
        "INSERT OR REPLACE INTO texts (rowid, text) VALUES (1, ?)",
        [.text(StoredTextIndex.tokenizable(text, index.tokenizer))])
      return try connection.first(
        "SELECT highlight(texts, 0, ?1, ?1) FROM texts WHERE texts MATCH ?2",
        [.text(mark), .text(expression)]
      ) { $0.text(0) }
    }
  }

  private static func makeTable(for index: TextIndex) throws -> Connection {
    let connection = try Connection.open(nil)
    try connection.execute(
      "CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='\(StoredTextIndex.tokenizer(index))')")
    return connection
  }

  // MARK: - Parts of a text

  private func places(ofPartsIn text: String) -> [Range<String.Index>] {
    let indices = Array(text.unicodeScalars.indices) + [text.endIndex]
    let scalars = TrigramFolding.shared.folded(Array(text.unicodeScalars))
    var places: [Range<Int>] = []
    for term in query.terms {
      let term = TrigramFolding.shared.folded(Array(term.unicodeScalars))
      // Checked: a term isn't empty where it was found.
      places += Self.positions(of: term, in: scalars).map { $0..<($0 + term.count) }
    }
    places.sort { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
    // Checked: the indices are in order.
    return places.map { indices[$0.lowerBound]..<indices[$0.upperBound] }
  }

  /// Returns the positions at which a term begins, with the algorithm of Knuth, Morris and Pratt.
  ///
  /// - Complexity: O(n) in the length of both, also for repetitive texts.
  static func positions<Element: Equatable>(of term: [Element], in text: [Element]) -> [Int] {
    guard !term.isEmpty, term.count <= text.count else { return [] }
    // The length of the longest proper prefix of the term that ends at each of its positions.
    var borders = [0]
    var length = 0
    for position in term.indices.dropFirst() {
      while length > 0, term[position] != term[length] { length = borders[length - 1] }
      if term[position] == term[length] { length += 1 }
      borders.append(length)
    }
    var positions: [Int] = []
    length = 0
    for (position, element) in text.enumerated() {
      while length > 0, length == term.count || element != term[length] { length = borders[length - 1] }
      if element == term[length] { length += 1 }
      if length == term.count { positions.append(position - length + 1) }
    }
    return positions
  }
}

extension String {
  /// The text with a space in the place of each zero.
  fileprivate var withoutZeros: String {
    unicodeScalars.contains("\0")
      ? String(UnicodeScalarView(unicodeScalars.map { $0 == "\0" ? " " : $0 })) : self
  }
}
