package import Foundation

/// A digest by which changes of content are detected: FNV-1a with 128 bits
/// (https://datatracker.ietf.org/doc/html/draft-eastlake-fnv). It is fast and requires no library, but it
/// isn't cryptographic.
package enum ContentDigest {
  private static let offset = UInt128(0x6c62_272e_07bb_0142) << 64 | 0x62b8_2175_6295_c58d
  private static let prime = UInt128(1) << 88 | 0x13b

  /// Returns the digest as 32 hexadecimal digits.
  package static func text(of content: Data) -> String {
    var hash = offset
    for byte in content {
      hash ^= UInt128(byte)
      hash = hash &* prime
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }
}
