import TenonDocuments
import TenonFoundation
import TenonValues

/// The decoder of a sample: it has every field that a model asks for, with the value that the plan chooses,
/// and records the values in a node. See ``FieldNames``.
struct ProbeDecoder: Decoder {
  let plan: ProbePlan
  let node: ProbeNode
  let document: DocumentReference
  /// The path of the value. Elements of arrays aren't fields: they have the names of their positions.
  var names: [String] = []
  /// The types that are being decoded, from the model on, to end recursion.
  var types: [ObjectIdentifier] = []
  var codingPath: [any CodingKey] { names.map { ProbeKey($0) } }
  var userInfo: [CodingUserInfoKey: Any] { [.document: document] }
  var path: FieldPath { FieldPath(names) }

  /// Whether the value is of a type that is being decoded further out: the model contains itself.
  var isRecursive: Bool { types.last.map { types.dropLast().contains($0) } ?? false }

  /// Returns the decoder of a member or an element.
  func child(_ name: String, _ node: ProbeNode) -> ProbeDecoder {
    ProbeDecoder(plan: plan, node: node, document: document, names: names + [name], types: types)
  }

  /// Decodes the value.
  ///
  /// - Throws: the error of the type. The plan then has the path of the innermost value that failed.
  func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
    guard names.count <= ProbePlan.limits.depth else { throw failed(type) }
    do {
      if let own = try own(type) { return own }
      var inner = self
      inner.types.append(ObjectIdentifier(type))
      return try Decoded(from: inner)
    } catch {
      if plan.failure == nil, !names.isEmpty { plan.failure = path }
      throw error
    }
  }

  /// Returns the value of a type with its own form in a document, and of an enumeration; `nil` for others.
  private func own<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded? {
    if let enumeration = type as? any (CaseIterable & Encodable).Type {
      return try chosen(enumeration) as? Decoded
    }
    let value: Value
    let own: Any
    switch type {
    case is Value.Type:
      value = .string(try plan.text(path))
      own = value
    case is Fields.Type:
      let fields: Fields = ["text": .string(try plan.text(path))]
      (value, own) = (.map(fields), fields)
    case is Timestamp.Type, is Date.Type:
      let timestamp = Timestamp(seconds: Int64(clamping: try plan.number(path)))
      value = .timestamp(timestamp)
      own = type is Date.Type ? timestamp.dateValue() : timestamp
    case is GeoPoint.Type:
      // Exact, and within the range of latitudes, because a number is less than 2^22.
      let point = GeoPoint(latitude: Double(try plan.number(path)) / 65_536, longitude: 1)
      (value, own) = (.geoPoint(point), point)
    case is Data.Type:
      let data = Data(try plan.text(path).utf8)
      (value, own) = (.bytes(data), data)
    case is URL.Type:
      let text = "https://example.com/\(try plan.number(path))"
      guard let url = URL(string: text) else { throw failed(type) }
      (value, own) = (.string(text), url)
    case is Decimal.Type:
      let number = try plan.number(path)
      (value, own) = (.double(Double(number)), Decimal(number))
    case is UUID.Type:
      // The last group of a UUID has twelve digits.
      let digits = "000000000000\(try plan.number(path))".suffix(12)
      let text = "00000000-0000-4000-8000-\(digits)"
      guard let id = UUID(uuidString: text) else { throw failed(type) }
      (value, own) = (.string(text), id)
    case is DocumentReference.Type:
      let reference = document.parent.document("reference \(try plan.number(path))")
      (value, own) = (.reference(reference.resourcePath), reference)
    default: return nil
    }
    node.single = value
    return own as? Decoded
  }

  /// Returns a case of an enumeration, and records the value that encodes it.
  private func chosen<Enumeration: CaseIterable & Encodable>(_ type: Enumeration.Type) throws -> Enumeration {
    let cases = Array(type.allCases.prefix(2))
    let bit = try plan.bit(path)
    guard let first = cases.first else { throw failed(type) }
    let chosen = bit < cases.count ? cases[bit] : first
    node.single = try storedValue(chosen)
    return chosen
  }

  func failed(_ type: Any.Type) -> DecodingError {
    .dataCorrupted(.init(codingPath: codingPath, debugDescription: "no sample of \(type) can be made"))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    node.members = node.members ?? []
    return KeyedDecodingContainer(ProbeMembers<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    node.elements = node.elements ?? []
    try plan.field(path) { $0.hasValue = true }
    return ProbeElements(decoder: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { ProbeValue(decoder: self) }
}

/// A key of a path.
struct ProbeKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { return nil }
}

/// The members of a map, which has each that is asked for.
private struct ProbeMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ProbeDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  /// One key, if the type allows any: a dictionary has one entry. The key is numeric, in case the
  /// dictionary's keys are.
  var allKeys: [Key] {
    guard !decoder.isRecursive, let number = try? decoder.plan.number(decoder.path), number > 0 else {
      return []
    }
    return [Key(stringValue: String(number))].compactMap(\.self)
  }

  /// The decoder of a member.
  private func member(_ key: Key) -> ProbeDecoder {
    decoder.child(key.stringValue, decoder.node.member(key.stringValue))
  }

  /// Whether the member exists in this sample. A model that asks accepts its absence.
  func contains(_ key: Key) -> Bool {
    let path = FieldPath(decoder.names + [key.stringValue])
    guard (try? decoder.plan.field(path) { $0.isOptional = true }) != nil else { return false }
    return !decoder.plan.isAbsent(path)
  }

  func decodeNil(forKey key: Key) throws -> Bool { false }

  func decode<Decoded: Decodable>(_ type: Decoded.Type, forKey key: Key) throws -> Decoded {
    if let type = type as? any FieldlessDecodable.Type {
      guard let decoded = try type.init(fieldless: decoder.userInfo) as? Decoded else {
        throw decoder.failed(type)
      }
      return decoded
    }
    return try member(key).decode(type)
  }

  // The standard library's implementations for these two types throw.
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try member(key).decode(type) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try member(key).decode(type) }

  /// Decodes a member that may be absent. A type that contains itself is absent at the second level, and one
  /// of which no sample can be made is always absent.
  func decodeIfPresent<Decoded: Decodable>(_ type: Decoded.Type, forKey key: Key) throws -> Decoded? {
    guard !(type is any FieldlessDecodable.Type), !decoder.types.contains(ObjectIdentifier(type)),
      contains(key)
    else { return nil }
    let failure = decoder.plan.failure
    do { return try decode(type, forKey: key) } catch {
      decoder.plan.failure = failure
      decoder.node.removeMember(key.stringValue)
      return nil
    }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }

  func superDecoder() -> any Decoder { decoder.child("super", decoder.node.member("super")) }
  func superDecoder(forKey key: Key) -> any Decoder { member(key) }
}

/// The elements of an array: one, and more if the type asks for them; none as the array's other value.
private struct ProbeElements: UnkeyedDecodingContainer {
  let decoder: ProbeDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { nil }
  var currentIndex = 0
  var isAtEnd: Bool { currentIndex > 0 || decoder.isRecursive || decoder.plan.isOther(decoder.path) }

  private mutating func next() -> ProbeDecoder {
    let node = ProbeNode()
    decoder.node.elements?.append(node)
    currentIndex += 1
    return decoder.child("[\(currentIndex)]", node)
  }

  func decodeNil() -> Bool { false }
  mutating func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded { try next().decode(type) }
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try next().decode(type) }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next().decode(type) }
  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }
  mutating func superDecoder() -> any Decoder { next() }
}

/// A single value.
private struct ProbeValue: SingleValueDecodingContainer {
  let decoder: ProbeDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  /// Whether the value is null in this sample. A type that asks accepts null.
  func decodeNil() -> Bool {
    let isKnown = (try? decoder.plan.field(decoder.path) { $0.isOptional = true }) != nil
    guard isKnown, !decoder.plan.isAbsent(decoder.path), !decoder.isRecursive else {
      decoder.node.single = .null
      return true
    }
    return false
  }

  func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded { try decoder.decode(type) }

  func decode(_ type: Bool.Type) throws -> Bool {
    let value = try decoder.plan.bit(decoder.path) == 1
    decoder.node.single = .boolean(value)
    return value
  }

  func decode(_ type: String.Type) throws -> String {
    let text = try decoder.plan.text(decoder.path)
    decoder.node.single = .string(text)
    return text
  }

  func decode(_ type: Double.Type) throws -> Double {
    // Exact: a number is less than 2^22.
    let number = Double(try decoder.plan.number(decoder.path))
    let value = number == 0 ? 0 : -number - 0.25
    decoder.node.single = .double(value)
    return value
  }

  // The value is exact in a `Float`, because a number is less than 2^22.
  func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

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
  func decode(_ type: Int128.Type) throws -> Int128 { try integer() }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try integer() }

  /// Returns an integer, negative if the type has negative ones, so that an absolute value differs.
  private func integer<Number: FixedWidthInteger>() throws -> Number {
    let isNarrow = Number.bitWidth < 32
    let number = try isNarrow ? decoder.plan.bit(decoder.path) : decoder.plan.number(decoder.path)
    let value = Number(clamping: Number.isSigned ? 0 - number : number)
    decoder.node.single = .integer(Int64(clamping: value))
    return value
  }
}
