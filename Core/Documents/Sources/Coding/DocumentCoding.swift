public import TenonStoreInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Turns fields into the bytes in which documents are stored, and back. Integers have a variable length; everything else
/// stands as it is.
public enum DocumentCoding {
  private enum Tag: UInt8 {
    case null = 0
    case no, yes, integer, double, timestamp, string, bytes, reference, geoPoint, array, vector, map
  }

  /// The bytes of fields.
  public static func encode(_ fields: Fields) -> Data {
    var bytes: [UInt8] = []
    append(fields, to: &bytes)
    return Data(bytes)
  }

  /// The fields in bytes.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged``.
  public static func decode(_ bytes: Data) throws(DocumentError) -> Fields {
    var reader = Reader(bytes: [UInt8](bytes))
    let fields = try reader.fields()
    guard reader.position == bytes.count else { throw Reader.damaged }
    return fields
  }

  // MARK: - Writing

  private static func append(_ fields: Fields, to bytes: inout [UInt8]) {
    append(count: fields.entries.count, to: &bytes)
    for entry in fields.entries {
      append(content: entry.name.utf8, count: entry.name.utf8.count, to: &bytes)
      append(entry.value, to: &bytes)
    }
  }

  private static func append(_ value: Value, to bytes: inout [UInt8]) {
    func tag(_ tag: Tag) { bytes.append(tag.rawValue) }
    switch value {
    case .null: tag(.null)
    case .boolean(let value): tag(value ? .yes : .no)
    case .integer(let value):
      tag(.integer)
      append(signed: value, to: &bytes)
    case .double(let value):
      tag(.double)
      append(value, to: &bytes)
    case .timestamp(let value):
      tag(.timestamp)
      append(signed: value.seconds, to: &bytes)
      append(signed: Int64(value.nanoseconds), to: &bytes)
    case .string(let value):
      tag(.string)
      append(content: value.utf8, count: value.utf8.count, to: &bytes)
    case .bytes(let value):
      tag(.bytes)
      append(content: value, count: value.count, to: &bytes)
    case .reference(let path):
      tag(.reference)
      append(count: path.segments.count, to: &bytes)
      for segment in path.segments { append(content: segment.utf8, count: segment.utf8.count, to: &bytes) }
    case .geoPoint(let point):
      tag(.geoPoint)
      append(point.latitude, to: &bytes)
      append(point.longitude, to: &bytes)
    case .array(let elements):
      tag(.array)
      append(count: elements.count, to: &bytes)
      for element in elements { append(element, to: &bytes) }
    case .vector(let components):
      tag(.vector)
      append(count: components.count, to: &bytes)
      for component in components { append(component, to: &bytes) }
    case .map(let fields):
      tag(.map)
      append(fields, to: &bytes)
    }
  }

  private static func append(content: some Sequence<UInt8>, count: Int, to bytes: inout [UInt8]) {
    append(count: count, to: &bytes)
    bytes.append(contentsOf: content)
  }

  private static func append(count: Int, to bytes: inout [UInt8]) {
    append(unsigned: UInt64(count), to: &bytes)
  }

  /// Zigzag, so that small negative numbers are short.
  private static func append(signed value: Int64, to bytes: inout [UInt8]) {
    append(unsigned: UInt64(bitPattern: (value << 1) ^ (value >> 63)), to: &bytes)
  }

  private static func append(unsigned value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static func append(_ value: Double, to bytes: inout [UInt8]) {
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> shift))
    }
  }

  // MARK: - Reading

  private struct Reader {
    static let damaged = DocumentError(.damaged, "A stored document can't be read: its bytes are damaged.")

    let bytes: [UInt8]
    var position = 0
    private var depth = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func byte() throws(DocumentError) -> UInt8 {
      guard position < bytes.count else { throw Self.damaged }
      defer { position += 1 }
      return bytes[position]
    }

    mutating func unsigned() throws(DocumentError) -> UInt64 {
      var value: UInt64 = 0
      for shift in stride(from: 0, to: 64, by: 7) {
        let byte = try byte()
        value |= UInt64(byte & 0x7F) << shift
        if byte & 0x80 == 0 { return value }
      }
      throw Self.damaged
    }

    mutating func signed() throws(DocumentError) -> Int64 {
      let value = try unsigned()
      return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// A number of things that follow, each at least one byte long.
    mutating func count() throws(DocumentError) -> Int {
      guard let count = Int(exactly: try unsigned()), count <= bytes.count - position else {
        throw Self.damaged
      }
      return count
    }

    mutating func content() throws(DocumentError) -> ArraySlice<UInt8> {
      let count = try count()
      defer { position += count }
      return bytes[position..<position + count]
    }

    mutating func text() throws(DocumentError) -> String { String(decoding: try content(), as: UTF8.self) }

    mutating func double() throws(DocumentError) -> Double {
      var pattern: UInt64 = 0
      for shift in stride(from: 0, to: 64, by: 8) { pattern |= UInt64(try byte()) << shift }
      return Double(bitPattern: pattern)
    }

    mutating func fields() throws(DocumentError) -> Fields {
      var entries: [Fields.Entry] = []
      for _ in 0..<(try count()) { entries.append(Fields.Entry(name: try text(), value: try value())) }
      return Fields(sortedEntries: entries)
    }

    mutating func value() throws(DocumentError) -> Value {
      depth += 1
      defer { depth -= 1 }
      // No document is so deep. Damaged bytes mustn't lead to the end of the stack.
      guard depth <= Fields.maximumDepth + 2 else { throw Self.damaged }
      switch Tag(rawValue: try byte()) {
      case .null: return .null
      case .no: return .boolean(false)
      case .yes: return .boolean(true)
      case .integer: return .integer(try signed())
      case .double: return .double(try double())
      case .timestamp:
        return .timestamp(
          Timestamp(seconds: try signed(), nanoseconds: Int32(truncatingIfNeeded: try signed()))
        )
      case .string: return .string(try text())
      case .bytes: return .bytes(Data(try content()))
      case .reference:
        var segments: [String] = []
        for _ in 0..<(try count()) { segments.append(try text()) }
        return .reference(ResourcePath(segments: segments))
      case .geoPoint: return .geoPoint(GeoPoint(latitude: try double(), longitude: try double()))
      case .array:
        var elements: [Value] = []
        for _ in 0..<(try count()) { elements.append(try value()) }
        return .array(elements)
      case .vector:
        var components: [Double] = []
        for _ in 0..<(try count()) { components.append(try double()) }
        return .vector(components)
      case .map: return .map(try fields())
      case nil: throw Self.damaged
      }
    }
  }
}
