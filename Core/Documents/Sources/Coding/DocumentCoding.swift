package import TenonFoundation
package import TenonValues

/// The binary format in which documents are stored.
///
/// Fields are a count, followed by that many names and values in the order of the names. A value is a tag
/// byte, followed by:
/// - null and booleans: nothing; true and false have a tag each.
/// - integers: a zigzag varint.
/// - doubles: 8 bytes, little-endian.
/// - timestamps: the seconds and the nanoseconds as zigzag varints.
/// - strings and bytes: the length and the bytes; text is UTF-8.
/// - references: the number of IDs, and each ID as a string.
/// - geo points: the latitude and the longitude as doubles.
/// - arrays: the number of elements, and the elements.
/// - vectors: the number of components, and each as a double.
/// - maps: the fields.
///
/// Counts and lengths are unsigned varints: 7 bits per byte, least significant first. Varints and the zigzag
/// form are those of Protocol Buffers (https://protobuf.dev/programming-guides/encoding/#varints), but the
/// format isn't a protobuf message. For example, the fields `{a: 1}` are the bytes `01 01 61 03 02`: one
/// field, a name of one byte, `a`, the tag of integers, and 1 in zigzag form.
///
/// The format has neither a version nor a checksum. The bytes don't preserve the order of values; see
/// ``OrderedEncoding``. Doubles are restored bit by bit, the sign of zero and the payload of NaN included.
/// Encoding and decoding take linear time. There is no shared state, so both can be used from any thread.
package enum DocumentCoding {
  /// The type of a value. The raw values, 0 to 11 in this order, are part of the stored format and must not
  /// change; new types follow at the end.
  enum Tag: UInt8 {
    case null = 0
    case no, yes, integer, double, timestamp, string, bytes, reference, geoPoint, array, vector, map
  }

  /// Returns the encoding of fields.
  ///
  /// - Parameter fields: the fields, whose names must be sorted and unique. They should have passed
  ///   `Fields.checkDocument(at:)`: fields that nest too deeply can be encoded, but not decoded.
  /// - Returns: at least one byte; a single 0 for no fields.
  /// - Complexity: O(*n*) in the number of bytes.
  package static func encode(_ fields: Fields) -> Data { Data(bytes(of: fields)) }

  /// Returns the encoding of fields as an array, to which a caller can append; see ``encode(_:)``.
  package static func bytes(of fields: Fields) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(512)
    append(fields, to: &bytes)
    return bytes
  }

  /// Decodes fields.
  ///
  /// - Parameter bytes: the complete encoding. The result doesn't share its memory.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if the bytes are invalid or bytes are
  ///   left over. No bytes trap, and memory use is limited by their number.
  package static func decode(_ bytes: Data) throws(DocumentError) -> Fields { try decode(bytes.span) }

  /// Decodes fields from borrowed memory, for example a row of a database. The result doesn't refer to the
  /// memory.
  ///
  /// The names must be sorted, as ``encode(_:)`` writes them; this isn't checked. Invalid UTF-8 in text isn't
  /// an error: it is replaced by U+FFFD.
  ///
  /// - Parameter bytes: the complete encoding.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if the bytes end early, have an unknown
  ///   tag, an impossible count, more than 22 levels of values or a varint of more than ten bytes, or if
  ///   bytes are left over.
  package static func decode(_ bytes: Span<UInt8>) throws(DocumentError) -> Fields {
    var reader = Reader()
    let fields = try reader.fields(bytes)
    guard reader.position == bytes.count else { throw Reader.damaged }
    return fields
  }

  // MARK: - Writing

  /// Appends the number of fields, and their names and values.
  static func append(_ fields: Fields, to bytes: inout [UInt8]) {
    append(count: fields.entries.count, to: &bytes)
    for entry in fields.entries {
      append(entry.name, to: &bytes)
      append(entry.value, to: &bytes)
    }
  }

  /// Appends the tag and the content of a value.
  package static func append(_ value: Value, to bytes: inout [UInt8]) {
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
      append(signed: Int64(truncatingIfNeeded: value.nanoseconds), to: &bytes)
    case .string(let value):
      tag(.string)
      append(value, to: &bytes)
    case .bytes(let value):
      tag(.bytes)
      append(count: value.count, to: &bytes)
      bytes.append(contentsOf: value)
    case .reference(let path):
      tag(.reference)
      append(count: path.segments.count, to: &bytes)
      for segment in path.segments { append(segment, to: &bytes) }
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

  /// Appends the length in bytes and the UTF-8 bytes. The text isn't normalized.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    append(count: text.utf8.count, to: &bytes)
    // Appending a buffer is one copy.
    let copied: Void? = text.utf8.withContiguousStorageIfAvailable { bytes.append(contentsOf: $0) }
    if copied == nil { bytes.append(contentsOf: text.utf8) }
  }

  /// Appends the length of a name and its UTF-8 bytes.
  static func append(_ name: [UInt8], to bytes: inout [UInt8]) {
    append(count: name.count, to: &bytes)
    bytes += name
  }

  /// Appends a count or a length, which must not be negative.
  static func append(count: Int, to bytes: inout [UInt8]) {
    append(unsigned: UInt64(clamping: count), to: &bytes)
  }

  /// Appends a zigzag varint, in which small negative numbers are short too: 0, -1, 1, -2 are encoded as 0,
  /// 1, 2, 3.
  private static func append(signed value: Int64, to bytes: inout [UInt8]) {
    append(unsigned: UInt64(bitPattern: (value << 1) ^ (value >> 63)), to: &bytes)
  }

  /// Appends a varint: 7 bits per byte, least significant first; the high bit is set in all bytes but the
  /// last. One byte suffices up to 127, and ten suffice for any number.
  private static func append(unsigned value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends the bit pattern in little-endian order.
  private static func append(_ value: Double, to bytes: inout [UInt8]) {
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> shift))
    }
  }

  // MARK: - Reading

  /// The position of a decoder. The bytes are passed to each method because a `Span` can't be stored here.
  ///
  /// Every method reads from ``position`` on, advances it past what it returns, and throws ``damaged``
  /// instead of reading beyond the end. After an error the position is unspecified, and the reader must not
  /// be used again.
  struct Reader {
    /// The error for all invalid encodings. It doesn't name the document, whose path isn't part of the
    /// encoding.
    static let damaged = DocumentError(.damaged, "A stored document can't be read: its bytes are damaged.")

    /// The index of the next byte.
    private(set) var position = 0
    /// The nesting depth of the value that is being read: 0 for the document, 1 for the values of its fields.
    private var depth = 0

    /// Reads one byte; throws at the end.
    private mutating func byte(_ bytes: Span<UInt8>) throws(DocumentError) -> UInt8 {
      guard position < bytes.count else { throw Self.damaged }
      defer { position += 1 }
      return bytes[position]
    }

    /// Reads a varint of at most ten bytes. Bits beyond the 64th are ignored, and encodings that are longer
    /// than necessary are accepted.
    private mutating func unsigned(_ bytes: Span<UInt8>) throws(DocumentError) -> UInt64 {
      var value: UInt64 = 0
      for shift in stride(from: 0, to: 64, by: 7) {
        let byte = try byte(bytes)
        value |= UInt64(truncatingIfNeeded: byte & 0x7F) << shift
        if byte & 0x80 == 0 { return value }
      }
      throw Self.damaged
    }

    /// Reads a zigzag varint.
    private mutating func signed(_ bytes: Span<UInt8>) throws(DocumentError) -> Int64 {
      let value = try unsigned(bytes)
      return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// Reads the number of items that follow.
    ///
    /// Each item takes at least one byte, so a greater number than there are bytes left is invalid; this
    /// bounds the memory reserved for damaged input.
    mutating func count(_ bytes: Span<UInt8>) throws(DocumentError) -> Int {
      guard let count = Int(exactly: try unsigned(bytes)), count <= bytes.count - position else {
        throw Self.damaged
      }
      return count
    }

    /// Reads a length, skips that many bytes and returns their range, which is within the bytes.
    mutating func content(_ bytes: Span<UInt8>) throws(DocumentError) -> Range<Int> {
      let count = try count(bytes)
      // Checked: not more than the bytes that are left.
      defer { position += count }
      // Checked: not more than the bytes that are left.
      return position..<position + count
    }

    /// Reads text. Invalid UTF-8 is replaced by U+FFFD.
    private mutating func text(_ bytes: Span<UInt8>) throws(DocumentError) -> String {
      let range = try content(bytes)
      return bytes.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads bytes.
    private mutating func data(_ bytes: Span<UInt8>) throws(DocumentError) -> Data {
      let range = try content(bytes)
      return bytes.extracting(range).withUnsafeBufferPointer { Data($0) }
    }

    /// Reads a double.
    private mutating func double(_ bytes: Span<UInt8>) throws(DocumentError) -> Double {
      var pattern: UInt64 = 0
      for shift in stride(from: 0, to: 64, by: 8) {
        pattern |= UInt64(truncatingIfNeeded: try byte(bytes)) << shift
      }
      return Double(bitPattern: pattern)
    }

    /// Reads fields, those of a document or of a map. Their names must be sorted, as `encode` writes them;
    /// this isn't checked.
    mutating func fields(_ bytes: Span<UInt8>) throws(DocumentError) -> Fields {
      let count = try count(bytes)
      var entries: [Fields.Entry] = []
      // Checked: not more than the bytes that are left.
      entries.reserveCapacity(count)
      // Checked: not negative, and not more than the bytes that are left.
      for _ in 0..<count { entries.append(Fields.Entry(name: try text(bytes), value: try value(bytes))) }
      return Fields(sortedEntries: entries)
    }

    /// Reads a tag and the value that follows. Its rules, such as the range of a timestamp, aren't checked;
    /// only the low 32 bits of the nanoseconds are used.
    mutating func value(_ bytes: Span<UInt8>) throws(DocumentError) -> Value {
      try enter()
      defer { depth -= 1 }
      switch Tag(rawValue: try byte(bytes)) {
      case .null: return .null
      case .no: return .boolean(false)
      case .yes: return .boolean(true)
      case .integer: return .integer(try signed(bytes))
      case .double: return .double(try double(bytes))
      case .timestamp:
        return .timestamp(
          Timestamp(seconds: try signed(bytes), nanoseconds: Int32(truncatingIfNeeded: try signed(bytes)))
        )
      case .string: return .string(try text(bytes))
      case .bytes: return .bytes(try data(bytes))
      case .reference:
        var segments: [String] = []
        // Checked: not negative, and not more than the bytes that are left.
        for _ in 0..<(try count(bytes)) { segments.append(try text(bytes)) }
        return .reference(ResourcePath(segments: segments))
      case .geoPoint:
        return .geoPoint(GeoPoint(latitude: try double(bytes), longitude: try double(bytes)))
      case .array:
        var elements: [Value] = []
        // Checked: not negative, and not more than the bytes that are left.
        for _ in 0..<(try count(bytes)) { elements.append(try value(bytes)) }
        return .array(elements)
      case .vector:
        var components: [Double] = []
        // Checked: not negative, and not more than the bytes that are left.
        for _ in 0..<(try count(bytes)) { components.append(try double(bytes)) }
        return .vector(components)
      case .map: return .map(try fields(bytes))
      case nil: throw Self.damaged
      }
    }

    /// Begins to read a value.
    ///
    /// Valid documents don't nest deeper than the limit, which keeps damaged bytes from overflowing the
    /// stack.
    private mutating func enter() throws(DocumentError) {
      depth += 1
      guard depth <= Fields.maximumDepth + 2 else { throw Self.damaged }
    }

    // MARK: - Reading some of the fields

    /// Skips a tag and the value that follows. What ``value(_:)`` can't read is an error here as well.
    mutating func skipValue(_ bytes: Span<UInt8>) throws(DocumentError) {
      try enter()
      defer { depth -= 1 }
      switch Tag(rawValue: try byte(bytes)) {
      case .null, .no, .yes: return
      case .integer: _ = try unsigned(bytes)
      case .double: try skip(8, bytes)
      case .timestamp: for _ in 0..<2 { _ = try unsigned(bytes) }
      case .string, .bytes: _ = try content(bytes)
      // Checked: not negative, and not more than the bytes that are left.
      case .reference: for _ in 0..<(try count(bytes)) { _ = try content(bytes) }
      case .geoPoint: try skip(16, bytes)
      // Checked: not negative, and not more than the bytes that are left.
      case .array: for _ in 0..<(try count(bytes)) { try skipValue(bytes) }
      // Checked: not negative, and not more than the bytes that are left.
      case .vector: for _ in 0..<(try count(bytes)) { try skip(8, bytes) }
      case .map:
        // Checked: not negative, and not more than the bytes that are left.
        for _ in 0..<(try count(bytes)) {
          _ = try content(bytes)
          try skipValue(bytes)
        }
      case nil: throw Self.damaged
      }
    }

    /// Skips bytes; throws if there are fewer.
    private mutating func skip(_ count: Int, _ bytes: Span<UInt8>) throws(DocumentError) {
      guard count <= bytes.count - position else { throw Self.damaged }
      // Checked: not more than the bytes that are left.
      position += count
    }

    /// Reads the fields of a document that have one of some names, and skips those before and between them.
    /// The position is unspecified afterwards.
    ///
    /// - Parameters:
    ///   - names: the names, sorted by their bytes, each once.
    ///   - bytes: the encoding of the document.
    mutating func fields(
      named names: [FieldSelection.Name], _ bytes: Span<UInt8>
    ) throws(DocumentError) -> Fields {
      var entries: [Fields.Entry] = []
      entries.reserveCapacity(names.count)
      var wanted = names[...]
      // Checked: not negative, and not more than the bytes that are left.
      for _ in 0..<(try count(bytes)) {
        guard !wanted.isEmpty else { break }
        let name = bytes.extracting(try content(bytes))
        var order = 1
        while let next = wanted.first {
          order = ByteOrder.compare(next.bytes.span, name)
          guard order < 0 else { break }
          // The document lacks the field.
          wanted.removeFirst()
        }
        if order == 0, let found = wanted.popFirst() {
          entries.append(Fields.Entry(name: found.text, value: try value(bytes)))
        } else if !wanted.isEmpty {
          try skipValue(bytes)
        }
      }
      return Fields(sortedEntries: entries)
    }

    /// Moves to the value of a field, given its name.
    ///
    /// - Parameters:
    ///   - name: the name in UTF-8.
    ///   - bytes: the encoding, at the beginning of the fields of a document or of a map.
    /// - Returns: whether there is such a field; otherwise all fields were skipped.
    mutating func find(_ name: [UInt8], _ bytes: Span<UInt8>) throws(DocumentError) -> Bool {
      // Checked: not negative, and not more than the bytes that are left.
      for _ in 0..<(try count(bytes)) {
        let range = try content(bytes)
        if range.count == name.count, name.indices.allSatisfy({ bytes[range.lowerBound + $0] == name[$0] }) {
          return true
        }
        try skipValue(bytes)
      }
      return false
    }

    /// Reads the tag of a map, so that its fields follow; returns `false` without moving if the value is of
    /// another type.
    mutating func enterMap(_ bytes: Span<UInt8>) throws(DocumentError) -> Bool {
      guard position < bytes.count else { throw Self.damaged }
      guard Tag(rawValue: bytes[position]) == .map else { return false }
      position += 1
      depth += 1
      return true
    }
  }
}

extension Fields {
  /// Whether identical fields may have another encoding of the same length: that of a NaN with other bits, or
  /// of a geo point with the other zero. All other identical fields have the same encoding.
  package var hasSeveralEncodings: Bool { entries.contains { $0.value.hasSeveralEncodings } }
}

extension Value {
  fileprivate var hasSeveralEncodings: Bool {
    switch self {
    case .double(let number): number.isNaN
    case .geoPoint(let point): point.latitude == 0 || point.longitude == 0
    case .vector(let components): components.contains { $0.isNaN }
    case .array(let elements): elements.contains { $0.hasSeveralEncodings }
    case .map(let fields): fields.hasSeveralEncodings
    case .null, .boolean, .integer, .timestamp, .string, .bytes, .reference: false
    }
  }
}
