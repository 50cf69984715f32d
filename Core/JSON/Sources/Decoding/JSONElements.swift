/// The container of an array, from which types decode their elements in order.
///
/// Each element is decoded in place; the array isn't copied.
/// An element that can't be decoded remains the next one, so that a type can try several forms in turn.
struct JSONElements: UnkeyedDecodingContainer {
  /// The elements.
  let elements: [JSON]
  /// The decoder of the array.
  let decoder: JSONTreeDecoder
  /// The index of the next element.
  private(set) var currentIndex = 0

  /// The path to the array.
  var codingPath: [any CodingKey] { decoder.codingPath }
  /// The number of elements, which collections use to reserve memory. It is that of elements that were
  /// parsed, so that a text can't request more memory than is proportional to its size.
  var count: Int? { elements.count }
  /// Whether all elements have been decoded.
  var isAtEnd: Bool { currentIndex >= elements.count }

  /// Creates the container at the first element.
  init(elements: [JSON], decoder: JSONTreeDecoder) {
    self.elements = elements
    self.decoder = decoder
  }

  /// Decodes the next element, and advances unless that fails.
  ///
  /// - Parameter decode: a function that decodes the element from its decoder.
  /// - Returns: the result of the function.
  /// - Throws: `DecodingError.valueNotFound` at the end of the array, with the path to the array; the error
  ///   of the function, for which the index of the element has been appended to the path.
  private mutating func next<Result>(_ decode: (JSONTreeDecoder) throws -> Result) throws -> Result {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Result.self, .init(codingPath: codingPath, debugDescription: "The array has no more elements."))
    }
    let result = try decode(decoder.child(elements[currentIndex], JSONKey(index: currentIndex)))
    currentIndex += 1
    return result
  }

  /// Skips the next element if it is `null`, and returns whether it was; `false` at the end.
  mutating func decodeNil() -> Bool {
    guard !isAtEnd, case .null = elements[currentIndex] else { return false }
    currentIndex += 1
    return true
  }

  // MARK: - Values

  // The elements are decoded by their decoders, which have the rules for each type.

  mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.decode(type) } }
  mutating func decode(_ type: String.Type) throws -> String { try next { try $0.decode(type) } }
  mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.decode(type) } }
  mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.decode(type) } }
  mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.decode(type) } }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.decode(type) } }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.decode(type) } }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.decode(type) } }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.decode(type) } }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.decode(type) } }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.decode(type) } }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.decode(type) } }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.decode(type) } }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.decode(type) } }
  mutating func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
    try next { try $0.decode(type) }
  }

  // MARK: - Containers

  /// Returns the container of the next element, which must be an object, and advances.
  ///
  /// - Throws: `DecodingError.valueNotFound` at the end and for `null`; `typeMismatch` for an element of
  ///   another type.
  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next { try $0.container(keyedBy: type) }
  }

  /// Returns the container of the next element, which must be an array, and advances.
  ///
  /// - Throws: `DecodingError.valueNotFound` at the end and for `null`; `typeMismatch` for an element of
  ///   another type.
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { try $0.unkeyedContainer() }
  }

  /// Returns the decoder of the next element, whatever its type, and advances.
  ///
  /// - Throws: `DecodingError.valueNotFound` at the end.
  mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
