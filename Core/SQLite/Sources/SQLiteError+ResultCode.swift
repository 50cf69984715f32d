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

  private static func code(of resultCode: Int32) -> Code {
    // The primary code is in the lowest byte.
    switch resultCode & 0xFF {
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
