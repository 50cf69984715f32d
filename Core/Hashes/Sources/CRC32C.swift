#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The Castagnoli CRC (RFC 3720, section 12.1) of bytes that arrive in chunks.
///
/// The state can be stored, so that an interrupted upload can be continued.
package struct CRC32C: Sendable, Hashable, Codable {
  /// The inverted remainder of the bytes so far.
  private var register: UInt32 = .max

  /// Creates the CRC of no bytes.
  package init() {}

  /// Adds bytes.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  package mutating func update(_ bytes: some Collection<UInt8>) {
    var register = register
    let done: Void? = bytes.withContiguousStorageIfAvailable { register = Self.step(register, over: $0) }
    if done == nil { register = Self.step(register, over: bytes) }
    self.register = register
  }

  /// The CRC of the bytes so far.
  package var value: UInt32 { ~register }

  /// The CRC in the form of Cloud Storage: four big-endian bytes in base64.
  package var base64: String {
    Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }).base64EncodedString()
  }

  /// Returns the register after further bytes.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  private static func step(_ start: UInt32, over bytes: some Sequence<UInt8>) -> UInt32 {
    let table = table
    return bytes.reduce(start) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
  }

  /// The remainder of each byte, for the reflected polynomial 0x82F63B78.
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { remainder, _ in
      remainder & 1 == 1 ? remainder >> 1 ^ 0x82F6_3B78 : remainder >> 1
    }
  }
}
