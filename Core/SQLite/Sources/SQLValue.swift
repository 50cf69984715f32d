internal import CSQLite
package import TenonFoundation

// `Data`, the only type here that isn't the standard library's, and `LocalizedError` are used in this file
// only.
/// A value of one of SQLite's five storage classes (https://sqlite.org/datatype3.html).
package enum SQLValue: Sendable, Hashable {
  /// The absence of a value: `NULL`.
  case null
  /// A signed 64-bit integer: `INTEGER`.
  case integer(Int64)
  /// An IEEE 754 double: `REAL`. SQLite stores NaN as `NULL`.
  case real(Double)
  /// UTF-8 text: `TEXT`. It may contain U+0000.
  case text(String)
  /// Bytes: `BLOB`.
  case blob(Data)
}

extension SQLValue {
  /// Creates an integer value.
  package static func integer(_ value: Int) -> SQLValue { .integer(Int64(clamping: value)) }

  /// Creates a text value, or `NULL` if `value` is `nil`.
  package static func text(_ value: String?) -> SQLValue { value.map(SQLValue.text) ?? .null }

  /// Creates a blob value, or `NULL` if `value` is `nil`.
  package static func blob(_ value: Data?) -> SQLValue { value.map(SQLValue.blob) ?? .null }
}

extension SQLValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
  /// Creates an integer value from a literal.
  package init(integerLiteral value: Int64) { self = .integer(value) }
  /// Creates a text value from a literal.
  package init(stringLiteral value: String) { self = .text(value) }
  /// Creates `NULL`.
  package init(nilLiteral: ()) { self = .null }
}

extension SQLValue {
  /// Binds the value to a parameter of a prepared statement, which copies text and bytes.
  ///
  /// - Parameters:
  ///   - statement: SQLite's statement object.
  ///   - index: the number of the parameter, counted from 1.
  /// - Returns: SQLite's result code.
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    switch self {
    case .null: return sqlite3_bind_null(statement, index)
    case .integer(let integer): return sqlite3_bind_int64(statement, index, integer)
    case .real(let real): return sqlite3_bind_double(statement, index, real)
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          tenon_bind_text(statement, index, $0.baseAddress, sqlite3_uint64($0.count))
        }
      }
    case .blob(let data):
      return data.withUnsafeBytes {
        tenon_bind_blob(statement, index, $0.baseAddress, sqlite3_uint64($0.count))
      }
    }
  }
}

extension Row {
  /// Returns a copy of a column's bytes; no bytes if it is `NULL`.
  ///
  /// A column of another type is converted as `CAST(… AS BLOB)` does. ``withBytes(_:_:)`` reads the bytes
  /// without a copy.
  ///
  /// - Parameter column: the column, counted from 0.
  package func blob(_ column: Int) -> Data {
    guard let bytes = sqlite3_column_blob(statement, Int32(clamping: column)) else { return Data() }
    return Data(bytes: bytes, count: Int(clamping: sqlite3_column_bytes(statement, Int32(clamping: column))))
  }

  /// Returns a copy of a column's bytes; `nil` if it is `NULL`.
  ///
  /// - Parameter column: the column, counted from 0.
  package func optionalBlob(_ column: Int) -> Data? { isNull(column) ? nil : blob(column) }

  /// Returns a column's value in the storage class in which the query yields it.
  ///
  /// - Parameter column: the column, counted from 0.
  package func value(_ column: Int) -> SQLValue {
    switch sqlite3_column_type(statement, Int32(clamping: column)) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_FLOAT: .real(real(column))
    case SQLITE_TEXT: .text(text(column))
    case SQLITE_BLOB: .blob(blob(column))
    default: .null
    }
  }
}

extension SQLiteError: LocalizedError {
  /// The same text as ``description``, so that `localizedDescription` returns it.
  package var errorDescription: String? { description }
}
