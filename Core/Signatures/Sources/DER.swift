/// The parts of DER (ITU-T X.690) that public keys consist of.
package enum DER {
  /// Returns a `SubjectPublicKeyInfo` (RFC 5280, section 4.1.2.7) of an RSA key.
  ///
  /// - Parameters:
  ///   - modulus: the big-endian bytes of the modulus.
  ///   - exponent: the big-endian bytes of the exponent.
  /// - Returns: `nil` for a modulus of more than 8200 bits or an exponent of more than 64, which limits the
  ///   time that a key takes; those in use have at most 4096 bits, and 24.
  package static func publicKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8]? {
    guard modulus.count <= 1_025, (1...8).contains(exponent.count) else { return nil }
    // rsaEncryption, 1.2.840.113549.1.1.1, with NULL as its parameters (RFC 8017, A.1).
    let algorithm: [UInt8] = [
      0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]
    let key = value(0x30, integer(modulus) + integer(exponent))
    return value(0x30, value(0x30, algorithm) + value(0x03, [0] + key))
  }

  /// Returns a `SubjectPublicKeyInfo` of a point of the curve P-256 (RFC 5480).
  ///
  /// - Parameters:
  ///   - x: the 32 big-endian bytes of one coordinate.
  ///   - y: those of the other one.
  /// - Returns: `nil` for another number of bytes. Whether the point is on the curve isn't checked.
  package static func publicKey(x: [UInt8], y: [UInt8]) -> [UInt8]? {
    guard x.count == 32, y.count == 32 else { return nil }
    // ecPublicKey, 1.2.840.10045.2.1, with the curve, 1.2.840.10045.3.1.7.
    let algorithm: [UInt8] = [
      0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03,
      0x01,
      0x07,
    ]
    // 4: an uncompressed point.
    return value(0x30, value(0x30, algorithm) + value(0x03, [0, 4] + x + y))
  }

  /// Returns the big-endian bytes of the numbers of an RSA key, without leading zeros.
  ///
  /// - Parameter bytes: a `SubjectPublicKeyInfo`.
  /// - Returns: `nil` unless these bytes are what ``publicKey(modulus:exponent:)`` makes of the numbers.
  package static func numbers(ofPublicKey bytes: [UInt8]) -> (modulus: [UInt8], exponent: [UInt8])? {
    var rest = bytes[...]
    guard var info = content(0x30, of: &rest), content(0x30, of: &info) != nil,
      var key = content(0x03, of: &info), key.popFirst() == 0, var numbers = content(0x30, of: &key),
      let modulus = content(0x02, of: &numbers), let exponent = content(0x02, of: &numbers)
    else { return nil }
    let (n, e) = (Array(modulus.drop { $0 == 0 }), Array(exponent.drop { $0 == 0 }))
    return publicKey(modulus: n, exponent: e) == bytes ? (n, e) : nil
  }

  /// Removes the first value of bytes, and returns its content; `nil` if it has another tag or is cut off.
  private static func content(_ tag: UInt8, of bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard bytes.popFirst() == tag, let first = bytes.popFirst() else { return nil }
    var size = Int(clamping: first)
    if first >= 0x80 {
      // At most 2^16 bytes: a key has some hundreds.
      // Checked: at most 127.
      let octets = bytes.prefix(Int(clamping: first & 0x7F))
      guard (1...2).contains(octets.count), first & 0x7F <= 2 else { return nil }
      size = octets.reduce(0) { $0 << 8 | Int(clamping: $1) }
      bytes = bytes.dropFirst(octets.count)
    }
    guard size <= bytes.count else { return nil }
    // Checked: at most the number of bytes.
    let found = bytes.prefix(size)
    bytes = bytes.dropFirst(found.count)
    return found
  }

  /// Returns a nonnegative integer.
  private static func integer(_ bytes: [UInt8]) -> [UInt8] {
    let significant = Array(bytes.drop { $0 == 0 })
    let isNegative = significant.first.map { $0 >= 0x80 } ?? true
    return value(0x02, (isNegative ? [0] : []) + significant)
  }

  /// Returns a value with its tag and its length.
  private static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    var length = content.count
    guard length >= 0x80 else { return [tag, UInt8(truncatingIfNeeded: length)] + content }
    var digits: [UInt8] = []
    while length > 0 {
      digits.insert(UInt8(truncatingIfNeeded: length), at: 0)
      length >>= 8
    }
    return [tag, 0x80 | UInt8(truncatingIfNeeded: digits.count)] + digits + content
  }
}
