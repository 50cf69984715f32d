public import TenonStoreInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Encodes `Encodable` values as fields.
///
/// Dates become timestamps, `Data` becomes bytes, and URLs become text; ``Value``, `Timestamp` and `GeoPoint` are stored as they
/// are. A property that is `nil` is omitted.
public struct FieldsEncoder: Sendable {
  /// Creates an encoder.
  public init() {}

  /// Returns the fields of a value that encodes itself with keys.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badValue`` if it does not encode itself with keys, or if a field is to
  ///   become a server timestamp, which exists only when the document is written; `EncodingError`.
  public func encode(_ value: some Encodable) throws -> Fields {
    let (fields, serverTimestamps) = try encodeDocument(value)
    if let field = serverTimestamps.first {
      throw DocumentError(
        .badValue, "The field \"\(field)\" is a server timestamp, which only a write to the database can set."
      )
    }
    return fields
  }

  /// Returns the fields of a value that encodes itself with keys, and the fields that become server timestamps.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badValue`` if it does not encode itself with keys, or if an array
  ///   contains a server timestamp; `EncodingError`.
  package func encodeDocument(
    _ value: some Encodable
  ) throws -> (fields: Fields, serverTimestamps: [FieldPath]) {
    let box = try ValueEncoding.box(of: value, path: [])
    guard case .map(let fields) = box.value else {
      throw DocumentError(.badValue, "A document consists of fields, which \(type(of: value)) does not have.")
    }
    guard box.containsServerTimestamp else { return (fields, []) }
    var serverTimestamps: [FieldPath] = []
    try box.addServerTimestamps(below: [], to: &serverTimestamps)
    return (fields, serverTimestamps)
  }
}

/// The encoder of a field, through which property wrappers write what is not a value.
package protocol FieldEncoder {
  /// Omits the field.
  func omit()
  /// Sets the field to the server's timestamp when the document is written.
  func setServerTimestamp()
}

/// The value that an encoder writes.
private final class Box {
  enum Kind {
    case single
    case list
    case keyed
    case omitted
    case serverTimestamp
  }

  var kind = Kind.single
  /// The value of a `.single`; an encoder that writes nothing leaves an empty map.
  var single = Value.map(Fields())
  private var elements: [Box] = []
  private var members: [(name: String, box: Box)] = []

  convenience init(_ value: Value) {
    self.init()
    single = value
  }

  var value: Value {
    switch kind {
    case .single, .omitted, .serverTimestamp: single
    case .list: .array(elements.map(\.value))
    case .keyed:
      .map(
        Fields(
          unsorted: members.compactMap { name, box in
            box.isValue ? Fields.Entry(name: name, value: box.value) : nil
          }))
    }
  }

  private var isValue: Bool { kind != .omitted && kind != .serverTimestamp }

  var containsServerTimestamp: Bool {
    switch kind {
    case .serverTimestamp: true
    case .list: elements.contains(where: \.containsServerTimestamp)
    case .keyed: members.contains(where: \.box.containsServerTimestamp)
    case .single, .omitted: false
    }
  }

  /// Adds the paths of the server timestamps in this box, which is at a path.
  func addServerTimestamps(below names: [String], to fields: inout [FieldPath]) throws {
    switch kind {
    case .serverTimestamp: fields.append(FieldPath(names))
    case .keyed:
      for (name, box) in members { try box.addServerTimestamps(below: names + [name], to: &fields) }
    case .list:
      if containsServerTimestamp {
        throw DocumentError(
          .badValue,
          "The array in \"\(FieldPath(names))\" contains a server timestamp; put it in a map outside the array."
        )
      }
    case .single, .omitted: break
    }
  }

  var elementCount: Int { elements.count }

  /// Adds a member.
  func add(_ box: Box = Box(), named name: String) -> Box {
    kind = .keyed
    members.append((name, box))
    return box
  }

  /// Adds an element.
  func add(_ box: Box = Box()) -> Box {
    kind = .list
    elements.append(box)
    return box
  }
}

private struct ValueEncoding: Encoder, FieldEncoder {
  let codingPath: [any CodingKey]
  let box: Box
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func box(of encodable: any Encodable, path: [any CodingKey]) throws -> Box {
    switch encodable {
    case let value as Value: return Box(value)
    case let fields as Fields: return Box(.map(fields))
    case let timestamp as Timestamp: return Box(.timestamp(timestamp))
    case let point as GeoPoint: return Box(.geoPoint(point))
    case let date as Date: return Box(.timestamp(Timestamp(date: date)))
    case let data as Data: return Box(.bytes(data))
    case let url as URL: return Box(.string(url.absoluteString))
    default:
      let box = Box()
      try encodable.encode(to: ValueEncoding(codingPath: path, box: box))
      return box
    }
  }

  func omit() { box.kind = .omitted }

  func setServerTimestamp() { box.kind = .serverTimestamp }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    box.kind = .keyed
    return KeyedEncodingContainer(Keyed<Key>(codingPath: codingPath, box: box))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    box.kind = .list
    return Unkeyed(codingPath: codingPath, box: box)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(codingPath: codingPath, box: box) }

  /// Returns an integer, which must fit into a signed 64-bit integer, the type of Firestore's integers.
  static func integer(_ value: some BinaryInteger, path: [any CodingKey]) throws -> Value {
    guard let integer = Int64(exactly: value) else {
      throw EncodingError.invalidValue(
        value,
        .init(codingPath: path, debugDescription: "\(value) does not fit into a signed 64-bit integer")
      )
    }
    return .integer(integer)
  }
}

private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let codingPath: [any CodingKey]
  let box: Box

  func encodeNil(forKey key: Key) { _ = box.add(Box(.null), named: key.stringValue) }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    let value = try Single.box(of: value, path: codingPath + [key])
    _ = box.add(value, named: key.stringValue)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    ValueEncoding(codingPath: codingPath + [key], box: box.add(named: key.stringValue)).container(
      keyedBy: type
    )
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    ValueEncoding(codingPath: codingPath + [key], box: box.add(named: key.stringValue)).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { ValueEncoding(codingPath: codingPath, box: box.add(named: "super")) }

  func superEncoder(forKey key: Key) -> any Encoder {
    ValueEncoding(codingPath: codingPath + [key], box: box.add(named: key.stringValue))
  }
}

private struct Unkeyed: UnkeyedEncodingContainer {
  let codingPath: [any CodingKey]
  let box: Box
  var count: Int { box.elementCount }

  func encodeNil() { _ = box.add(Box(.null)) }

  func encode(_ value: some Encodable) throws {
    let value = try Single.box(of: value, path: codingPath)
    _ = box.add(value)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    ValueEncoding(codingPath: codingPath, box: box.add()).container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    ValueEncoding(codingPath: codingPath, box: box.add()).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { ValueEncoding(codingPath: codingPath, box: box.add()) }
}

private struct Single: SingleValueEncodingContainer {
  let codingPath: [any CodingKey]
  let box: Box

  func encodeNil() { box.single = .null }
  func encode(_ value: some Encodable) throws {
    let value = try Self.box(of: value, path: codingPath)
    if value.kind == .omitted || value.kind == .serverTimestamp { box.kind = value.kind }
    box.single = value.value
  }

  /// Scalars would encode themselves into a single value container again and again.
  static func box(of value: some Encodable, path: [any CodingKey]) throws -> Box {
    switch value {
    case let value as Bool: Box(.boolean(value))
    case let value as String: Box(.string(value))
    case let value as Double: Box(.double(value))
    case let value as Float: Box(.double(Double(value)))
    case let value as any (BinaryInteger & Encodable): Box(try ValueEncoding.integer(value, path: path))
    default: try ValueEncoding.box(of: value, path: path)
    }
  }
}
