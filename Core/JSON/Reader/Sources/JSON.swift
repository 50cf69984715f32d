/// A JSON value (RFC 8259). Integers keep all 64 bits.
///
/// Values are created by ``init(parsing:limit:)``, by decoding or with Swift literals. Parsing accepts what
/// servers, files and tokens contain within limits for size and depth, so that every operation on a parsed
/// value is linear and fits on the stack.
///
/// A number has one form only: integers that an `Int64` can represent are ``int(_:)``, larger ones up to
/// `UInt64.max` are ``unsigned(_:)``, and all others ``double(_:)``. Values that were parsed are therefore
/// equal if their numbers are, however these were written.
///
/// Names and strings are compared as Swift strings, that is, by canonical equivalence of their characters.
///
/// ```swift
/// let value: JSON = ["name": "tea", "tags": ["hot", .null], "count": 2]
/// value["name"]?.string  // → "tea"
/// value["size"]  // → nil
/// ```
package enum JSON: Sendable {
  /// `null`
  case null
  /// `true` or `false`
  case bool(Bool)
  /// An integer that an `Int64` can represent.
  case int(Int64)
  /// An integer above `Int64.max`. For smaller ones, the parser and the decoder use ``int(_:)``.
  case unsigned(UInt64)
  /// Any other number, and negative zero. Parsed numbers are finite; those that aren't can't be written.
  case double(Double)
  /// A string. Its Unicode scalars are kept as they were written; they aren't normalized.
  case string(String)
  /// An array.
  case array([JSON])
  /// An object. The order of its members isn't kept. Names are compared as Swift compares strings: names that
  /// are canonically equivalent, such as `é` in its two forms, are equal.
  case object([String: JSON])
}
