import TenonFoundation

/// Encodes `Encodable` types as a document's fields.
///
/// - `Date` becomes a timestamp, `Data` becomes bytes, and `URL` becomes text. `Value`, `Fields`,
///   `Timestamp`, `GeoPoint` and `VectorValue` are stored as they are.
/// - `Decimal` becomes a double, as Firebase stores it, so that queries compare it with other numbers: 15
///   significant digits are kept, and more are rounded. Where every digit counts, store text, or an integer
///   of the smallest unit.
/// - Integers must be in the range of `Int64`, also those of 128 bits. `Float` becomes a double.
/// - All other types have the form that they give themselves: `UUID` is text, `Locale` and `DateComponents`
///   are maps, `Range` is an array of its bounds. `Duration` is an array of two integers, and only one from
///   zero to 9.2 seconds can be encoded; store its seconds as a `Double` instead.
/// - An optional property that is `nil` is omitted if the type uses `encodeIfPresent`, as the compiler's
///   implementation does. An optional element of an array becomes null.
/// - If a type encodes a key more than once, the last value is used.
///
/// ```swift
/// struct Note: Codable {
///   var title: String
///   var created: Date
///   var rating: Int?
/// }
/// let note = Note(title: "Tea", created: Date(timeIntervalSince1970: 0), rating: nil)
/// try FieldsEncoder().encode(note)  // → ["title": "Tea", "created": Value(note.created)]
/// ```
///
/// Firestore's rules, such as those for names, depth and size, aren't checked here; see
/// `Fields.checkDocument(at:)`. An encoder has no state and can be used concurrently.
public struct FieldsEncoder: Sendable {
  /// Creates an encoder.
  public init() {}

  /// Returns the fields of a value that encodes itself with keys.
  ///
  /// - Parameter value: the value, typically a `struct`.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badValue`` if the value doesn't encode itself with
  ///   keys, if it contains a server timestamp, which only a write can set, or if an element of an array is
  ///   one that only a property can be, such as a document ID; `EncodingError` with the path of the field if
  ///   an integer or a `Duration` is out of range; errors of the value's `encode(to:)`.
  /// - Complexity: O(*n* log *n*) in the number of members of each map, which are sorted by their names.
  public func encode(_ value: some Encodable) throws -> Fields {
    let (fields, serverTimestamps) = try encodeDocument(value)
    if let field = serverTimestamps.first {
      throw DocumentError(
        .badValue, "The field \"\(field)\" is a server timestamp, which only a write to the database can set."
      )
    }
    return fields
  }

  /// Returns the fields of a value that encodes itself with keys, and the paths of the fields to be set to
  /// server timestamps.
  ///
  /// The fields and the paths are disjoint: a server timestamp leaves no field, and the caller adds a
  /// transform for each path.
  ///
  /// - Parameter value: the value, typically a `struct`.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badValue`` if the value doesn't encode itself with
  ///   keys, or if an array contains a server timestamp or an omitted element; `EncodingError` if an integer
  ///   is out of range; errors of the value's `encode(to:)`.
  package func encodeDocument(
    _ value: some Encodable
  ) throws -> (fields: Fields, serverTimestamps: [FieldPath]) {
    let box = try ValueEncoding.box(of: value, path: [])
    guard box.isValue, case .map(let fields) = box.value else {
      throw DocumentError(.badValue, "A document consists of fields, which \(type(of: value)) doesn't have.")
    }
    guard box.needsVisit else { return (fields, []) }
    var serverTimestamps: [FieldPath] = []
    try box.addServerTimestamps(below: [], to: &serverTimestamps)
    return (fields, serverTimestamps)
  }
}

/// The encoder of a field, by which property wrappers encode a field that has no value itself.
///
/// A wrapper obtains it by casting the `Encoder` passed to its `encode(to:)`; encoders of other modules don't
/// conform. It calls one of the methods, once, instead of requesting a container.
package protocol FieldEncoder {
  /// Omits the field from its map, also if the map is in an array. An element of an array can't be omitted:
  /// encoding the document fails.
  func omit()
  /// Sets the field to the server's timestamp when the document is written. In an array, encoding the
  /// document fails.
  func setServerTimestamp()
}

/// A value that is being encoded. It is a class because containers fill it after it has been added to its
/// parent.
///
/// Boxes form a tree, which is created, filled and converted by one call of the encoder. They aren't
/// synchronized.
private final class Box {
  /// The form of the content.
  enum Kind {
    /// A complete value.
    case single
    /// An array, filled by an unkeyed container.
    case list
    /// A map, filled by a keyed container.
    case keyed
    /// No field at all; see ``FieldEncoder/omit()``.
    case omitted
    /// A transform instead of a value; see ``FieldEncoder/setServerTimestamp()``.
    case serverTimestamp
  }

  /// The form of the content, set when a container is requested.
  var kind = Kind.single
  /// The value of a `.single`; an encoder that writes nothing leaves an empty map.
  var single = Value.map(Fields())
  /// The elements of a `.list`.
  private var elements: [Box] = []
  /// The members of a `.keyed` box, in the order in which they were encoded.
  private var members: [(name: String, box: Box)] = []

  /// Replaces the content by that of another box.
  func adopt(_ other: Box) {
    (kind, single, elements, members) = (other.kind, other.single, other.elements, other.members)
  }

  /// Creates a box with a complete value.
  convenience init(_ value: Value) {
    self.init()
    single = value
  }

  /// The value, without omitted members and server timestamps. It is computed from the whole tree each time.
  ///
  /// - Complexity: O(*n* log *n*) in the number of members of each map.
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

  /// Whether the box has a value, so that it becomes a field of its map.
  var isValue: Bool { kind != .omitted && kind != .serverTimestamp }

  /// Whether this box is or contains a server timestamp, or contains an omitted element of an array. The
  /// former are collected by ``addServerTimestamps(below:to:)``, and the latter rejected.
  var needsVisit: Bool {
    switch kind {
    case .serverTimestamp: true
    case .list: elements.contains { !$0.isValue || $0.needsVisit }
    case .keyed: members.contains(where: \.box.needsVisit)
    case .single, .omitted: false
    }
  }

  /// Appends the paths of all server timestamps in this box, and rejects those in arrays and omitted
  /// elements.
  ///
  /// - Parameters:
  ///   - names: the path of this box.
  ///   - fields: the paths found so far.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badValue`` if one is inside an array, where a
  ///   transform can't reach it, or if an element of an array is omitted.
  func addServerTimestamps(below names: [String], to fields: inout [FieldPath]) throws {
    switch kind {
    case .serverTimestamp: fields.append(FieldPath(names))
    case .keyed:
      for (name, box) in members { try box.addServerTimestamps(below: names + [name], to: &fields) }
    case .list:
      for element in elements {
        if element.kind == .omitted {
          throw DocumentError(
            .badValue,
            "The array in \"\(FieldPath(names))\" contains an element that is never written, such as a @DocumentID; "
              + "only a property can be omitted."
          )
        }
        var found: [FieldPath] = []
        try element.addServerTimestamps(below: names, to: &found)
        guard found.isEmpty else {
          throw DocumentError(
            .badValue,
            "The array in \"\(FieldPath(names))\" contains a server timestamp; put it in a map outside the array."
          )
        }
      }
    case .single, .omitted: break
    }
  }

  /// The number of elements of a list.
  var elementCount: Int { elements.count }

  /// Adds a member and returns it. The box becomes a map, whatever it was before.
  ///
  /// - Parameters:
  ///   - box: the member; by default an empty one, which a container fills later.
  ///   - name: the member's name. An earlier member of the same name is superseded when the value is
  ///     computed.
  func add(_ box: Box = Box(), named name: String) -> Box {
    kind = .keyed
    members.append((name, box))
    return box
  }

  /// Adds an element and returns it. The box becomes an array, whatever it was before.
  ///
  /// - Parameter box: the element; by default an empty one, which a container fills later.
  func add(_ box: Box = Box()) -> Box {
    kind = .list
    elements.append(box)
    return box
  }
}

/// The encoder of one value, which writes into a box. Its `userInfo` is empty.
private struct ValueEncoding: Encoder, FieldEncoder {
  /// The keys that lead to the value from the document, for errors. Elements of arrays add no key.
  let codingPath: [any CodingKey]
  /// The box into which the value is written.
  let box: Box
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Encodes a value into a new box. Types with their own Firestore representation are converted; all others
  /// encode themselves.
  ///
  /// - Parameters:
  ///   - encodable: the value. For scalars, `Single.box` is to be called instead.
  ///   - path: the keys that lead to the value.
  /// - Throws: errors of the value's `encode(to:)`.
  static func box(of encodable: any Encodable, path: [any CodingKey]) throws -> Box {
    switch encodable {
    case let value as Value: return Box(value)
    case let fields as Fields: return Box(.map(fields))
    case let timestamp as Timestamp: return Box(.timestamp(timestamp))
    case let point as GeoPoint: return Box(.geoPoint(point))
    case let vector as VectorValue: return Box(.vector(vector.array))
    case let date as Date: return Box(.timestamp(Timestamp(date: date)))
    case let data as Data: return Box(.bytes(data))
    case let url as URL: return Box(.string(url.absoluteString))
    // The nearest double. The description is a number, or "NaN".
    case let decimal as Decimal: return Box(.double(Double(decimal.description) ?? .nan))
    case let duration as Duration where duration < .zero || duration > longestStorableDuration:
      throw EncodingError.invalidValue(
        duration,
        .init(
          codingPath: path,
          debugDescription: "the Duration \(duration) isn't between zero and 9.2 seconds, the greatest whose "
            + "attoseconds fit into a signed 64-bit integer; store its seconds as a Double"))
    default:
      let box = Box()
      try encodable.encode(to: ValueEncoding(codingPath: path, box: box))
      return box
    }
  }

  /// The longest duration whose own form, the two halves of a 128-bit number of attoseconds, are integers of
  /// Firestore.
  private static let longestStorableDuration =
    Duration(secondsComponent: 9, attosecondsComponent: 223_372_036_854_775_807)

  /// Omits the field from its map.
  func omit() { box.kind = .omitted }

  /// Marks the field as a server timestamp.
  func setServerTimestamp() { box.kind = .serverTimestamp }

  /// Makes the box a map and returns a container for its members. Several containers of one encoder add to
  /// the same map, as those of a class and its superclass may do.
  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    box.kind = .keyed
    return KeyedEncodingContainer(Keyed<Key>(codingPath: codingPath, box: box))
  }

  /// Makes the box an array and returns a container for its elements. An array directly inside another can be
  /// encoded, but is rejected when the document is written.
  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    box.kind = .list
    return Unkeyed(codingPath: codingPath, box: box)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(codingPath: codingPath, box: box) }

  /// Returns an integer value.
  ///
  /// - Parameters:
  ///   - value: the integer, of any type and width.
  ///   - path: the keys that lead to it, for the error.
  /// - Throws: `EncodingError.invalidValue` if the integer is outside the range of `Int64`, Firestore's
  ///   integer type.
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

/// The members of a map. The name of a member is the string of its key.
private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let codingPath: [any CodingKey]
  let box: Box

  /// Adds a member that is null, unlike an omitted one.
  func encodeNil(forKey key: Key) { _ = box.add(Box(.null), named: key.stringValue) }

  /// Adds a member.
  func encode(_ value: some Encodable, forKey key: Key) throws {
    let value = try Single.box(of: value, path: codingPath + [key])
    _ = box.add(value, named: key.stringValue)
  }

  // The standard library's implementations for these two types throw.
  func encode(_ value: Int128, forKey key: Key) throws { try encodeInteger(value, forKey: key) }
  func encode(_ value: UInt128, forKey key: Key) throws { try encodeInteger(value, forKey: key) }

  private func encodeInteger(_ value: some BinaryInteger, forKey key: Key) throws {
    _ = box.add(Box(try ValueEncoding.integer(value, path: codingPath + [key])), named: key.stringValue)
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

  /// Returns an encoder for the member `super`, for a superclass whose properties are kept apart.
  func superEncoder() -> any Encoder { ValueEncoding(codingPath: codingPath, box: box.add(named: "super")) }

  func superEncoder(forKey key: Key) -> any Encoder {
    ValueEncoding(codingPath: codingPath + [key], box: box.add(named: key.stringValue))
  }
}

/// The elements of an array. The coding path of an element is that of the array.
private struct Unkeyed: UnkeyedEncodingContainer {
  let codingPath: [any CodingKey]
  let box: Box
  /// The number of elements encoded so far, including those of other containers of the same encoder.
  var count: Int { box.elementCount }

  func encodeNil() { _ = box.add(Box(.null)) }

  /// Adds an element.
  func encode(_ value: some Encodable) throws {
    let value = try Single.box(of: value, path: codingPath)
    _ = box.add(value)
  }

  func encode(_ value: Int128) throws { _ = box.add(Box(try ValueEncoding.integer(value, path: codingPath))) }
  func encode(_ value: UInt128) throws {
    _ = box.add(Box(try ValueEncoding.integer(value, path: codingPath)))
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    ValueEncoding(codingPath: codingPath, box: box.add()).container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    ValueEncoding(codingPath: codingPath, box: box.add()).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { ValueEncoding(codingPath: codingPath, box: box.add()) }
}

/// A single value. A second one encoded into the same container replaces the first.
private struct Single: SingleValueEncodingContainer {
  let codingPath: [any CodingKey]
  let box: Box

  func encodeNil() { box.adopt(Box(.null)) }

  /// Encodes the value in place of this one. Omission and server timestamps, also those inside the value, are
  /// passed on, so that a property wrapper can encode another one.
  func encode(_ value: some Encodable) throws { box.adopt(try Self.box(of: value, path: codingPath)) }

  func encode(_ value: Int128) throws { box.adopt(Box(try ValueEncoding.integer(value, path: codingPath))) }
  func encode(_ value: UInt128) throws { box.adopt(Box(try ValueEncoding.integer(value, path: codingPath))) }

  /// Encodes a value into a new box. Scalars are handled here, because their `encode(to:)` requests a single
  /// value container and would recurse endlessly.
  ///
  /// - Throws: `EncodingError` for an integer out of range; errors of the value's `encode(to:)`.
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
