internal import CSQLite

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The present row of a query. It is valid while the closure that receives it runs.
///
/// Columns count from 0. A `NULL` reads as 0, an empty text or no bytes; the `optional` functions tell it apart.
public struct Row: ~Copyable {
  let statement: OpaquePointer

  /// The number of columns.
  public var count: Int { Int(sqlite3_column_count(statement)) }

  /// Whether a column is `NULL`.
  public func isNull(_ column: Int) -> Bool { sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL }

  /// A column as an integer.
  public func integer(_ column: Int) -> Int64 { sqlite3_column_int64(statement, Int32(column)) }

  /// A column as a double.
  public func real(_ column: Int) -> Double { sqlite3_column_double(statement, Int32(column)) }

  /// A column as text. Bytes that aren't UTF-8 are replaced by U+FFFD.
  public func text(_ column: Int) -> String {
    // Text that is asked for as text gets a zero at its end, for which SQLite makes a copy. Numbers have to become text.
    if sqlite3_column_type(statement, Int32(column)) == SQLITE_TEXT {
      return withBytes(column) { bytes in
        bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
      }
    }
    guard let bytes = sqlite3_column_text(statement, Int32(column)) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, Int32(column)))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// A column as bytes.
  public func blob(_ column: Int) -> Data {
    guard let bytes = sqlite3_column_blob(statement, Int32(column)) else { return Data() }
    return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, Int32(column))))
  }

  /// Hands a column's bytes to `body` where they lie, without a copy.
  public func withBytes<Result, Failure: Error>(
    _ column: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = sqlite3_column_blob(statement, Int32(column))?.assumingMemoryBound(to: UInt8.self)
    let count = start == nil ? 0 : Int(sqlite3_column_bytes(statement, Int32(column)))
    return try body(UnsafeBufferPointer(start: start, count: count).span)
  }

  /// A column as an integer; `nil` for `NULL`.
  public func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }

  /// A column as text; `nil` for `NULL`.
  public func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }

  /// A column as bytes; `nil` for `NULL`.
  public func optionalBlob(_ column: Int) -> Data? { isNull(column) ? nil : blob(column) }

  /// A column as the value that is stored.
  public func value(_ column: Int) -> SQLValue {
    switch sqlite3_column_type(statement, Int32(column)) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_FLOAT: .real(real(column))
    case SQLITE_TEXT: .text(text(column))
    case SQLITE_BLOB: .blob(blob(column))
    default: .null
    }
  }
}
