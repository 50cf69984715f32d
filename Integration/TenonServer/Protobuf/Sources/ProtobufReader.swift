/// Reads the parts of a message's bytes.
package struct ProtobufReader {
  /// The value of a field, as it is in the bytes.
  package enum Raw {
    /// A number: a varint, or 4 or 8 bytes.
    case number(UInt64)
    /// The place of bytes.
    case bytes(Range<Int>)
  }

  /// How a value is written (https://protobuf.dev/programming-guides/encoding).
  package enum WireType: UInt64 { case varint = 0, fixed64, bytes, groupStart, groupEnd, fixed32 }

  let bytes: [UInt8]
  private(set) var position: Int
  private let end: Int

  /// Creates a reader of a part of bytes.
  package init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    // Checked: ranges are those that readers of these bytes have returned.
    (position, end) = (range.lowerBound, range.upperBound)
  }

  package var isAtEnd: Bool { position >= end }

  /// Reads a number of up to 10 bytes.
  mutating func varint() throws(ProtobufError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < end {
      let byte = bytes[position]
      position += 1
      guard shift < 63 || byte <= 1 else { throw ProtobufError("A number has more than 64 bits.") }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
      guard shift <= 63 else { throw ProtobufError("A number has more than 10 bytes.") }
    }
    throw ProtobufError("The message ends within a number.")
  }

  /// Reads the number and the type of a field.
  package mutating func tag() throws(ProtobufError) -> (number: Int, type: WireType) {
    let tag = try varint()
    guard let type = WireType(rawValue: tag & 7), let number = Int(exactly: tag >> 3),
      (1...536_870_911).contains(number)
    else { throw ProtobufError("A field has a number or a type that doesn't exist.") }
    return (number, type)
  }

  /// Reads a value.
  package mutating func value(_ type: WireType) throws(ProtobufError) -> Raw {
    switch type {
    case .varint: .number(try varint())
    case .fixed64: .number(try fixed(8))
    case .fixed32: .number(try fixed(4))
    case .bytes: .bytes(try content())
    case .groupStart, .groupEnd: throw ProtobufError("A group isn't a value.")
    }
  }

  /// Reads a value that the message doesn't have, and ignores it.
  package mutating func skip(_ number: Int, _ type: WireType) throws(ProtobufError) {
    guard type == .groupStart else {
      _ = try value(type)
      return
    }
    var open = [number]
    while let last = open.last {
      let (number, type) = try tag()
      switch type {
      case .groupStart:
        guard open.count < ProtobufSchema.deepestNesting else { throw ProtobufError.tooDeep }
        open.append(number)
      case .groupEnd:
        guard number == last else { throw ProtobufError("A group has the end of another one.") }
        open.removeLast()
      default: _ = try value(type)
      }
    }
  }

  /// Reads a group whose beginning has been read.
  ///
  /// - Parameter number: the number of its field.
  /// - Returns: the place of its content.
  package mutating func group(_ number: Int) throws(ProtobufError) -> Range<Int> {
    let start = position
    var end = position
    while !isAtEnd {
      end = position
      let (found, type) = try tag()
      if type == .groupEnd {
        guard found == number else { throw ProtobufError("A group has the end of another one.") }
        return start..<end
      }
      try skip(found, type)
    }
    throw ProtobufError("The message ends within a group.")
  }

  /// Reads the length of bytes, and returns their place.
  private mutating func content() throws(ProtobufError) -> Range<Int> {
    guard let length = Int(exactly: try varint()), length <= end - position else {
      throw ProtobufError("The message ends within a value.")
    }
    let range = position..<position + length
    position += length
    return range
  }

  private mutating func fixed(_ count: Int) throws(ProtobufError) -> UInt64 {
    guard end - position >= count else { throw ProtobufError("The message ends within a number.") }
    var value: UInt64 = 0
    for offset in 0..<count { value |= UInt64(bytes[position + offset]) << UInt64(8 * offset) }
    position += count
    return value
  }
}

extension ProtobufError {
  /// The error for a message with too many levels.
  package static let tooDeep = ProtobufError(
    "The message has more than \(ProtobufSchema.deepestNesting) levels. Nest its maps and arrays less.")
}

extension ProtobufSchema {
  /// The greatest number of messages within each other, as in Google's parsers.
  package static let deepestNesting = 100
}
