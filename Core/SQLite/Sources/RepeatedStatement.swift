internal import CSQLite

/// A prepared statement that returns no rows and is run many times in succession with different bindings.
///
/// Compared with ``Connection/run(_:_:)``, a run doesn't look the statement up, collect its bindings in an
/// array or copy the bytes that are bound.
///
/// Parameters are counted from 1. A parameter keeps its binding until another value is bound to it; one that
/// was never bound is `NULL`.
package struct RepeatedStatement: ~Copyable {
  /// SQLite's statement object, which the connection owns.
  fileprivate let statement: OpaquePointer
  /// The bytes of all blobs and texts. They outlive the statement: ``Connection/repeating(_:of:_:)`` borrows
  /// them.
  fileprivate let bytes: UnsafeBufferPointer<UInt8>
  /// Creates the error for a result code.
  fileprivate let error: (_ result: Int32) -> SQLiteError

  /// Binds an integer to a parameter.
  ///
  /// - Parameters:
  ///   - integer: the value.
  ///   - index: the number of the parameter, counted from 1.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/misuse`` if there is no such parameter.
  package func bind(_ integer: Int64, at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_int64(statement, Int32(clamping: index), integer))
  }

  /// Binds a double to a parameter. NaN is bound as `NULL`.
  ///
  /// - Parameters:
  ///   - double: the value.
  ///   - index: the number of the parameter, counted from 1.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/misuse`` if there is no such parameter.
  package func bind(real double: Double, at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_double(statement, Int32(clamping: index), double))
  }

  /// Binds `NULL` to a parameter, which replaces the value that was bound to it.
  ///
  /// - Parameter index: the number of the parameter, counted from 1.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/misuse`` if there is no such parameter.
  package func bindNull(at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_null(statement, Int32(clamping: index)))
  }

  /// Binds a blob to a parameter.
  ///
  /// - Parameters:
  ///   - range: the position of the blob in the bytes that were passed to ``Connection/repeating(_:of:_:)``.
  ///   - index: the number of the parameter, counted from 1.
  /// - Precondition: `range` is within the bounds of the bytes.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/misuse`` if there is no such parameter.
  package func bind(_ range: Range<Int>, at index: Int) throws(SQLiteError) {
    precondition(
      0 <= range.lowerBound && range.upperBound <= bytes.count, "the range of a blob exceeds the bytes")
    guard let start = UnsafeBufferPointer(rebasing: bytes[range]).baseAddress, !range.isEmpty else {
      return try check(sqlite3_bind_zeroblob(statement, Int32(clamping: index), 0))
    }
    try check(sqlite3_bind_blob64(statement, Int32(clamping: index), start, sqlite3_uint64(range.count), nil))
  }

  /// Binds text to a parameter.
  ///
  /// - Parameters:
  ///   - range: the position of the text, in UTF-8, in the bytes that were passed to
  ///     ``Connection/repeating(_:of:_:)``. It may contain zeros.
  ///   - index: the number of the parameter, counted from 1.
  /// - Precondition: `range` is within the bounds of the bytes.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/misuse`` if there is no such parameter.
  package func bind(text range: Range<Int>, at index: Int) throws(SQLiteError) {
    precondition(
      0 <= range.lowerBound && range.upperBound <= bytes.count, "the range of a text exceeds the bytes")
    // Without an address, the parameter would be `NULL`.
    guard let start = UnsafeBufferPointer(rebasing: bytes[range]).baseAddress, !range.isEmpty else {
      return try check(tenon_bind_text(statement, Int32(clamping: index), "", 0))
    }
    try start.withMemoryRebound(to: CChar.self, capacity: range.count) { (start) throws(SQLiteError) in
      try check(
        sqlite3_bind_text64(
          statement, Int32(clamping: index), start, sqlite3_uint64(range.count), nil, UInt8(SQLITE_UTF8)))
    }
  }

  /// Runs the statement with its present bindings.
  ///
  /// - Throws: ``SQLiteError``. The statement can be run again afterwards.
  package func run() throws(SQLiteError) {
    let result = sqlite3_step(statement)
    sqlite3_reset(statement)
    guard result == SQLITE_DONE else { throw error(result) }
  }

  /// Throws the error for a result code other than `SQLITE_OK`.
  private func check(_ result: Int32) throws(SQLiteError) {
    guard result == SQLITE_OK else { throw error(result) }
  }
}

extension Connection {
  /// Prepares a statement and passes it to a closure that runs it repeatedly.
  ///
  /// - Parameters:
  ///   - sql: one statement that returns no rows, with `?` for each bound value.
  ///   - bytes: the bytes of all blobs and texts that `body` binds.
  ///   - body: binds values and runs the statement. The statement must not escape.
  /// - Returns: the value that `body` returns.
  /// - Throws: ``SQLiteError`` if the statement can't be prepared; the error that `body` throws.
  package func repeating<Result>(
    _ sql: String, of bytes: Span<UInt8>, _ body: (borrowing RepeatedStatement) throws -> Result
  ) throws -> Result {
    let statement = try prepared(sql)
    return try bytes.withUnsafeBufferPointer { bytes in
      // Also clears the bindings, which point into `bytes`.
      defer { release(statement) }
      return try body(
        RepeatedStatement(statement: statement.pointer, bytes: bytes) { [unowned self] in error($0, sql) })
    }
  }
}
