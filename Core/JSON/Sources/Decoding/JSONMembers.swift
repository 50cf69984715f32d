/// The container of an object, from which types with coding keys decode their properties.
///
/// The members are in a dictionary already, so that a member is found in constant time, whatever their
/// number, and an object of *n* members is decoded in O(*n*) time. Members for which a type has no key are
/// ignored.
struct JSONMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  /// The members.
  let members: [String: JSON]
  /// The decoder of the object.
  let decoder: JSONTreeDecoder

  /// The path to the object.
  var codingPath: [any CodingKey] { decoder.codingPath }
  /// The keys of the members, in no particular order. Names for which there is no key are omitted.
  /// Complexity: O(*n*).
  var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }
  /// Returns whether there is a member of a name, also if it is `null`. Complexity: O(1).
  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

  /// Returns the decoder of a member. Complexity: O(1).
  ///
  /// - Throws: `DecodingError.keyNotFound` if there is none, with the path to the object.
  private func member(_ key: Key) throws -> JSONTreeDecoder {
    guard let member = members[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "There is no member of this name."))
    }
    return decoder.child(member, key)
  }

  // MARK: - Values

  // The members are decoded by their decoders, which have the rules for each type.

  /// Returns whether a member is `null`.
  ///
  /// - Throws: `DecodingError.keyNotFound` if there is none.
  func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).decode(type) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key).decode(type) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key).decode(type) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try member(key).decode(type) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key).decode(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try member(key).decode(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try member(key).decode(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try member(key).decode(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try member(key).decode(type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try member(key).decode(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try member(key).decode(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try member(key).decode(type) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try member(key).decode(type) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try member(key).decode(type) }
  func decode<Decoded: Decodable>(_ type: Decoded.Type, forKey key: Key) throws -> Decoded {
    try member(key).decode(type)
  }

  // MARK: - Containers

  /// Returns the container of a member that is an object.
  ///
  /// - Throws: `DecodingError` if there is no such member, or if it is of another type.
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try member(key).container(keyedBy: type)
  }

  /// Returns the container of a member that is an array.
  ///
  /// - Throws: `DecodingError` if there is no such member, or if it is of another type.
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }

  /// Returns the decoder of the member `super`, or of `null` if there is none, as `JSONDecoder` does.
  func superDecoder() -> any Decoder {
    decoder.child(members["super"] ?? .null, JSONKey(stringValue: "super"))
  }

  /// Returns the decoder of a member, or of `null` if there is none.
  func superDecoder(forKey key: Key) -> any Decoder { decoder.child(members[key.stringValue] ?? .null, key) }
}
