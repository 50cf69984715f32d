extension Sequence<UInt8> {
  /// The bytes as hexadecimal digits in lower case.
  package var hexadecimal: String {
    reduce(into: "") { text, byte in text += (byte < 0x10 ? "0" : "") + String(byte, radix: 16) }
  }
}
