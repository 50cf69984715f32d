/// Base32 without padding (RFC 4648, section 6), in which authenticator apps take their secrets.
enum Base32 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// Returns the encoding of bytes.
  static func encode(_ bytes: [UInt8]) -> String {
    var letters: [UInt8] = []
    var (buffer, bits): (UInt32, UInt32) = (0, 0)
    for byte in bytes {
      buffer = buffer &<< 8 | UInt32(truncatingIfNeeded: byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        letters.append(alphabet[Int(truncatingIfNeeded: buffer &>> bits & 0x1F)])
      }
      buffer &= 0xFF
    }
    if bits > 0 { letters.append(alphabet[Int(truncatingIfNeeded: buffer &<< (5 - bits) & 0x1F)]) }
    return String(decoding: letters, as: UTF8.self)
  }

  /// Returns the bytes of an encoding, in capital or small letters; `nil` if the text isn't valid.
  static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (buffer, bits): (UInt32, UInt32) = (0, 0)
    for letter in text.uppercased().utf8 {
      guard let value = alphabet.firstIndex(of: letter) else { return nil }
      buffer = (buffer &<< 5 | UInt32(truncatingIfNeeded: value)) & 0xFFFF
      bits += 5
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: buffer &>> bits))
    }
    return bytes
  }
}
