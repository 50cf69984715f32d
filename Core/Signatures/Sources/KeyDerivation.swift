import CSignatures
import TenonFoundation

/// Digests, keyed digests and keys that are derived from passwords, of the system's libcrypto.
///
/// Each function returns `nil` if libcrypto fails, for example if it is configured without MD5. The caller limits
/// the work.
package enum KeyDerivation {
  /// A digest function.
  package enum Digest: Sendable, Hashable {
    case md5, sha1, sha256, sha512

    /// The size of the digest in bytes.
    package var size: Int {
      switch self {
      case .md5: 16
      case .sha1: 20
      case .sha256: 32
      case .sha512: 64
      }
    }

    /// Returns the digest at the beginning of the 64 bytes that the library may write.
    fileprivate func cut(_ bytes: [UInt8]) -> [UInt8] {
      // Checked: a constant.
      Array(bytes.prefix(size))
    }

    fileprivate var function: TenonDigest {
      switch self {
      case .md5: TENON_MD5
      case .sha1: TENON_SHA1
      case .sha256: TENON_SHA256
      case .sha512: TENON_SHA512
      }
    }
  }

  /// Whether libcrypto can be used on this machine.
  private static let isAvailable = tenon_derivations_load() == nil

  /// Returns the result of a function that fills an array.
  private static func filled(_ size: Int, _ fill: (inout [UInt8]) -> Int32) -> [UInt8]? {
    guard isAvailable, size > 0 else { return nil }
    // Checked: positive.
    var result = [UInt8](repeating: 0, count: size)
    return fill(&result) == 1 ? result : nil
  }

  /// Returns the digest of bytes.
  package static func digest(_ digest: Digest, of bytes: [UInt8]) -> [UInt8]? {
    filled(64) { tenon_digest(digest.function, bytes, bytes.count, &$0) }.map { digest.cut($0) }
  }

  /// Returns the HMAC (RFC 2104) of bytes.
  package static func hmac(_ digest: Digest, key: [UInt8], of bytes: [UInt8]) -> [UInt8]? {
    filled(64) { tenon_hmac(digest.function, key, key.count, bytes, bytes.count, &$0) }
      .map { digest.cut($0) }
  }

  /// Returns a key that PBKDF2 (RFC 8018) derives with HMAC.
  ///
  /// - Parameters:
  ///   - digest: the digest function of HMAC.
  ///   - password: the password.
  ///   - salt: the salt.
  ///   - rounds: the number of iterations, at least 1.
  ///   - size: the size of the key in bytes.
  package static func pbkdf2(
    _ digest: Digest, password: [UInt8], salt: [UInt8], rounds: Int32, size: Int
  ) -> [UInt8]? {
    filled(size) {
      tenon_pbkdf2(digest.function, password, password.count, salt, salt.count, rounds, &$0, size)
    }
  }

  /// The parameters of scrypt (RFC 7914).
  package struct Scrypt: Sendable, Hashable {
    /// *N*, a power of two.
    package let cost: UInt64
    /// *r*.
    package let blockSize: UInt64
    /// *p*.
    package let parallelization: UInt64

    /// Creates parameters. Which ones libcrypto accepts is known when they are used.
    package init(cost: UInt64, blockSize: UInt64, parallelization: UInt64) {
      self.cost = cost
      self.blockSize = blockSize
      self.parallelization = parallelization
    }
  }

  /// The most memory that scrypt takes, in bytes.
  private static let mostMemory: UInt64 = 320 << 20

  /// Returns a key that scrypt derives; `nil` also if it would take more than 320 MiB.
  ///
  /// - Parameters:
  ///   - scrypt: the parameters.
  ///   - password: the password.
  ///   - salt: the salt.
  ///   - size: the size of the key in bytes.
  package static func scrypt(_ scrypt: Scrypt, password: [UInt8], salt: [UInt8], size: Int) -> [UInt8]? {
    filled(size) {
      tenon_scrypt(
        password, password.count, salt, salt.count, scrypt.cost, scrypt.blockSize, scrypt.parallelization,
        mostMemory, &$0, size)
    }
  }

  /// Returns bytes encrypted by AES-256 in counter mode, whose counter begins with 0.
  ///
  /// - Parameters:
  ///   - bytes: the bytes, at least one.
  ///   - key: 32 bytes.
  package static func aesCTR(_ bytes: [UInt8], key: [UInt8]) -> [UInt8]? {
    guard key.count == 32 else { return nil }
    return filled(bytes.count) { tenon_aes_ctr(key, bytes, bytes.count, &$0) }
  }
}
