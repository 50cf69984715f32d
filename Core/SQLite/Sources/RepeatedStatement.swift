internal import CSQLite

/// A statement that gives no rows and is run many times in a row, with other values each time. It isn't looked up again, and
/// what is bound is neither copied nor collected in an array.
///
/// Parameters count from 1. What isn't bound anew keeps its value.
package struct RepeatedStatement: ~Copyable {
  fileprivate let statement: OpaquePointer
  /// They outlive the statement: ``Connection/repeating(_:of:_:)`` borrows them.
  fileprivate let bytes: UnsafeBufferPointer<UInt8>
  fileprivate let error: (_ result: Int32) -> SQLiteError

  package func bind(_ integer: Int64, at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_int64(statement, Int32(index), integer))
  }

  /// Binds some of the bytes.
  package func bind(_ range: Range<Int>, at index: Int) throws(SQLiteError) {
    precondition(
      0 <= range.lowerBound && range.upperBound <= bytes.count, "only what lies in the bytes can be bound")
    guard let start = UnsafeBufferPointer(rebasing: bytes[range]).baseAddress, !range.isEmpty else {
      return try check(sqlite3_bind_zeroblob(statement, Int32(index), 0))
    }
    try check(sqlite3_bind_blob64(statement, Int32(index), start, sqlite3_uint64(range.count), nil))
  }

  package func run() throws(SQLiteError) {
    let result = sqlite3_step(statement)
    sqlite3_reset(statement)
    guard result == SQLITE_DONE else { throw error(result) }
  }

  private func check(_ result: Int32) throws(SQLiteError) {
    guard result == SQLITE_OK else { throw error(result) }
  }
}

extension Connection {
  /// Runs `body` with a statement to run many times.
  ///
  /// - Parameter bytes: where everything lies that is bound as a blob.
  package func repeating<Result>(
    _ sql: String, of bytes: Span<UInt8>, _ body: (borrowing RepeatedStatement) throws -> Result
  ) throws -> Result {
    let statement = try prepared(sql)
    return try bytes.withUnsafeBufferPointer { bytes in
      // Takes the bindings away too.
      defer { release(statement) }
      return try body(
        RepeatedStatement(statement: statement.pointer, bytes: bytes) { [unowned self] in error($0, sql) })
    }
  }
}
