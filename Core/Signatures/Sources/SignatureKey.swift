import CSignatures
import TenonFoundation

/// The algorithms of signatures, by their names in RFC 7518.
package enum SignatureAlgorithm: String, Sendable, Hashable, Codable {
  /// RSA keys of 2048 to 8192 bits; signatures are those of PKCS #1, version 1.5.
  case rs256 = "RS256"
  /// Keys of the curve P-256; signatures are in DER.
  case es256 = "ES256"

  fileprivate var kind: TenonKeyKind {
    switch self {
    case .rs256: TENON_KEY_RSA
    case .es256: TENON_KEY_CURVE
    }
  }

  /// The sizes of keys that are accepted, in bits: smaller ones are too weak, and larger ones take too long.
  fileprivate var sizes: ClosedRange<Int> {
    switch self {
    case .rs256: 2_048...8_192
    case .es256: 256...256
    }
  }
}

/// The system's libcrypto can't be used.
package struct CryptographyUnavailable: Error, Sendable {
  /// Why, as the end of a sentence.
  package let reason: String

  /// Checks that libcrypto can be used on this machine.
  ///
  /// - Throws: the reason if it can't.
  package static func check() throws(CryptographyUnavailable) {
    if let problem { throw problem }
  }

  private static let problem = tenon_signatures_load().map {
    CryptographyUnavailable(reason: String(cString: $0))
  }
}

/// A public key of the system's libcrypto. Any thread may use it.
package final class PublicKey: Sendable {
  private let handle: UInt

  /// Reads a key.
  ///
  /// - Parameters:
  ///   - bytes: a `SubjectPublicKeyInfo` (RFC 5280, section 4.1.2.7).
  ///   - algorithm: the algorithm of its signatures.
  /// - Returns: `nil` if these bytes are no such key, for example if a point isn't on the curve.
  /// - Throws: ``CryptographyUnavailable``.
  package init?(_ bytes: [UInt8], _ algorithm: SignatureAlgorithm) throws(CryptographyUnavailable) {
    try CryptographyUnavailable.check()
    handle = UInt(clamping: tenon_public_key(algorithm.kind, bytes, bytes.count))
    // `deinit` releases a key that isn't accepted.
    guard handle != 0, algorithm.sizes.contains(Int(clamping: tenon_key_bits(handle))) else { return nil }
  }

  deinit { tenon_key_free(handle) }

  /// Reads an RSA key from the numbers of a JWK (RFC 7518, section 6.3.1).
  ///
  /// - Parameters:
  ///   - modulus: the big-endian bytes of `n`.
  ///   - exponent: the big-endian bytes of `e`.
  /// - Returns: `nil` if these aren't the numbers of a key of 2048 to 8192 bits.
  /// - Throws: ``CryptographyUnavailable``.
  package convenience init?(modulus: [UInt8], exponent: [UInt8]) throws(CryptographyUnavailable) {
    guard let bytes = DER.publicKey(modulus: modulus, exponent: exponent) else { return nil }
    try self.init(bytes, .rs256)
  }

  /// Returns whether a signature of a message was made with the private key of this public one.
  package func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    tenon_verify(handle, message, message.count, signature, signature.count) == 1
  }
}

/// A private key of the system's libcrypto. Any thread may use it.
package final class PrivateKey: Sendable {
  private let handle: UInt

  /// Reads a key in PEM (RFC 7468), for example that of a service account.
  ///
  /// - Parameters:
  ///   - pem: the key, PKCS #8 or PKCS #1.
  ///   - algorithm: the algorithm of its signatures.
  /// - Returns: `nil` if the text is no such key.
  /// - Throws: ``CryptographyUnavailable``.
  package init?(pem: String, _ algorithm: SignatureAlgorithm) throws(CryptographyUnavailable) {
    try CryptographyUnavailable.check()
    let lines = pem.split(whereSeparator: \.isNewline).drop { !$0.hasPrefix("-----BEGIN") }.dropFirst()
    let text = lines.prefix { !$0.hasPrefix("-----END") }.joined()
    var bytes = Data(base64Encoded: text).map { [UInt8]($0) } ?? []
    defer { tenon_erase(&bytes, bytes.count) }
    handle = bytes.isEmpty ? 0 : UInt(clamping: tenon_private_key(algorithm.kind, bytes, bytes.count))
    guard handle != 0, algorithm.sizes.contains(Int(clamping: tenon_key_bits(handle))) else { return nil }
  }

  /// Reads a key in DER.
  ///
  /// - Parameters:
  ///   - bytes: the key, PKCS #8, or PKCS #1 for RSA.
  ///   - algorithm: the algorithm of its signatures.
  /// - Returns: `nil` if these bytes are no such key.
  /// - Throws: ``CryptographyUnavailable``.
  package init?(der bytes: [UInt8], _ algorithm: SignatureAlgorithm) throws(CryptographyUnavailable) {
    try CryptographyUnavailable.check()
    handle = UInt(clamping: tenon_private_key(algorithm.kind, bytes, bytes.count))
    guard handle != 0, algorithm.sizes.contains(Int(clamping: tenon_key_bits(handle))) else { return nil }
  }

  /// Generates an RSA key of 2048 bits, which takes about a tenth of a second.
  ///
  /// - Returns: `nil` if libcrypto fails.
  /// - Throws: ``CryptographyUnavailable``.
  package init?(generatingRSA: Void) throws(CryptographyUnavailable) {
    try CryptographyUnavailable.check()
    handle = UInt(clamping: tenon_generate_rsa())
    guard handle != 0 else { return nil }
  }

  deinit { tenon_key_free(handle) }

  /// The greatest size of a key in DER: that of an RSA key of 8192 bits.
  private static let largest = 8_192

  /// The key in DER, for ``init(der:_:)``; `nil` if libcrypto fails. It is a secret.
  package var der: [UInt8]? { Self.written { tenon_write_private_key(handle, $0, $1) } }

  /// The public key, a `SubjectPublicKeyInfo`; `nil` if libcrypto fails.
  package var publicKey: [UInt8]? { Self.written { tenon_write_public_key(handle, $0, $1) } }

  /// Returns what a function writes into memory.
  private static func written(
    _ write: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Int>) -> Int32
  ) -> [UInt8]? {
    var size = largest
    // Checked: a constant.
    var bytes = [UInt8](repeating: 0, count: largest)
    let isWritten = bytes.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map { write($0, &size) == 1 } ?? false
    }
    defer { tenon_erase(&bytes, bytes.count) }
    // Checked: at most the size of the array.
    return isWritten && size <= largest ? Array(bytes.prefix(size)) : nil
  }

  /// Signs a message.
  ///
  /// - Returns: `nil` if libcrypto fails.
  package func signature(of message: [UInt8]) -> [UInt8]? {
    // The longest signature: that of an RSA key with as many bits.
    var size = (SignatureAlgorithm.rs256.sizes.upperBound + 7) / 8
    // Checked: a constant.
    var signature = [UInt8](repeating: 0, count: size)
    guard tenon_sign(handle, message, message.count, &signature, &size) == 1, size <= signature.count else {
      return nil
    }
    // Checked: at most the size of the array.
    return Array(signature.prefix(size))
  }
}
