/// A JSON value (RFC 8259). Whole numbers keep all their 64 bits.
package enum JSON: Sendable, Hashable {
  case null
  case bool(Bool)
  case int(Int64)
  case unsigned(UInt64)
  case double(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])
}

extension JSON {
  /// The member of an object; `nil` when there is none or the value isn't an object.
  package subscript(key: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members[key]
  }

  package var string: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  package var bool: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  package var array: [JSON]? {
    guard case .array(let values) = self else { return nil }
    return values
  }

  package var object: [String: JSON]? {
    guard case .object(let members) = self else { return nil }
    return members
  }

  /// A string, or a number or truth value as text: servers of Google's APIs accept these where a string is due.
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

  /// An object without the members that are `nil`.
  package static func members(_ members: KeyValuePairs<String, JSON?>) -> JSON {
    .object(members.reduce(into: [:]) { $0[$1.key] = $1.value })
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int64) { self = .int(value) }
}

extension JSON: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
