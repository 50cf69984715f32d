/// An error that SQLite or this library reports.
///
/// Switch over ``code``, which stays the same across versions; ``message`` may change.
package struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A kind of error, stable across versions.
  package struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `busy`.
    package let rawValue: String

    /// Creates a code from its text. Later versions may have codes that this one doesn't declare.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// Another connection held the lock for the whole busy timeout. Try again later.
    package static let busy = Code(rawValue: "busy")
    /// The statement would violate a constraint, for example a unique key.
    package static let constraint = Code(rawValue: "constraint")
    /// The file is damaged, or isn't a database. It was left unchanged.
    package static let damaged = Code(rawValue: "damaged")
    /// The disk is full. The transaction was rolled back.
    package static let full = Code(rawValue: "full")
    /// Reading or writing the file failed.
    package static let io = Code(rawValue: "io")
    /// The file can't be opened, for example because its directory doesn't exist.
    package static let cannotOpen = Code(rawValue: "cannot-open")
    /// The file can't be written, for example because the process has no permission or the medium is
    /// read-only.
    package static let readOnly = Code(rawValue: "read-only")
    /// The file was deleted or moved while it was open. Anything written to it would be lost.
    package static let moved = Code(rawValue: "moved")
    /// The file is an SQLite database of another program. It was left unchanged.
    package static let foreign = Code(rawValue: "foreign")
    /// The database was written by a newer version of the program. Update the program.
    package static let newerSchema = Code(rawValue: "newer-schema")
    /// The database is encrypted, and was opened without a key. It was left unchanged.
    package static let keyMissing = Code(rawValue: "key-missing")
    /// The database is encrypted with another key. It was left unchanged.
    package static let keyWrong = Code(rawValue: "key-wrong")
    /// A key was given, but the database isn't encrypted. It was left unchanged.
    package static let notEncrypted = Code(rawValue: "not-encrypted")
    /// The system has no library that encrypts.
    package static let noCipher = Code(rawValue: "no-cipher")
    /// The SQL, its bindings or the sequence of calls is wrong.
    package static let misuse = Code(rawValue: "misuse")
    /// Another process has changed the database while it was read without locks. Read it again.
    package static let changed = Code(rawValue: "changed")
    /// A value doesn't have the type in which it was requested.
    package static let typeMismatch = Code(rawValue: "type-mismatch")
    /// Any other error; see ``SQLiteError/resultCode``.
    package static let other = Code(rawValue: "other")
  }

  /// The kind of error.
  package let code: Code
  /// What happened, in the words of SQLite or of this library.
  package let message: String
  /// SQLite's extended result code (https://sqlite.org/rescode.html); 0 if SQLite reported none.
  package let resultCode: Int32
  /// The statement that failed, if there was one. It contains no bound values.
  package let sql: String?
  /// The path of the database; `nil` for a database in memory.
  package let path: String?

  /// Creates an error.
  package init(code: Code, message: String, resultCode: Int32, sql: String?, path: String?) {
    self.code = code
    self.message = message
    self.resultCode = resultCode
    self.sql = sql
    self.path = path
  }

  /// The message, SQLite's result code, the database's path, the statement, and in parentheses the code. For
  /// example: `SQLite: database is locked [5] in notes.sqlite, running BEGIN IMMEDIATE (busy)`.
  package var description: String {
    var text = "SQLite: \(message)"
    if resultCode != 0 { text += " [\(resultCode)]" }
    if let path { text += " in \(path)" }
    if let sql { text += ", running \(sql)" }
    return text + " (\(code.rawValue))"
  }
}
