import TenonFoundation
import TenonSignatures

/// An RSA key of the system's libcrypto, for signatures of JWTs (`RS256`). Any thread may use it.
final class RSAKey: Sendable {
  /// The key as the C module knows it.
  private let handle: UInt

  /// The sizes of a modulus that are accepted, in bits: smaller ones are too weak, and larger ones take too
  /// long.
  private static let sizes = 2_048...8_192

  private init?(_ handle: UInt) {
    self.handle = handle
    // `deinit` releases a key that isn't accepted.
    guard handle != 0, Self.sizes.contains(Int(clamping: tenon_key_bits(handle))) else { return nil }
  }

  deinit { tenon_key_free(handle) }

  /// Why libcrypto can't be used on this machine; `nil` if it can.
  static let problem: AdminError? = tenon_signatures_load().map { reason in
    AdminError(
      .cryptographyUnavailable,
      "libcrypto (OpenSSL 1.1.1 or newer) can't be loaded: \(String(cString: reason)). Install it on this machine."
    )
  }

  /// Reads a public key from the numbers of a JWK (RFC 7518, section 6.3.1).
  ///
  /// - Parameters:
  ///   - modulus: the big-endian bytes of `n`.
  ///   - exponent: the big-endian bytes of `e`.
  /// - Returns: `nil` if these aren't the numbers of a key of 2048 to 8192 bits.
  /// - Throws: ``AdminError`` with ``AdminError/Code/cryptographyUnavailable``.
  static func publicKey(modulus: [UInt8], exponent: [UInt8]) throws(AdminError) -> RSAKey? {
    if let problem { throw problem }
    // Limits the time that a key takes: exponents in use have three bytes.
    guard modulus.count <= 1_025, (1...8).contains(exponent.count) else { return nil }
    let bytes = DER.publicKey(modulus: modulus, exponent: exponent)
    return RSAKey(UInt(clamping: tenon_public_key(bytes, bytes.count)))
  }

  /// Reads a private key in the form of service accounts (PEM, RFC 7468).
  ///
  /// - Returns: `nil` if the text isn't an RSA key of 2048 to 8192 bits.
  /// - Throws: ``AdminError`` with ``AdminError/Code/cryptographyUnavailable``.
  static func privateKey(_ pem: Secret) throws(AdminError) -> RSAKey? {
    if let problem { throw problem }
    let lines = pem.value.split(whereSeparator: \.isNewline).drop { !$0.hasPrefix("-----BEGIN") }.dropFirst()
    let text = lines.prefix { !$0.hasPrefix("-----END") }.joined()
    guard var bytes = Data(base64Encoded: text).map({ [UInt8]($0) }), !bytes.isEmpty else { return nil }
    defer { tenon_erase(&bytes, bytes.count) }
    return RSAKey(UInt(clamping: tenon_private_key(bytes, bytes.count)))
  }

  /// Returns whether a signature of a message was made with the private key of this public one.
  func isValid(_ signature: [UInt8], of message: some StringProtocol) -> Bool {
    let message = Array(message.utf8)
    return tenon_verify(handle, message, message.count, signature, signature.count) == 1
  }

  /// Signs a message with this private key.
  ///
  /// - Returns: `nil` if libcrypto fails.
  func signature(of message: String) -> [UInt8]? {
    let message = Array(message.utf8)
    var size = (Self.sizes.upperBound + 7) / 8
    // Checked: a constant.
    var signature = [UInt8](repeating: 0, count: size)
    guard tenon_sign(handle, message, message.count, &signature, &size) == 1, size <= signature.count else {
      return nil
    }
    // Checked: at most the size of the array.
    return Array(signature.prefix(size))
  }
}

/// The parts of DER (ITU-T X.690) that a public key consists of.
enum DER {
  /// Returns a `SubjectPublicKeyInfo` (RFC 5280, section 4.1.2.7) of an RSA key.
  static func publicKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
    // rsaEncryption, 1.2.840.113549.1.1.1, with NULL as its parameters (RFC 8017, A.1).
    let algorithm: [UInt8] = [
      0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]
    let key = value(0x30, integer(modulus) + integer(exponent))
    return value(0x30, value(0x30, algorithm) + value(0x03, [0] + key))
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
