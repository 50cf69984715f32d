import TenonFoundation
import TenonSQLite

/// Folds the case of characters as FTS5's tokenizer `trigram` does. Thread-safe.
///
/// The tokenizer has its own tables, which differ from Swift's and between versions of SQLite: the Greek `Σ`,
/// `σ` and `ς` are equal, and the capital letters of some scripts aren't recognized. Therefore each character
/// is passed through the tokenizer once per process, by a table in memory.
final class TrigramFolding: Sendable {
  private struct State {
    /// The connection to the table in memory; `nil` before the first character.
    var connection: Connection?
    /// The folded forms of characters outside of ASCII.
    var known: [Unicode.Scalar: Unicode.Scalar] = [:]
  }

  /// The instance that the process shares.
  static let shared = TrigramFolding()

  private let state = Lock(State())

  /// Returns the characters with their case folded, in the same order and number. If SQLite lacks the
  /// tokenizer, only ASCII letters change.
  ///
  /// - Complexity: O(n), and O(n log n) for characters that haven't occurred before.
  func folded(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    state.withLock { state in
      let new = Set(scalars).filter { !$0.isASCII && state.known[$0] == nil }
      if !new.isEmpty { try? Self.ask(new.sorted(), &state) }
      return scalars.map { scalar in
        switch scalar {
        case "A"..."Z": Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value) | 0x20)
        default: state.known[scalar] ?? scalar
        }
      }
    }
  }

  /// Passes characters through the tokenizer: in a text that consists of them, each trigram begins with the
  /// folded form of one.
  ///
  /// - Throws: `SQLiteError`.
  private static func ask(_ scalars: [Unicode.Scalar], _ state: inout State) throws {
    let connection = try state.connection ?? makeTable()
    state.connection = connection
    try connection.run(
      "INSERT OR REPLACE INTO texts (rowid, text) VALUES (1, ?)",
      [.text(String(String.UnicodeScalarView(scalars)) + "\n\n")])
    try connection.forEachRow("SELECT offset, term FROM places") { row in
      let position = Int(clamping: row.integer(0))
      guard scalars.indices.contains(position) else { return true }
      // Checked: the position is one of the indices.
      state.known[scalars[position]] = row.text(1).unicodeScalars.first
      return true
    }
  }

  private static func makeTable() throws -> Connection {
    let connection = try Connection.open(nil)
    try connection.execute(
      """
      CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='trigram');
      CREATE VIRTUAL TABLE places USING fts5vocab(texts, instance);
      """)
    return connection
  }
}
