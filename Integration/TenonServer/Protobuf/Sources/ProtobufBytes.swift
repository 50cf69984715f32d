/// Writing the parts of a message.
extension [UInt8] {
  /// Appends a number in as few bytes as possible.
  package mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends the lowest bytes of a number, the lowest first.
  package mutating func append(fixed value: UInt64, count: Int) {
    for offset in 0..<count { append(UInt8(truncatingIfNeeded: value >> UInt64(8 * offset))) }
  }

  /// Appends the number and the type of a field, whose value follows.
  package mutating func append(_ number: Int, _ type: ProtobufReader.WireType) {
    append(varint: UInt64(number) << 3 | type.rawValue)
  }

  /// Appends a field that is a number.
  package mutating func append(_ number: Int, varint value: UInt64) {
    append(number, .varint)
    append(varint: value)
  }

  /// Appends a field that is bytes.
  package mutating func append(_ number: Int, content: [UInt8]) {
    append(number, .bytes)
    append(varint: UInt64(content.count))
    append(contentsOf: content)
  }
}
