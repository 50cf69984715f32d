/// Why SQLite did not do what it was asked.
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A kind of error, stable across versions.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `busy`.
    public let rawValue: String

    /// Creates a code that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Another connection holds the lock, and did so for the whole busy timeout.
    public static let busy = Code(rawValue: "busy")
    /// The statement would break a constraint, for example a unique key.
    public static let constraint = Code(rawValue: "constraint")
    /// The file is damaged, or isn't a database. It is left as it is.
    public static let damaged = Code(rawValue: "damaged")
    /// The disk is full. The transaction was rolled back.
    public static let full = Code(rawValue: "full")
    /// Reading or writing failed.
    public static let io = Code(rawValue: "io")
    /// The file can't be opened.
    public static let cannotOpen = Code(rawValue: "cannot-open")
    /// The file may not be written.
    public static let readOnly = Code(rawValue: "read-only")
    /// The database was written by a newer version of the program.
    public static let newerSchema = Code(rawValue: "newer-schema")
    /// The statement, its bindings or its use is wrong.
    public static let misuse = Code(rawValue: "misuse")
    /// A value has another type than was asked for.
    public static let typeMismatch = Code(rawValue: "type-mismatch")
    /// Anything else; see ``SQLiteError/resultCode``.
    public static let other = Code(rawValue: "other")
  }

  /// What kind of error it is.
  public let code: Code
  /// What happened, in SQLite's words or ours.
  public let message: String
  /// SQLite's extended result code (https://sqlite.org/rescode.html); 0 where SQLite reported none.
  public let resultCode: Int32
  /// The statement, if there was one. It holds no bound values.
  public let sql: String?
  /// The database's file; `nil` for a database in memory.
  public let path: String?

  package init(code: Code, message: String, resultCode: Int32, sql: String?, path: String?) {
    self.code = code
    self.message = message
    self.resultCode = resultCode
    self.sql = sql
    self.path = path
  }

  /// The code, the message, the file and the statement.
  public var description: String {
    var text = "SQLite: \(message) (\(code.rawValue)"
    if resultCode != 0 { text += " \(resultCode)" }
    text += ")"
    if let path { text += " in \(path)" }
    if let sql { text += ": \(sql)" }
    return text
  }
}
