public import TenonStoreInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Turns `Encodable` values into fields.
///
/// Dates become timestamps, `Data` becomes bytes, URLs become text; ``Value``, `Timestamp` and `GeoPoint` stand for
/// themselves. A `nil` property is left out.
public struct FieldsEncoder: Sendable {
  /// Creates an encoder.
  public init() {}

  /// The fields of a value that encodes itself with keys.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badValue`` when it doesn't; `EncodingError`.
  public func encode(_ value: some Encodable) throws -> Fields {
    guard case .map(let fields) = try ValueEncoding.value(of: value, path: []) else {
      throw DocumentError(.badValue, "A document is made of fields, which \(type(of: value)) doesn't have.")
    }
    return fields
  }
}

/// A place in which an encoder puts a value.
private final class Box {
  enum Kind {
    case single
    case list
    case keyed
  }

  var kind = Kind.single
  /// What a `.single` holds; an encoder that writes nothing leaves an empty map.
  var single = Value.map(Fields())
  private var elements: [Box] = []
  private var members: [(name: String, box: Box)] = []

  convenience init(_ value: Value) {
    self.init()
    single = value
  }

  var value: Value {
    switch kind {
    case .single: single
    case .list: .array(elements.map(\.value))
    case .keyed: .map(Fields(unsorted: members.map { Fields.Entry(name: $0.name, value: $0.box.value) }))
    }
  }

  var elementCount: Int { elements.count }

  /// A new member.
  func add(_ box: Box = Box(), named name: String) -> Box {
    kind = .keyed
    members.append((name, box))
    return box
  }

  /// A new last element.
  func add(_ box: Box = Box()) -> Box {
    kind = .list
    elements.append(box)
    return box
  }
}

private struct ValueEncoding: Encoder {
  let codingPath: [any CodingKey]
  let box: Box
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func value(of encodable: any Encodable, path: [any CodingKey]) throws -> Value {
    switch encodable {
    case let value as Value: return value
    case let fields as Fields: return .map(fields)
    case let timestamp as Timestamp: return .timestamp(timestamp)
    case let point as GeoPoint: return .geoPoint(point)
    case let date as Date: return .timestamp(Timestamp(date))
    case let data as Data: return .bytes(data)
    case let url as URL: return .string(url.absoluteString)
    default:
      let box = Box()
      try encodable.encode(to: ValueEncoding(codingPath: path, box: box))
      return box.value
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    box.kind = .keyed
    return KeyedEncodingContainer(Keyed<Key>(codingPath: codingPath, box: box))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    box.kind = .list
    return Unkeyed(codingPath: codingPath, box: box)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(codingPath: codingPath, box: box) }

  /// An integer that fits into 64 bits with a sign, as Firestore has them.
  static func integer(_ value: some BinaryInteger, path: [any CodingKey]) throws -> Value {
    guard let integer = Int64(exactly: value) else {
      throw EncodingError.invalidValue(
        value,
        .init(codingPath: path, debugDescription: "\(value) doesn't fit into a signed 64-bit integer")
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
    let value = try Single.value(of: value, path: codingPath + [key])
    _ = box.add(Box(value), named: key.stringValue)
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
    let value = try Single.value(of: value, path: codingPath)
    _ = box.add(Box(value))
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
    box.single = try Self.value(of: value, path: codingPath)
  }

  /// Scalars would encode themselves into a single value container again and again.
  static func value(of value: some Encodable, path: [any CodingKey]) throws -> Value {
    switch value {
    case let value as Bool: .boolean(value)
    case let value as String: .string(value)
    case let value as Double: .double(value)
    case let value as Float: .double(Double(value))
    case let value as any (BinaryInteger & Encodable): try ValueEncoding.integer(value, path: path)
    default: try ValueEncoding.value(of: value, path: path)
    }
  }
}
