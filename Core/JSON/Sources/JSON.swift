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
package enum JSON: Sendable, Hashable {
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

extension JSON {
  /// The member of an object with a name; `nil` if there is none or the value isn't an object. A member that
  /// is `null` is ``null``.
  ///
  /// - Parameter key: the name of the member.
  package subscript(key: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members[key]
  }

  /// The string; `nil` if the value is of another type.
  package var string: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  /// The Boolean; `nil` if the value is of another type.
  package var bool: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  /// The elements; `nil` if the value isn't an array.
  package var array: [JSON]? {
    guard case .array(let values) = self else { return nil }
    return values
  }

  /// The members; `nil` if the value isn't an object.
  package var object: [String: JSON]? {
    guard case .object(let members) = self else { return nil }
    return members
  }

  /// The value as text: a string itself, or a number or Boolean in Swift's notation; `nil` for other values.
  /// Google's servers accept these types where they expect a string. A number that isn't finite is `inf`,
  /// `-inf` or `nan`.
  package var text: String? {
    switch self {
    case .string(let value): value
    case .int(let value): String(value)
    case .unsigned(let value): String(value)
    case .double(let value): String(value)
    case .bool(let value): String(value)
    case .null, .array, .object: nil
    }
  }

  /// Returns an object of the members that aren't `nil`. If a name occurs several times, the last value wins,
  /// also if it is `nil`.
  ///
  /// ```swift
  /// JSON.members(["email": .string(email), "password": password.map(JSON.string)])
  /// ```
  ///
  /// - Parameter members: the names and the values. Use ``null`` for a member that is present and null.
  /// - Complexity: O(*n*) in the number of members.
  package static func members(_ members: KeyValuePairs<String, JSON?>) -> JSON {
    .object(members.reduce(into: [:]) { $0[$1.key] = $1.value })
  }
}

/// JSON values can be written as Swift literals of strings, Booleans and integers.
extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  /// Creates a string from a literal.
  package init(stringLiteral value: String) { self = .string(value) }
  /// Creates a Boolean from a literal.
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates an integer from a literal, which must fit into an `Int64`.
  package init(integerLiteral value: Int64) { self = .int(value) }
}

/// JSON values can be written as Swift literals of arrays and dictionaries.
extension JSON: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Creates an array from the values of a literal.
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  /// Creates an object. If a name occurs several times, the last value wins.
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
