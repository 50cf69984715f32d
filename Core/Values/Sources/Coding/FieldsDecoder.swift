import TenonFoundation

/// Decodes `Decodable` types from a document's fields; the counterpart of ``FieldsEncoder``.
///
/// - `Date` is decoded from a timestamp, `Data` from bytes, and `URL` from text. `Value`, `Fields`,
///   `Timestamp`, `GeoPoint` and `VectorValue` are decoded as they are; a property of type `Value` accepts
///   any field, null included.
/// - Integer types accept integers, and doubles without a fraction, if they are in range; `Double` and
///   `Float` accept both and round to the nearest number that they can represent.
/// - `Decimal` accepts both as well: integers exactly, and of a double the shortest decimal number that
///   rounds to it, so that 19.99 is 19.99. A number beyond its range is an error.
/// - `Bool` accepts only booleans, and `String` only text. Nothing is parsed from text except a `URL`.
/// - Arrays of numbers are also decoded from vectors.
/// - An optional property is `nil` if its field doesn't exist or is null. Fields without a property are
///   ignored.
///
/// ```swift
/// struct Note: Codable {
///   var title: String
///   var rating: Int?
/// }
/// let note = try FieldsDecoder().decode(Note.self, from: ["title": "Tea", "rating": 5.0])
/// note.rating  // → 5
/// ```
///
/// A decoder has no state and can be used concurrently.
public struct FieldsDecoder: Sendable {
  /// Creates a decoder.
  public init() {}

  /// Decodes a value from fields.
  ///
  /// - Parameters:
  ///   - type: the type of the value; by default the type that the context requires.
  ///   - fields: the fields of a document.
  /// - Returns: the value.
  /// - Throws: `DecodingError`, or an error of the type's `init(from:)`. The coding path of a `DecodingError`
  ///   of this decoder leads to the field with the wrong value, or for a missing field to the map without it.
  public func decode<Decoded: Decodable>(_ type: Decoded.Type = Decoded.self, from fields: Fields) throws
    -> Decoded
  {
    try decode(type, from: fields, of: nil)
  }

  /// Decodes a value from the fields of a document.
  ///
  /// - Parameters:
  ///   - type: the type of the value.
  ///   - fields: the fields of the document.
  ///   - document: the document's reference, which the type finds in `userInfo` under
  ///     ``CodingUserInfoKey/document``; `nil` for none, and `userInfo` is then empty. Its type is defined by
  ///     the product that decodes documents, which this module doesn't import.
  /// - Throws: `DecodingError` whose coding path identifies the field, or an error of the type's
  ///   `init(from:)`.
  package func decode<Decoded: Decodable>(
    _ type: Decoded.Type, from fields: Fields, of document: (any Sendable)?
  ) throws -> Decoded {
    try decode(type, from: .map(fields), of: document)
  }

  /// Decodes the value of a field; otherwise as ``decode(_:from:of:)``.
  package func decode<Decoded: Decodable>(
    _ type: Decoded.Type, from value: Value, at path: [any CodingKey] = [], of document: (any Sendable)?
  ) throws -> Decoded {
    try ValueDecoding(value: value, codingPath: path, document: document).decode(type)
  }
}

extension CodingUserInfoKey {
  /// The reference of the document that is being decoded; absent if fields are decoded that don't belong to a
  /// document.
  package static let document = CodingUserInfoKey(rawValue: "tenon.document")!
}

/// A type that can be decoded although its key has no field, for example a property wrapper for the
/// document's ID.
///
/// Keys of maps in the document, also of those in arrays, are treated like those of the document itself. If
/// the field does exist, the type's `init(from:)` is called as usual, and may reject it. If the type of a
/// property is an optional of such a type, it is `nil` without a field, because the compiler's implementation
/// tests for the key first.
package protocol FieldlessDecodable: Decodable {
  /// Creates the value for a key without a field.
  ///
  /// - Parameter userInfo: the decoder's `userInfo`, which contains the document's reference, if there is
  ///   one.
  /// - Throws: any error, which ends the decoding of the document.
  init(fieldless userInfo: [CodingUserInfoKey: Any]) throws
}

/// The decoder of one value. It is immutable, and the decoders of nested values are created from it when they
/// are requested.
private struct ValueDecoding: Decoder {
  /// The value to decode.
  let value: Value
  /// The keys that lead to the value from the document. Elements of arrays add no key, so they are reported
  /// with the array's path.
  let codingPath: [any CodingKey]
  /// The reference of the document that contains the value; `nil` for none.
  let document: (any Sendable)?
  /// The document's reference under ``CodingUserInfoKey/document``; empty if there is none.
  var userInfo: [CodingUserInfoKey: Any] { document.map { [.document: $0] } ?? [:] }

  /// Decodes the value. Types with their own Firestore representation are converted; all others decode
  /// themselves.
  ///
  /// - Throws: `DecodingError.typeMismatch` if a `Date`, `Data`, `URL`, `Decimal`, `Fields`, `Timestamp` or
  ///   `GeoPoint` or `VectorValue` is required and the value has another type, is text that isn't a URL, or a
  ///   number that isn't a `Decimal`; errors of the type's `init(from:)`.
  func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
    let own: Any? =
      switch (value, type) {
      case (_, is Value.Type): value
      case (.map(let fields), is Fields.Type): fields
      case (.timestamp(let timestamp), is Timestamp.Type): timestamp
      case (.timestamp(let timestamp), is Date.Type): timestamp.dateValue()
      case (.geoPoint(let point), is GeoPoint.Type): point
      case (.vector(let components), is VectorValue.Type): VectorValue(components)
      case (.bytes(let data), is Data.Type): data
      case (.string(let text), is URL.Type): URL(string: text)
      case (.integer(let number), is Decimal.Type): Decimal(number)
      case (.double(let number), is Decimal.Type):
        number.isNaN ? Decimal.nan : Decimal(string: number.description)
      default: nil
      }
    // Without the first binding, `nil` would be converted to an optional type.
    if let own, let decoded = own as? Decoded { return decoded }
    switch (value, type) {
    // Tenon 0.1 stored the parts of a `Decimal`.
    case (.map, is Decimal.Type): break
    case (_, is Date.Type), (_, is Data.Type), (_, is URL.Type), (_, is Decimal.Type), (_, is Fields.Type),
      (_, is Timestamp.Type), (_, is GeoPoint.Type), (_, is VectorValue.Type):
      throw mismatch(type)
    default: break
    }
    return try Decoded(from: self)
  }

  /// Returns the error for a value of the wrong type.
  ///
  /// - Parameter type: the type that was required.
  /// - Returns: `DecodingError.typeMismatch` with the path and a description of the value.
  func mismatch(_ type: Any.Type) -> DecodingError {
    .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "the field holds \(value) instead"))
  }

  /// Returns the members of a map; throws `DecodingError.typeMismatch` for other values.
  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .map(let fields) = value else { throw mismatch([String: Value].self) }
    return KeyedDecodingContainer(Keyed<Key>(fields: fields, codingPath: codingPath, document: document))
  }

  /// Returns the elements of an array, or the components of a vector as doubles; throws
  /// `DecodingError.typeMismatch` for other values.
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    switch value {
    case .array(let elements): return Unkeyed(elements: elements, codingPath: codingPath, document: document)
    case .vector(let components):
      return Unkeyed(
        elements: components.map(Value.double), codingPath: codingPath, document: document)
    default: throw mismatch([Value].self)
    }
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoding: self) }
}

/// The members of a map. A key is looked up by the UTF-8 bytes of its string; keys are names, not paths.
private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
  /// The members by name.
  let fields: Fields
  let codingPath: [any CodingKey]
  let document: (any Sendable)?
  /// The keys of all members, in the order of their names. Members whose names the key type can't represent
  /// are left out.
  var allKeys: [Key] { fields.names.compactMap(Key.init(stringValue:)) }

  /// Whether the member exists. A member that is null exists.
  func contains(_ key: Key) -> Bool { fields[key.stringValue] != nil }

  /// Whether the member is null; throws `DecodingError.keyNotFound` if it doesn't exist.
  func decodeNil(forKey key: Key) throws -> Bool { try decoding(key).value.isNull }

  /// Decodes a member. If the member doesn't exist, types that are ``FieldlessDecodable`` are decoded from
  /// `userInfo`.
  ///
  /// - Throws: `DecodingError.keyNotFound` if the member doesn't exist and the type requires it; errors of
  ///   the type.
  func decode<Decoded: Decodable>(_ type: Decoded.Type, forKey key: Key) throws -> Decoded {
    guard let value = fields[key.stringValue] else {
      guard let type = type as? any FieldlessDecodable.Type else { throw missing(key) }
      let userInfo = ValueDecoding(value: .null, codingPath: codingPath, document: document).userInfo
      guard let decoded = try type.init(fieldless: userInfo) as? Decoded else { throw missing(key) }
      return decoded
    }
    return try ValueDecoding(value: value, codingPath: codingPath + [key], document: document).decode(type)
  }

  // The standard library's implementations for these two types throw.
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try decoding(key).decode(type) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try decoding(key).decode(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try decoding(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoding(key).unkeyedContainer()
  }

  /// Returns the decoder of the member `super`, or of null if it doesn't exist. Errors are reported with the
  /// path of the map.
  func superDecoder() -> any Decoder {
    ValueDecoding(value: fields["super"] ?? .null, codingPath: codingPath, document: document)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoding(key) }

  /// Returns the decoder of a member.
  ///
  /// - Throws: `DecodingError.keyNotFound` if it doesn't exist.
  private func decoding(_ key: Key) throws -> ValueDecoding {
    guard let value = fields[key.stringValue] else { throw missing(key) }
    return ValueDecoding(value: value, codingPath: codingPath + [key], document: document)
  }

  /// Returns the error for a missing member.
  private func missing(_ key: Key) -> DecodingError {
    .keyNotFound(
      key,
      .init(codingPath: codingPath, debugDescription: "the document has no field \"\(key.stringValue)\"")
    )
  }
}

/// The elements of an array or the components of a vector. An element that fails to decode isn't consumed.
///
/// Every method that reads an element throws `DecodingError.valueNotFound` at the end.
private struct Unkeyed: UnkeyedDecodingContainer {
  /// The elements; those of a vector have been converted to values.
  let elements: [Value]
  let codingPath: [any CodingKey]
  let document: (any Sendable)?
  /// The index of the next element, advanced only after the element has been decoded.
  var currentIndex = 0
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  /// Whether the next element is null, which is then consumed. Any other element isn't consumed.
  mutating func decodeNil() throws -> Bool {
    guard try next().value.isNull else { return false }
    currentIndex += 1
    return true
  }

  /// Decodes and consumes the next element. If its type doesn't match, it isn't consumed and can be decoded
  /// as another type.
  mutating func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
    let decoded = try next().decode(type)
    currentIndex += 1
    return decoded
  }

  mutating func decode(_ type: Int128.Type) throws -> Int128 { try decodeInteger(type) }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try decodeInteger(type) }

  private mutating func decodeInteger<Number: Decodable>(_ type: Number.Type) throws -> Number {
    try decode(type)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let container = try next().container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try next().unkeyedContainer()
    currentIndex += 1
    return container
  }

  /// Consumes the next element and returns its decoder.
  mutating func superDecoder() throws -> any Decoder {
    let decoder = try next()
    currentIndex += 1
    return decoder
  }

  /// Returns the decoder of the next element without consuming it.
  ///
  /// - Throws: `DecodingError.valueNotFound` at the end.
  private func next() throws -> ValueDecoding {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Value.self,
        .init(codingPath: codingPath, debugDescription: "the array has only \(elements.count) elements")
      )
    }
    return ValueDecoding(value: elements[currentIndex], codingPath: codingPath, document: document)
  }
}

/// A value that isn't decomposed. Its methods throw `DecodingError.typeMismatch` for a value that the type
/// doesn't accept; the conversions of numbers are those that ``FieldsDecoder`` lists.
private struct Single: SingleValueDecodingContainer {
  let decoding: ValueDecoding
  var codingPath: [any CodingKey] { decoding.codingPath }

  /// Whether the value is an explicit null. A field that doesn't exist has no container.
  func decodeNil() -> Bool { decoding.value.isNull }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard case .boolean(let value) = decoding.value else { throw decoding.mismatch(type) }
    return value
  }

  func decode(_ type: String.Type) throws -> String {
    guard case .string(let value) = decoding.value else { throw decoding.mismatch(type) }
    return value
  }

  /// Decodes a double or an integer, which is rounded to the nearest double beyond 2^53.
  func decode(_ type: Double.Type) throws -> Double {
    guard let value = decoding.value.doubleValue else { throw decoding.mismatch(type) }
    return value
  }

  /// Decodes a number, rounded to the nearest `Float`; it is infinite if the number exceeds the range of
  /// `Float`.
  func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
  func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
  func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }
  func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded { try decoding.decode(type) }

  /// Decodes an integer or a double without a fraction, if it is in the range of the type.
  ///
  /// - Throws: `DecodingError.typeMismatch` for any other value; a number that is out of range isn't clamped.
  private func integer<Number: BinaryInteger>(_ type: Number.Type) throws -> Number {
    switch decoding.value {
    case .integer(let value):
      if let number = Number(exactly: value) { return number }
    case .double(let value):
      if let number = Number(exactly: value) { return number }
    default: break
    }
    throw decoding.mismatch(type)
  }
}
