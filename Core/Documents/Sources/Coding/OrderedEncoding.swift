package import TenonFoundation
package import TenonValues

/// An encoding of values and paths as bytes that compare, lexicographically, like the values do in the order
/// of `Value.compare(_:)`. It is used for index keys, so that SQLite can compare them as blobs, which it does
/// by `memcmp` (https://sqlite.org/datatype3.html, section 4.1).
///
/// Values that compare as equal have equal encodings, regardless of their types: 1 and 1.0, 0 and -0.0. No
/// encoding is a prefix of a different one, so encodings can be concatenated: the first difference decides,
/// and it is in the first of the values that differ. Only numbers can be decoded; see `EncodedNumber`.
///
/// A value is a tag byte for its type, followed by:
/// - null and booleans: nothing; a boolean's tag is its value.
/// - numbers: 8 bytes for the greatest double that doesn't exceed the number, and 2 bytes for the remainder
///   of an integer.
/// - timestamps: 8 bytes for the seconds and 4 for the nanoseconds.
/// - strings and bytes: the bytes, with 0 escaped as 0 255, terminated by 0 0.
/// - references: a tag per ID and the ID, as an 8-byte number or as text, terminated by 0.
/// - geo points: 8 bytes each for the latitude and the longitude.
/// - arrays: the elements, terminated by 0.
/// - vectors: 4 bytes for the number of components, and 8 bytes per component.
/// - maps: per entry a tag, the name as text and the value, terminated by 0.
///
/// For example, the text `a` is encoded as `30 61 00 00`, and both 1 and 1.0 as
/// `20 BF F0 00 00 00 00 00 00 00 00`.
///
/// Numbers are big-endian, and signed ones have their sign bit inverted. The values must be valid for a
/// document, see `Fields.checkDocument(at:)`; the order of negative nanoseconds, for example, is wrong.
/// Encoding takes linear time, has no limit on depth or length, and can be used from any thread.
///
/// The encoding is stored in databases. Changing it requires rebuilding all indexes.
package enum OrderedEncoding {
  // The first byte of each value. Types are 8 apart, so that types can be inserted; `typeBounds(of:)` relies
  // on this distance. 0 terminates lists and is less than any tag.
  /// The tags of types, IDs and entries, in their order.
  ///
  /// The tags from `null` to `map` begin values. The last three are used inside paths and maps only, where
  /// they are compared with each other and with `end`.
  private enum Tag {
    /// Terminates references, arrays and maps. No tag is less, so a shorter list precedes a longer one.
    static let end: UInt8 = 0
    static let null: UInt8 = 0x10
    /// `false`; the tag is the whole encoding, as for null.
    static let no: UInt8 = 0x18
    static let yes: UInt8 = 0x19
    /// Integers and doubles, which are one type in the order.
    static let number: UInt8 = 0x20
    static let timestamp: UInt8 = 0x28
    static let string: UInt8 = 0x30
    static let bytes: UInt8 = 0x38
    static let reference: UInt8 = 0x40
    static let geoPoint: UInt8 = 0x48
    static let array: UInt8 = 0x50
    static let vector: UInt8 = 0x58
    static let map: UInt8 = 0x60
    /// A numeric ID of a path (`__id123__`), which precedes all others.
    static let numericID: UInt8 = 0x10
    /// Any other ID of a path.
    static let textID: UInt8 = 0x20
    /// An entry of a map. It distinguishes an entry with an empty name from the end of the map.
    static let entry: UInt8 = 0x10
  }

  /// Returns the encoding of a value.
  ///
  /// - Parameter value: the value, of any depth.
  /// - Returns: the bytes, at least one, without a limit; see ``IndexEncoding`` for the limit of index keys.
  ///   The size of a text is its UTF-8 length plus 3 and plus the number of its zero bytes; that of a number
  ///   is 11.
  /// - Complexity: O(*n*) in the number of bytes.
  package static func encode(_ value: Value) -> Data {
    var bytes: [UInt8] = []
    // Large enough for most values, so that memory is allocated once.
    if case .string(let text) = value {
      bytes.reserveCapacity(text.utf8.count + 3)
    } else {
      bytes.reserveCapacity(16)
    }
    append(value, to: &bytes)
    return Data(bytes)
  }

  /// Returns the encoding of a path. Encoded paths are ordered like by `ResourcePath.compare(_:)`.
  ///
  /// It is the encoding of a reference without the tag of references. The encoding of a path without its
  /// terminating 0 is therefore the common prefix of all paths below it.
  ///
  /// - Parameter path: the path of a document or a collection; a single 0 is returned for the root.
  package static func encode(_ path: ResourcePath) -> Data {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32)
    append(path, to: &bytes)
    return Data(bytes)
  }

  /// Returns bounds for the encodings of all values that have the same type as a value. Inequalities use
  /// them, because they hold only between values of the same type.
  ///
  /// The bounds aren't encodings of values: each is a single byte. They also apply to encodings truncated by
  /// ``IndexEncoding``.
  ///
  /// - Parameter value: the value. Integers and doubles are one type, as are both booleans; NaN is within the
  ///   bounds of numbers.
  /// - Returns: a lower bound, which is inclusive, and an upper bound, which is exclusive.
  package static func typeBounds(of value: Value) -> (lower: Data, upper: Data) {
    // The two booleans have a tag each.
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

  /// Appends the encoding of a value.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - bytes: the array to which the encoding is appended. The bytes already there aren't changed.
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
      append(bigEndian: UInt32(clamping: components.count), to: &bytes)
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

  /// Appends the encoding of a path.
  ///
  /// A numeric ID has a lesser tag than others, and its number follows as 8 bytes. All others follow as text.
  /// The terminator is less than both tags, so a path precedes the paths below it.
  ///
  /// - Parameters:
  ///   - path: the path. Its IDs aren't checked.
  ///   - bytes: the array to which the encoding is appended.
  package static func append(_ path: ResourcePath, to bytes: inout [UInt8]) {
    for segment in path.segments { append(id: segment, to: &bytes) }
    bytes.append(Tag.end)
  }

  /// Returns the encoding of a path with a single ID.
  package static func encode(id: String) -> Data {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(48)
    append(id: id, to: &bytes)
    bytes.append(Tag.end)
    return Data(bytes)
  }

  /// Appends an ID of a path.
  private static func append(id: String, to bytes: inout [UInt8]) {
    if let number = ResourcePath.numericID(id) {
      bytes.append(Tag.numericID)
      append(signed: number, to: &bytes)
    } else {
      bytes.append(Tag.textID)
      append(escaping: id, to: &bytes)
    }
  }

  // MARK: - Numbers

  /// Appends an integer as the greatest double that doesn't exceed it, followed by the remainder.
  ///
  /// This is exact beyond 2^53 too, and sorts integers correctly among doubles, whose remainder is 0.
  /// Adjacent doubles in the range of `Int64` are at most 1024 apart, so the remainder is less than 1024.
  /// 2^63 itself isn't in the range; an integer that is rounded up to it begins at the double before.
  private static func append(_ value: Int64, to bytes: inout [UInt8]) {
    var double = Double(value)
    // Checked: the double isn't greater than the greatest double below 2^63.
    if double >= 0x1p63 || Int64(double) > value { double = double.nextDown }
    // Checked: adjacent doubles are at most 1024 apart.
    append(double, remainder: UInt16(value - Int64(double)), to: &bytes)
  }

  /// Appends a double and a remainder, 10 bytes that sort by the double and then by the remainder.
  private static func append(_ value: Double, remainder: UInt16, to bytes: inout [UInt8]) {
    append(sortable: value, to: &bytes)
    append(bigEndian: remainder, to: &bytes)
  }

  /// Appends a double as 8 bytes that sort by value.
  ///
  /// The bit patterns of IEEE 754 doubles sort like integers once all bits of negative numbers are inverted
  /// and the sign bit of the others is set. NaN is encoded as 0, the least pattern, and -0.0 as 0.0.
  ///
  /// The least pattern of any other double is that of negative infinity, `00 0F FF FF FF FF FF FF`, so NaN
  /// comes first.
  private static func append(sortable value: Double, to bytes: inout [UInt8]) {
    guard !value.isNaN else { return append(bigEndian: UInt64(0), to: &bytes) }
    let pattern = (value == 0 ? 0 : value).bitPattern
    let sign = UInt64(1) << 63
    append(bigEndian: pattern & sign != 0 ? ~pattern : pattern | sign, to: &bytes)
  }

  /// Appends an integer as 8 bytes that sort by value: big-endian, with the sign bit inverted, so that
  /// negative numbers come first.
  private static func append(signed value: Int64, to bytes: inout [UInt8]) {
    append(bigEndian: UInt64(bitPattern: value) ^ (1 << 63), to: &bytes)
  }

  /// Appends an integer in big-endian order.
  private static func append<Number: FixedWidthInteger>(bigEndian value: Number, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// A number decoded from its encoding, by which a query is answered from an index without reading the
  /// document.
  ///
  /// The encoding doesn't contain the type: an integer and an equal double are indistinguishable, and so are
  /// 0.0 and -0.0. Trailing zero bytes of the encoding may be missing, as they are in index tables.
  package struct EncodedNumber {
    /// The greatest double that doesn't exceed the number.
    package let double: Double
    /// The difference between the number and ``double``, a non-negative integer.
    private let remainder: UInt16

    /// Decodes a number.
    ///
    /// - Parameter bytes: the encoding of a value, at most 11 bytes. Missing bytes count as 0.
    /// - Returns: `nil` if the bytes don't begin with the tag of numbers or are too many.
    package init?(_ bytes: Span<UInt8>) {
      guard bytes.count <= 11, bytes.count > 0, bytes[0] == Tag.number else { return nil }
      var pattern: UInt64 = 0
      var remainder: UInt16 = 0
      for position in 1..<11 {
        let byte = position < bytes.count ? bytes[position] : 0
        if position < 9 {
          pattern = pattern << 8 | UInt64(truncatingIfNeeded: byte)
        } else {
          remainder = remainder << 8 | UInt16(truncatingIfNeeded: byte)
        }
      }
      self.remainder = remainder
      let sign = UInt64(1) << 63
      double = pattern == 0 ? .nan : Double(bitPattern: pattern & sign != 0 ? pattern ^ sign : ~pattern)
    }

    /// The number as an integer; `nil` if it has a fraction, is NaN or infinite, or is outside the range of
    /// `Int64`.
    package var integer: Int64? {
      guard let whole = Int64(exactly: double) else { return nil }
      let (sum, overflows) = whole.addingReportingOverflow(Int64(truncatingIfNeeded: remainder))
      return overflows ? nil : sum
    }

    /// Whether the number is an integer that no double represents exactly. If so, it was certainly encoded
    /// from an integer.
    package var isBeyondDoubles: Bool { remainder != 0 }
  }

  // MARK: - Text and bytes

  /// Appends the beginning of a text or a byte string, which sorts directly after the encoding of a value
  /// that consists of it.
  ///
  /// - Parameters:
  ///   - content: the content of the value.
  ///   - count: the number of bytes that are encoded, at most those of the content.
  ///   - value: the value, which determines the tag.
  ///   - bytes: the array to which the encoding is appended.
  static func append(
    beginning content: UnsafeRawBufferPointer, _ count: Int, of value: Value, to bytes: inout [UInt8]
  ) {
    if case .string = value { bytes.append(Tag.string) } else { bytes.append(Tag.bytes) }
    // Checked: the callers pass constants.
    append(escaping: UnsafeRawBufferPointer(rebasing: content.prefix(count)), to: &bytes)
    // Instead of the terminator 0 0, which no other value with the same bytes is less than.
    bytes.removeLast(2)
    bytes.append(1)
  }

  /// Appends text as UTF-8, escaped and terminated. Few texts contain 0, the only byte that is escaped.
  private static func append(escaping text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { append(escaping: UnsafeRawBufferPointer($0), to: &bytes) }
  }

  /// Appends bytes, escaped and terminated.
  private static func append(escaping data: Data, to bytes: inout [UInt8]) {
    data.withUnsafeBytes { append(escaping: $0, to: &bytes) }
  }

  /// Appends bytes in which 0 is escaped as 0 255, followed by the terminator 0 0. The terminator sorts
  /// before any continuation, so a prefix precedes longer strings.
  ///
  /// In encoded content, every 0 is followed by 255, so that 0 0 occurs only at the end.
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
