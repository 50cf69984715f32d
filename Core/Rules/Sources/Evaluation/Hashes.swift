import TenonFoundation

/// The checksum CRC-32 of zip files, for `hashing.crc32`.
enum CRC32 {
  /// Returns the checksum of bytes.
  static func value(_ bytes: Data) -> UInt32 {
    ~bytes.reduce(0xFFFF_FFFF) { $0 >> 8 ^ table[Int(truncatingIfNeeded: ($0 ^ UInt32($1)) & 0xFF)] }
  }

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
  }
}
