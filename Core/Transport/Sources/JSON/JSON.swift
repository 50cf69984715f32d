/// A JSON value (RFC 8259). Integers keep all 64 bits.
package enum JSON: Sendable, Hashable {
  /// `null`
  case null
  /// `true` or `false`
  case bool(Bool)
  /// An integer that an `Int64` can represent.
  case int(Int64)
  /// An integer above `Int64.max`.
  case unsigned(UInt64)
  /// Any other number, and negative zero.
  case double(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([JSON])
  /// An object. The order of its members is not kept.
  case object([String: JSON])
}

extension JSON {
  /// The member of an object; `nil` if there is none or the value isn't an object.
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

  /// A string, or a number or Boolean as text; otherwise `nil`. Google's servers accept these types where they expect a
  /// string.
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

  /// Creates an object from the members that aren't `nil`.
  package static func members(_ members: KeyValuePairs<String, JSON?>) -> JSON {
    .object(members.reduce(into: [:]) { $0[$1.key] = $1.value })
  }
}

/// JSON values can be written as Swift literals.
extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  /// Creates a string.
  package init(stringLiteral value: String) { self = .string(value) }
  /// Creates a Boolean.
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates an integer.
  package init(integerLiteral value: Int64) { self = .int(value) }
}

extension JSON: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Creates an array.
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  /// Creates an object. If a name occurs several times, the last value wins.
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
