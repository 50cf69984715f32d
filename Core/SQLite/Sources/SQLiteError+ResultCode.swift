internal import CSQLite

extension SQLiteError {
  /// The error of an extended result code.
  init(resultCode: Int32, message: String, sql: String?, path: String?) {
    self.init(
      code: Self.code(of: resultCode),
      message: message,
      resultCode: resultCode,
      sql: sql,
      path: path
    )
  }

  /// The error of a statement that can't be wrong: the file isn't what its header says, or SQLite doesn't know what it says.
  var ofFile: SQLiteError {
    guard code == .misuse else { return self }
    return SQLiteError(code: .damaged, message: message, resultCode: resultCode, sql: nil, path: path)
  }

  private static func code(of resultCode: Int32) -> Code {
    if resultCode == Int32(TENON_IOERR_DATA) { return .damaged }
    // The primary code is in the lowest byte.
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
