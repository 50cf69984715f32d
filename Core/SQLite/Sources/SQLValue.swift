#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A value that SQLite stores (its five storage classes, https://sqlite.org/datatype3.html).
public enum SQLValue: Sendable, Hashable {
  /// `NULL`
  case null
  /// A signed 64-bit integer.
  case integer(Int64)
  /// An IEEE 754 double. SQLite stores NaN as `NULL`.
  case real(Double)
  /// UTF-8 text.
  case text(String)
  /// Bytes.
  case blob(Data)
}

extension SQLValue {
  /// An integer of any width that fits.
  public static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }

  /// Text, or `NULL`.
  public static func text(_ value: String?) -> SQLValue { value.map(SQLValue.text) ?? .null }

  /// Bytes, or `NULL`.
  public static func blob(_ value: Data?) -> SQLValue { value.map(SQLValue.blob) ?? .null }
}

extension SQLValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// `NULL`
  public init(nilLiteral: ()) { self = .null }
}
