internal import CSQLite

/// The current row of a query. It is valid only inside the closure that receives it.
///
/// Columns are counted from 0. A `NULL` reads as 0, an empty string or no bytes; use the `optional` functions
/// to distinguish it. SQLite converts a value to the type that is read
/// (https://sqlite.org/c3ref/column_blob.html).
package struct Row: ~Copyable {
  /// SQLite's statement object, which is positioned at the row.
  let statement: OpaquePointer

  /// The number of columns.
  package var count: Int { Int(clamping: sqlite3_column_count(statement)) }

  /// Returns whether a column is `NULL`.
  ///
  /// - Parameter column: the column, counted from 0.
  package func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(statement, Int32(clamping: column)) == SQLITE_NULL
  }

  /// Returns a column as an integer; 0 if it is `NULL` or text that doesn't begin with a number.
  ///
  /// - Parameter column: the column, counted from 0.
  package func integer(_ column: Int) -> Int64 { sqlite3_column_int64(statement, Int32(clamping: column)) }

  /// Returns a column as a double; 0 if it is `NULL` or text that doesn't begin with a number.
  ///
  /// - Parameter column: the column, counted from 0.
  package func real(_ column: Int) -> Double { sqlite3_column_double(statement, Int32(clamping: column)) }

  /// Returns a column as text; an empty string if it is `NULL`. Bytes that aren't valid UTF-8 are replaced by
  /// U+FFFD.
  ///
  /// - Parameter column: the column, counted from 0.
  /// - Complexity: O(*n*) in the number of bytes, which are validated and copied.
  package func text(_ column: Int) -> String {
    // `sqlite3_column_text` appends a zero to text, for which SQLite makes a copy. Only other types need the
    // conversion.
    if sqlite3_column_type(statement, Int32(clamping: column)) == SQLITE_TEXT {
      return withBytes(column) { bytes in
        bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
      }
    }
    guard let bytes = sqlite3_column_text(statement, Int32(clamping: column)) else { return "" }
    let count = Int(clamping: sqlite3_column_bytes(statement, Int32(clamping: column)))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// Calls a closure with a column's bytes, without copying them.
  ///
  /// - Parameters:
  ///   - column: the column, counted from 0.
  ///   - body: receives the bytes, which are valid until it returns; no bytes if the column is `NULL`.
  /// - Returns: the value that `body` returns.
  /// - Throws: the error that `body` throws.
  package func withBytes<Result, Failure: Error>(
    _ column: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = sqlite3_column_blob(statement, Int32(clamping: column))?.assumingMemoryBound(to: UInt8.self)
    let count = start == nil ? 0 : Int(clamping: sqlite3_column_bytes(statement, Int32(clamping: column)))
    return try body(UnsafeBufferPointer(start: start, count: count).span)
  }

  /// Returns a column as an integer; `nil` if it is `NULL`.
  ///
  /// - Parameter column: the column, counted from 0.
  package func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }

  /// Returns a column as text; `nil` if it is `NULL`.
  ///
  /// - Parameter column: the column, counted from 0.
  package func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
}
