// Conveniences that reading options doesn't need, so they aren't part of `TenonJSONReader`.

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
