/// The container of an object.
struct JSONMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  /// The members.
  let members: [String: JSON]
  /// The decoder of the object.
  let decoder: JSONTreeDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }
  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

  /// Returns the decoder of a member.
  ///
  /// - Throws: `DecodingError.keyNotFound` if there is none.
  private func member(_ key: Key) throws -> JSONTreeDecoder {
    guard let member = members[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "There is no member of this name."))
    }
    return decoder.child(member, key)
  }

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

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try member(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }

  /// Returns the decoder of the member `super`, or of `null` if there is none, as `JSONDecoder` does.
  func superDecoder() -> any Decoder {
    decoder.child(members["super"] ?? .null, JSONKey(stringValue: "super"))
  }

  func superDecoder(forKey key: Key) -> any Decoder { decoder.child(members[key.stringValue] ?? .null, key) }
}
