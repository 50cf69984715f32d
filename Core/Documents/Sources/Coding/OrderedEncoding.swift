public import TenonStoreInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Turns values into bytes whose order is the values' order, so that SQLite can compare them: the keys of indexes.
///
/// Values that compare as equal have the same bytes, whatever their types: 1 and 1.0, 0 and -0.0.
public enum OrderedEncoding {
  // A tag begins each value; gaps leave room. 0 ends a list and sorts before every tag.
  private enum Tag {
    static let end: UInt8 = 0
    static let null: UInt8 = 0x10
    static let no: UInt8 = 0x18
    static let yes: UInt8 = 0x19
    static let number: UInt8 = 0x20
    static let timestamp: UInt8 = 0x28
    static let string: UInt8 = 0x30
    static let bytes: UInt8 = 0x38
    static let reference: UInt8 = 0x40
    static let geoPoint: UInt8 = 0x48
    static let array: UInt8 = 0x50
    static let vector: UInt8 = 0x58
    static let map: UInt8 = 0x60
    static let numericID: UInt8 = 0x10
    static let textID: UInt8 = 0x20
    static let entry: UInt8 = 0x10
  }

  /// The bytes of a value.
  public static func encode(_ value: Value) -> Data {
    var bytes: [UInt8] = []
    // Most values fit, so that room is made once.
    if case .string(let text) = value {
      bytes.reserveCapacity(text.utf8.count + 3)
    } else {
      bytes.reserveCapacity(16)
    }
    append(value, to: &bytes)
    return Data(bytes)
  }

  /// The bytes of a path: those of a document sort between its collection's and those of the next collection.
  public static func encode(_ path: ResourcePath) -> Data {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32)
    append(path, to: &bytes)
    return Data(bytes)
  }

  /// The least bytes of any value of the same type, and the least bytes of any value of a greater type.
  public static func typeBounds(of value: Value) -> (lower: Data, upper: Data) {
    // A boolean's two values are two tags.
    let tag: UInt8 =
      switch value {
      case .null: Tag.null
      case .boolean: Tag.no
      case .integer, .double: Tag.number
      case .timestamp: Tag.timestamp
      case .string: Tag.string
      case .bytes: Tag.bytes
      case .reference: Tag.reference
      case .geoPoint: Tag.geoPoint
      case .array: Tag.array
      case .vector: Tag.vector
      case .map: Tag.map
      }
    return (Data([tag]), Data([tag + 8]))
  }

  /// Appends the bytes of a value.
  package static func append(_ value: Value, to bytes: inout [UInt8]) {
    switch value {
    case .null: bytes.append(Tag.null)
    case .boolean(let value): bytes.append(value ? Tag.yes : Tag.no)
    case .integer(let value):
      bytes.append(Tag.number)
      append(value, to: &bytes)
    case .double(let value):
      bytes.append(Tag.number)
      append(value, remainder: 0, to: &bytes)
    case .timestamp(let value):
      bytes.append(Tag.timestamp)
      append(signed: value.seconds, to: &bytes)
      append(bigEndian: UInt32(bitPattern: value.nanoseconds), to: &bytes)
    case .string(let value):
      bytes.append(Tag.string)
      append(escaping: value, to: &bytes)
    case .bytes(let value):
      bytes.append(Tag.bytes)
      append(escaping: value, to: &bytes)
    case .reference(let path):
      bytes.append(Tag.reference)
      append(path, to: &bytes)
    case .geoPoint(let point):
      bytes.append(Tag.geoPoint)
      append(sortable: point.latitude, to: &bytes)
      append(sortable: point.longitude, to: &bytes)
    case .array(let elements):
      bytes.append(Tag.array)
      for element in elements { append(element, to: &bytes) }
      bytes.append(Tag.end)
    case .vector(let components):
      bytes.append(Tag.vector)
      append(bigEndian: UInt32(components.count), to: &bytes)
      for component in components { append(sortable: component, to: &bytes) }
    case .map(let fields):
      bytes.append(Tag.map)
      for entry in fields.entries {
        bytes.append(Tag.entry)
        append(escaping: entry.name, to: &bytes)
        append(entry.value, to: &bytes)
      }
      bytes.append(Tag.end)
    }
  }

  /// Appends the bytes of a path.
  package static func append(_ path: ResourcePath, to bytes: inout [UInt8]) {
    for segment in path.segments {
      if let number = ResourcePath.numericID(segment) {
        bytes.append(Tag.numericID)
        append(signed: number, to: &bytes)
      } else {
        bytes.append(Tag.textID)
        append(escaping: segment, to: &bytes)
      }
    }
    bytes.append(Tag.end)
  }

  // MARK: - Numbers

  /// An integer is the greatest double that doesn't exceed it, and what remains: exact beyond 2^53, and ordered
  /// among doubles.
  private static func append(_ value: Int64, to bytes: inout [UInt8]) {
    var double = Double(value)
    if double >= 0x1p63 || Int64(double) > value { double = double.nextDown }
    append(double, remainder: UInt16(value - Int64(double)), to: &bytes)
  }

  private static func append(_ value: Double, remainder: UInt16, to bytes: inout [UInt8]) {
    append(sortable: value, to: &bytes)
    append(bigEndian: remainder, to: &bytes)
  }

  /// IEEE 754 doubles sort as integers once negative ones are inverted and the others get the sign bit. NaN becomes
  /// the least, and -0.0 becomes 0.
  private static func append(sortable value: Double, to bytes: inout [UInt8]) {
    guard !value.isNaN else { return append(bigEndian: UInt64(0), to: &bytes) }
    let pattern = (value == 0 ? 0 : value).bitPattern
    let sign = UInt64(1) << 63
    append(bigEndian: pattern & sign != 0 ? ~pattern : pattern | sign, to: &bytes)
  }

  private static func append(signed value: Int64, to bytes: inout [UInt8]) {
    append(bigEndian: UInt64(bitPattern: value) ^ (1 << 63), to: &bytes)
  }

  private static func append<Number: FixedWidthInteger>(bigEndian value: Number, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// A number by its bytes, which may lack zeros at their end.
  package struct EncodedNumber {
    /// The greatest double that doesn't exceed the number.
    package let double: Double
    private let remainder: UInt16

    /// `nil` when the bytes are those of another value.
    package init?(_ bytes: Span<UInt8>) {
      guard bytes.count <= 11, bytes.count > 0, bytes[0] == Tag.number else { return nil }
      var pattern: UInt64 = 0
      var remainder: UInt16 = 0
      for position in 1..<11 {
        let byte = position < bytes.count ? bytes[position] : 0
        if position < 9 {
          pattern = pattern << 8 | UInt64(byte)
        } else {
          remainder = remainder << 8 | UInt16(byte)
        }
      }
      self.remainder = remainder
      let sign = UInt64(1) << 63
      double = pattern == 0 ? .nan : Double(bitPattern: pattern & sign != 0 ? pattern ^ sign : ~pattern)
    }

    /// The integer; `nil` when the number isn't one, or can only be a double.
    package var integer: Int64? {
      guard let whole = Int64(exactly: double) else { return nil }
      let (sum, overflows) = whole.addingReportingOverflow(Int64(remainder))
      return overflows ? nil : sum
    }

    /// Whether only an integer has these bytes.
    package var isBeyondDoubles: Bool { remainder != 0 }
  }

  // MARK: - Text and bytes

  private static func append(escaping text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { append(escaping: UnsafeRawBufferPointer($0), to: &bytes) }
  }

  private static func append(escaping data: Data, to bytes: inout [UInt8]) {
    data.withUnsafeBytes { append(escaping: $0, to: &bytes) }
  }

  /// 0 becomes 0 255, and 0 0 ends: an end sorts before everything that goes on.
  private static func append(escaping content: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    if ByteOrder.containsZero(content) {
      for byte in content {
        bytes.append(byte)
        if byte == 0 { bytes.append(255) }
      }
    } else {
      bytes.append(contentsOf: content)
    }
    bytes.append(0)
    bytes.append(0)
  }
}
