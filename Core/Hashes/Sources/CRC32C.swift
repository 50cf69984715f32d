import TenonFoundation

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
    let done: Void? = bytes.withContiguousStorageIfAvailable { update(UnsafeRawBufferPointer($0)) }
    if done == nil { Array(bytes).withUnsafeBytes { update($0) } }
  }

  /// Adds bytes, as the function for collections does.
  ///
  /// - Parameter bytes: the bytes, which are valid during the call.
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    register = Self.tables.withUnsafeBufferPointer { Self.step(register, over: bytes, $0) }
  }

  /// The CRC of the bytes so far.
  package var value: UInt32 { ~register }

  /// The CRC in the form of Cloud Storage: four big-endian bytes in base64.
  package var base64: String {
    Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }).base64EncodedString()
  }

  /// Returns the register after further bytes, sixteen at a time ("slicing"): the remainders of sixteen bytes
  /// at their distances from the end are independent of each other, so the processor looks them up in
  /// parallel.
  ///
  /// - Parameters:
  ///   - start: the register.
  ///   - bytes: the bytes.
  ///   - table: ``tables``.
  /// - Complexity: O(*n*) in the number of bytes.
  private static func step(
    _ start: UInt32, over bytes: UnsafeRawBufferPointer, _ table: UnsafeBufferPointer<UInt32>
  ) -> UInt32 {
    /// Returns the remainder of a byte of a word.
    ///
    /// - Parameters:
    ///   - distance: the number of bytes between it and the end of the sixteen.
    ///   - word: the word.
    ///   - shift: the position of the byte in the word.
    @inline(__always) func remainder(_ distance: Int, _ word: UInt64, _ shift: UInt64) -> UInt32 {
      table[distance &* 256 &+ Int(truncatingIfNeeded: (word &>> shift) & 0xFF)]
    }
    var register = start
    var at = 0
    while bytes.count - at >= 16 {
      let low = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      let high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 8, as: UInt64.self))
      let first = low ^ UInt64(register)
      let a = remainder(15, first, 0) ^ remainder(14, first, 8)
      let b = remainder(13, first, 16) ^ remainder(12, first, 24)
      let c = remainder(11, first, 32) ^ remainder(10, first, 40)
      let d = remainder(9, first, 48) ^ remainder(8, first, 56)
      let e = remainder(7, high, 0) ^ remainder(6, high, 8)
      let f = remainder(5, high, 16) ^ remainder(4, high, 24)
      let g = remainder(3, high, 32) ^ remainder(2, high, 40)
      let h = remainder(1, high, 48) ^ remainder(0, high, 56)
      register = ((a ^ b) ^ (c ^ d)) ^ ((e ^ f) ^ (g ^ h))
      at += 16
    }
    while at < bytes.count {
      register = register >> 8 ^ table[Int(UInt8(truncatingIfNeeded: register) ^ bytes[at])]
      at += 1
    }
    return register
  }

  /// The remainders of each byte at the distances 0 to 15 from the end, for the reflected polynomial
  /// 0x82F63B78: 256 for each distance.
  private static let tables: [UInt32] = {
    var tables: [UInt32] = (0..<256).map { byte in
      (0..<8).reduce(UInt32(byte)) { remainder, _ in
        remainder & 1 == 1 ? remainder >> 1 ^ 0x82F6_3B78 : remainder >> 1
      }
    }
    for index in 256..<4096 {
      let nearer = tables[index - 256]
      tables.append(nearer >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: nearer))])
    }
    return tables
  }()
}
