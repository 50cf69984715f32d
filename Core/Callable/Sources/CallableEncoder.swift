import TenonFoundation
import TenonJSON

/// The encoder of one value, which encodes it straight into a tree in the form of the callable protocol.
///
/// It is also the container of a value that encodes itself as a single one. The rules are those of
/// `JSONEncoder`, except for integers and dates; see ``CallableCoding``.
struct CallableEncoder: Encoder {
  /// Receives the encoded value.
  let node: CallableNode
  /// The path to the value.
  let path: JSONPath
  /// The number of arrays and objects around the value.
  let depth: Int

  /// The keys on the path to the value. They are collected at each access.
  var codingPath: [any CodingKey] { path.keys }
  /// Empty, because no type requires more than the value.
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Encodes a value as a tree.
  ///
  /// - Throws: `EncodingError`; what the value's `encode(to:)` throws.
  static func encode(_ value: some Encodable) throws -> JSON {
    let node = CallableNode()
    let encoder = CallableEncoder(node: node, path: .root, depth: 0)
    node.set(try encoder.part(of: value))
    return try node.json(depth: 0)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.becomeObject()
    return KeyedEncodingContainer(CallableMembers<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.becomeArray()
    return CallableElements(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// Returns the encoder of an element or a member.
  ///
  /// - Parameters:
  ///   - node: receives the encoded element or member.
  ///   - key: its key, which is appended to the path.
  func child(_ node: CallableNode, _ key: any CodingKey) -> CallableEncoder {
    CallableEncoder(node: node, path: .key(key, in: path), depth: depth + 1)
  }

  /// Encodes an element or a member.
  ///
  /// - Parameters:
  ///   - value: the element or member.
  ///   - key: its key, which is appended to the path.
  /// - Throws: `EncodingError`; what the value's `encode(to:)` throws.
  func part(of value: some Encodable, _ key: any CodingKey) throws -> CallableNode.Part {
    try child(CallableNode(), key).part(of: value)
  }

  /// Encodes the value of this encoder.
  ///
  /// - Throws: `EncodingError`; what the value's `encode(to:)` throws.
  func part<Value: Encodable>(of value: Value) throws -> CallableNode.Part {
    // Checked while descending, so that no nesting can exhaust the stack.
    guard depth <= JSON.deepestNesting else { throw Self.tooDeep(value, codingPath) }
    if let special = try special(value) { return .json(special) }
    let child = CallableEncoder(node: CallableNode(), path: path, depth: depth)
    try value.encode(to: child)
    return .node(child.node)
  }

  /// Returns the encoding of a type that doesn't encode itself in the form of the protocol; `nil` for other
  /// types.
  private func special<Value: Encodable>(_ value: Value) throws -> JSON? {
    switch Value.self {
    case is Date.Type:
      guard let date = value as? Date else { return nil }
      guard let text = date.iso8601Milliseconds else {
        // The error holds seconds, because printing a `Date` that isn't finite traps.
        throw invalid(
          date.timeIntervalSince1970, "The date is outside the years 0 to 9999 of ISO 8601.")
      }
      return .string(text)
    case is Data.Type: return (value as? Data).map { .string($0.base64EncodedString()) }
    case is URL.Type: return (value as? URL).map { .string($0.absoluteString) }
    case is JSON.Type: return (value as? JSON).map(CallableCoding.wrapped)
    case is Decimal.Type:
      guard let decimal = value as? Decimal else { return nil }
      let text = decimal.description
      if let integer = Int64(decimal: text).map(JSON.int) ?? UInt64(decimal: text).map(JSON.unsigned) {
        return CallableCoding.wrapped(integer)
      }
      guard !decimal.isNaN, let number = Double(decimal: text) else { throw invalid(text, Self.notFinite) }
      return .double(number)
    default: return nil
    }
  }

  /// Returns a number as JSON.
  ///
  /// - Throws: `EncodingError` if it isn't finite.
  func json(_ value: Double) throws -> JSON {
    guard value.isFinite else { throw invalid(value, Self.notFinite) }
    return .double(value)
  }

  /// Returns a number as JSON, with the digits of a `Float`: 0.1 is 0.1, and not the nearest `Double` to that
  /// `Float`.
  ///
  /// - Throws: `EncodingError` if it isn't finite.
  func json(_ value: Float) throws -> JSON { try json(Double(decimal: value.description) ?? Double(value)) }

  /// Returns an integer as JSON, wrapped if a double can't represent it.
  func json(_ value: some BinaryInteger) -> JSON {
    CallableCoding.wrapped(Int64(exactly: value).map(JSON.int) ?? .unsigned(UInt64(clamping: value)))
  }

  /// Returns the error for a value that JSON can't represent.
  private func invalid(_ value: Any, _ reason: String) -> EncodingError {
    .invalidValue(value, .init(codingPath: codingPath, debugDescription: reason))
  }

  /// Returns the error for a value that is nested too deep.
  static func tooDeep(_ value: Any, _ path: [any CodingKey]) -> EncodingError {
    .invalidValue(
      value,
      // A hundred keys explain nothing.
      .init(
        codingPath: Array(path.prefix(4)),
        debugDescription: "The value is nested more than \(JSON.deepestNesting) levels deep."))
  }

  private static let notFinite = "JSON can't represent infinities or NaN."
}

extension CallableEncoder: SingleValueEncodingContainer {
  func encodeNil() throws { node.set(.json(.null)) }
  func encode(_ value: Bool) throws { node.set(.json(.bool(value))) }
  func encode(_ value: String) throws { node.set(.json(.string(value))) }
  func encode(_ value: Double) throws { node.set(.json(try json(value))) }
  func encode(_ value: Float) throws { node.set(.json(try json(value))) }
  func encode(_ value: Int) throws { node.set(.json(json(value))) }
  func encode(_ value: Int8) throws { node.set(.json(json(value))) }
  func encode(_ value: Int16) throws { node.set(.json(json(value))) }
  func encode(_ value: Int32) throws { node.set(.json(json(value))) }
  func encode(_ value: Int64) throws { node.set(.json(json(value))) }
  func encode(_ value: UInt) throws { node.set(.json(json(value))) }
  func encode(_ value: UInt8) throws { node.set(.json(json(value))) }
  func encode(_ value: UInt16) throws { node.set(.json(json(value))) }
  func encode(_ value: UInt32) throws { node.set(.json(json(value))) }
  func encode(_ value: UInt64) throws { node.set(.json(json(value))) }
  func encode(_ value: some Encodable) throws { node.set(try part(of: value)) }
}

/// The container of an object. Members of a name that was encoded before replace it.
private struct CallableMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  /// The encoder of the object.
  let encoder: CallableEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  private func set(_ part: CallableNode.Part, _ key: any CodingKey) {
    encoder.node.members[key.stringValue] = part
  }

  /// Adds a member, and returns its encoder.
  private func child(_ key: any CodingKey) -> CallableEncoder {
    let node = CallableNode()
    set(.node(node), key)
    return encoder.child(node, key)
  }

  func encodeNil(forKey key: Key) throws { set(.json(.null), key) }
  func encode(_ value: Bool, forKey key: Key) throws { set(.json(.bool(value)), key) }
  func encode(_ value: String, forKey key: Key) throws { set(.json(.string(value)), key) }
  func encode(_ value: Int, forKey key: Key) throws { set(.json(encoder.json(value)), key) }
  func encode(_ value: Int8, forKey key: Key) throws { set(.json(encoder.json(value)), key) }
  func encode(_ value: Int16, forKey key: Key) throws { set(.json(encoder.json(value)), key) }
  func encode(_ value: Int32, forKey key: Key) throws { set(.json(encoder.json(value)), key) }
  func encode(_ value: Int64, forKey key: Key) throws { set(.json(encoder.json(value)), key) }
  func encode(_ value: UInt, forKey key: Key) throws { set(.json(encoder.json(value)), key) }
  func encode(_ value: UInt8, forKey key: Key) throws { set(.json(encoder.json(value)), key) }
  func encode(_ value: UInt16, forKey key: Key) throws { set(.json(encoder.json(value)), key) }
  func encode(_ value: UInt32, forKey key: Key) throws { set(.json(encoder.json(value)), key) }
  func encode(_ value: UInt64, forKey key: Key) throws { set(.json(encoder.json(value)), key) }
  func encode(_ value: some Encodable, forKey key: Key) throws { set(try encoder.part(of: value, key), key) }

  // These need their path for the error.
  func encode(_ value: Double, forKey key: Key) throws {
    set(.json(try encoder.child(encoder.node, key).json(value)), key)
  }
  func encode(_ value: Float, forKey key: Key) throws {
    set(.json(try encoder.child(encoder.node, key).json(value)), key)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    child(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    child(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { child(JSONKey(stringValue: "super")) }
  func superEncoder(forKey key: Key) -> any Encoder { child(key) }
}

/// The container of an array.
private struct CallableElements: UnkeyedEncodingContainer {
  /// The encoder of the array.
  let encoder: CallableEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.elements.count }

  private var key: JSONKey { JSONKey(index: count) }

  private func add(_ json: JSON) { encoder.node.elements.append(.json(json)) }

  /// Appends an element, and returns its encoder.
  private func child() -> CallableEncoder {
    let child = encoder.child(CallableNode(), key)
    encoder.node.elements.append(.node(child.node))
    return child
  }

  func encodeNil() throws { add(.null) }
  func encode(_ value: Bool) throws { add(.bool(value)) }
  func encode(_ value: String) throws { add(.string(value)) }
  func encode(_ value: Double) throws { add(try encoder.child(encoder.node, key).json(value)) }
  func encode(_ value: Float) throws { add(try encoder.child(encoder.node, key).json(value)) }
  func encode(_ value: Int) throws { add(encoder.json(value)) }
  func encode(_ value: Int8) throws { add(encoder.json(value)) }
  func encode(_ value: Int16) throws { add(encoder.json(value)) }
  func encode(_ value: Int32) throws { add(encoder.json(value)) }
  func encode(_ value: Int64) throws { add(encoder.json(value)) }
  func encode(_ value: UInt) throws { add(encoder.json(value)) }
  func encode(_ value: UInt8) throws { add(encoder.json(value)) }
  func encode(_ value: UInt16) throws { add(encoder.json(value)) }
  func encode(_ value: UInt32) throws { add(encoder.json(value)) }
  func encode(_ value: UInt64) throws { add(encoder.json(value)) }
  func encode(_ value: some Encodable) throws {
    encoder.node.elements.append(try encoder.part(of: value, key))
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    child().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { child().unkeyedContainer() }
  func superEncoder() -> any Encoder { child() }
}
