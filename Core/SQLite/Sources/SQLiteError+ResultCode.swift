internal import CSQLite
internal import TenonChecksums

extension SQLiteError {
  /// Creates an error from an extended result code (https://sqlite.org/rescode.html).
  ///
  /// - Parameters:
  ///   - resultCode: a code other than `SQLITE_OK`, `SQLITE_ROW` and `SQLITE_DONE`.
  ///   - message: the message of the connection for it.
  ///   - sql: the statement that failed, without bound values.
  ///   - path: the path of the database; `nil` for a database in memory.
  init(resultCode: Int32, message: String, sql: String?, path: String?) {
    self.init(
      code: Self.code(of: resultCode),
      message: message,
      resultCode: resultCode,
      sql: sql,
      path: path
    )
  }

  /// The error to report for a statement that is known to be correct. If SQLite rejects such a statement, the
  /// schema in the file is damaged, so ``Code/misuse`` becomes ``Code/damaged``.
  var ofFile: SQLiteError {
    guard code == .misuse else { return self }
    return SQLiteError(code: .damaged, message: message, resultCode: resultCode, sql: nil, path: path)
  }

  /// Returns the kind of error for a result code; ``Code/other`` for codes that aren't expected here.
  private static func code(of resultCode: Int32) -> Code {
    if resultCode == Int32(TENON_IOERR_DATA) { return .damaged }
    if resultCode == CInt(TENON_IOERR_KEY) { return .keyWrong }
    // The lowest byte of an extended result code is the primary one.
    return switch resultCode & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    case SQLITE_CONSTRAINT: .constraint
    case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
    case SQLITE_FULL: .full
    case SQLITE_IOERR: .io
    case SQLITE_CANTOPEN: .cannotOpen
    case SQLITE_READONLY, SQLITE_PERM: .readOnly
    case SQLITE_MISUSE, SQLITE_ERROR, SQLITE_RANGE, SQLITE_TOOBIG: .misuse
    default: .other
    }
  }
}
