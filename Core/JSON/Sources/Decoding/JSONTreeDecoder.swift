import TenonFoundation

/// The decoder of one value, and its container if a type decodes itself from a single value.
///
/// Decoding descends through a tree that has been parsed and is within the limits; nothing is parsed here.
/// Decoders of elements and members are created in constant time: they share the tree, and their paths are
/// lists that share the outer keys. Attempts to decode a value as one type after the other, with `try?`,
/// therefore cost what their errors cost, and these are proportional to the depth at most.
///
/// Errors describe the types of values and never the values, which may be credentials.
struct JSONTreeDecoder: Decoder {
  /// The value.
  let value: JSON
  /// The path to the value.
  let path: JSONPath
  /// The form of dates.
  let dates: JSON.DateCoding

  /// The keys on the path to the value. They are collected at each access.
  var codingPath: [any CodingKey] { path.keys }
  /// Empty, because no type requires more than the value.
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Returns the decoder of an element or a member. Complexity: O(1).
  ///
  /// - Parameters:
  ///   - value: the element or member, which isn't checked against the value of this decoder.
  ///   - key: its key, which is appended to the path.
  func child(_ value: JSON, _ key: any CodingKey) -> JSONTreeDecoder {
    JSONTreeDecoder(value: value, path: .key(key, in: path), dates: dates)
  }

  /// Returns the members of an object. Complexity: O(1).
  ///
  /// - Throws: `DecodingError` for other types: `valueNotFound` for `null`, and `typeMismatch` for all
  ///   others.
  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else { throw mismatch([String: JSON].self, "an object") }
    return KeyedDecodingContainer(JSONMembers<Key>(members: members, decoder: self))
  }

  /// Returns the elements of an array, at the first one. Complexity: O(1).
  ///
  /// - Throws: `DecodingError` for other types: `valueNotFound` for `null`, and `typeMismatch` for all
  ///   others.
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch([JSON].self, "an array") }
    return JSONElements(elements: elements, decoder: self)
  }

  /// Returns the decoder itself, because it is also the container of its value.
  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  // MARK: - Errors

  /// Returns the error for a value of another type.
  ///
  /// - Parameters:
  ///   - type: the Swift type, which the error contains.
  ///   - expected: the expected type of JSON, with an article, for the description.
  /// - Returns: `valueNotFound` if the value is `null`, and otherwise `typeMismatch`. The description names
  ///   both types of JSON.
  /// - Complexity: O(*n*) in the length of the path.
  func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
    let found =
      switch value {
      case .null: "null"
      case .bool: "a Boolean"
      case .int, .unsigned, .double: "a number"
      case .string: "a string"
      case .array: "an array"
      case .object: "an object"
      }
    let context = DecodingError.Context(
      codingPath: codingPath, debugDescription: "It is \(found) instead of \(expected).")
    return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  /// Returns the error `dataCorrupted`, for a value of the right type that isn't in its range or form.
  ///
  /// - Parameter reason: a sentence that doesn't quote the value.
  /// - Complexity: O(*n*) in the length of the path.
  func corrupted(_ reason: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: codingPath, debugDescription: reason))
  }
}

extension JSONTreeDecoder: SingleValueDecodingContainer {
  /// Returns whether the value is `null`.
  func decodeNil() -> Bool { if case .null = value { true } else { false } }

  /// Returns a Boolean. Numbers and strings aren't converted.
  ///
  /// - Throws: `DecodingError`, as ``mismatch(_:_:)`` returns it, for values of other types.
  func decode(_ type: Bool.Type) throws -> Bool {
    guard case .bool(let value) = value else { throw mismatch(type, "a Boolean") }
    return value
  }

  /// Returns a string. Numbers and Booleans aren't converted.
  ///
  /// - Throws: `DecodingError`, as ``mismatch(_:_:)`` returns it, for values of other types.
  func decode(_ type: String.Type) throws -> String {
    guard case .string(let value) = value else { throw mismatch(type, "a string") }
    return value
  }

  func decode(_ type: Double.Type) throws -> Double { try floatingPoint() }
  func decode(_ type: Float.Type) throws -> Float { try floatingPoint() }
  func decode(_ type: Int.Type) throws -> Int { try integer() }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
  func decode(_ type: UInt.Type) throws -> UInt { try integer() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

  /// Decodes a value of any type. Those that `JSONDecoder` treats specially have other forms than
  /// `init(from:)` expects.
  ///
  /// - Throws: `DecodingError` if one of these types has another form; for all other types, what
  ///   `init(from:)` throws.
  func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
    let special: Any? =
      switch type {
      case is Data.Type: try data()
      case is URL.Type: try url()
      case is Decimal.Type: try decimal()
      case is Date.Type: try date()
      default: nil
      }
    // Without the first binding, `nil` would be converted to an optional type.
    if let special, let decoded = special as? Decoded { return decoded }
    return try Decoded(from: self)
  }

  // MARK: - Numbers

  /// Returns the number if the type represents it exactly, however it was written: `1.0` and `1e0` are 1.
  ///
  /// - Throws: `DecodingError`: `typeMismatch` or `valueNotFound` if the value isn't a number, and
  ///   `dataCorrupted` if the number has a fraction or is out of range.
  private func integer<Number: FixedWidthInteger>() throws -> Number {
    let number: Number?
    switch value {
    case .int(let value): number = Number(exactly: value)
    case .unsigned(let value): number = Number(exactly: value)
    // A whole number that was rounded to -2^63 is less; -2^63 itself is an `int`.
    case .double(let value): number = value == -0x1p63 ? nil : Number(exactly: value)
    default: throw mismatch(Number.self, "a number")
    }
    guard let number else { throw corrupted("The number can't be represented by \(Number.self).") }
    return number
  }

  /// Returns the nearest value to the number. Integers with more digits than the type represents are rounded.
  ///
  /// - Throws: `DecodingError`: `typeMismatch` or `valueNotFound` if the value isn't a number, and
  ///   `dataCorrupted` if the number is beyond the range of the type.
  private func floatingPoint<Number: BinaryFloatingPoint>() throws -> Number {
    let number: Number
    switch value {
    case .int(let value): number = Number(value)
    case .unsigned(let value): number = Number(value)
    case .double(let value): number = Number(value)
    default: throw mismatch(Number.self, "a number")
    }
    guard number.isFinite else { throw corrupted("The number can't be represented by \(Number.self).") }
    return number
  }

  // MARK: - Foundation's types

  /// Returns the bytes of base64 text (RFC 4648, section 4), with padding and without line breaks.
  ///
  /// - Throws: `DecodingError`, with `dataCorrupted` for other text.
  private func data() throws -> Data {
    guard let data = Data(base64Encoded: try decode(String.self)) else { throw corrupted("It isn't base64.") }
    return data
  }

  /// Returns the URL of a text, which may be relative.
  ///
  /// - Throws: `DecodingError`, with `dataCorrupted` for text that isn't a URL.
  private func url() throws -> URL {
    guard let url = URL(string: try decode(String.self)) else { throw corrupted("It isn't a URL.") }
    return url
  }

  /// Returns the integer, or the shortest decimal number that rounds to the same double: `0.1` is a tenth.
  ///
  /// - Throws: `DecodingError`, with `dataCorrupted` for numbers beyond the range of `Decimal`.
  private func decimal() throws -> Decimal {
    switch value {
    case .int(let value): return Decimal(value)
    case .unsigned(let value): return Decimal(value)
    default:
      guard let number = Decimal(string: try decode(Double.self).description) else {
        throw corrupted("The number can't be represented by Decimal.")
      }
      return number
    }
  }

  /// Returns the date of a text; `nil` if dates decode themselves.
  ///
  /// - Throws: `DecodingError`, with `dataCorrupted` and the sentence of ``JSON/DateCoding/text(_:_:)`` for
  ///   other text.
  private func date() throws -> Date? {
    guard case .text(let parse, let reason) = dates else { return nil }
    guard let date = parse(try decode(String.self)) else { throw corrupted(reason) }
    return date
  }
}
