package import TenonFoundation

/// The size and the checksums of content that arrives in chunks. It can be stored and continued.
package struct ContentDigest: Sendable, Hashable, Codable {
  /// The size in bytes.
  package private(set) var size: Int64 = 0
  /// The state of the MD5 digest.
  private var md5 = MD5()
  /// The state of the CRC.
  private var crc32c = CRC32C()

  /// Creates the digest of no bytes.
  package init() {}

  /// Adds bytes.
  package mutating func update(_ bytes: Data) {
    size &+= Int64(bytes.count)
    bytes.withUnsafeBytes { all in
      // In pieces that stay in the processor's cache between the two.
      var rest = all[...]
      while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(16 << 10))
        md5.update(piece)
        crc32c.update(piece)
        rest = rest.dropFirst(piece.count)
      }
    }
  }

  /// The MD5 digest in base64, as in `md5Hash` of Cloud Storage.
  package var md5Hash: String { md5.digest.base64EncodedString() }
  /// The CRC32C in base64, as in `crc32c` of Cloud Storage.
  package var crc32cHash: String { crc32c.base64 }
}
