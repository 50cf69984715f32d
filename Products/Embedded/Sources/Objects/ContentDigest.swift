import Foundation
import TenonDocuments

/// Size and checksums of content that arrives in pieces.
struct ContentDigest: Sendable, Hashable, Codable {
  private(set) var size: Int64 = 0
  private var md5 = MD5()
  private var crc32c = CRC32C()

  mutating func update(_ bytes: Data) {
    size += Int64(bytes.count)
    md5.update(bytes)
    crc32c.update(bytes)
  }

  /// The MD5 digest in base64, as Storage's `md5Hash`.
  var md5Hash: String { md5.digest.base64EncodedString() }
  /// The checksum in base64, as Storage's `crc32c`.
  var crc32cHash: String { crc32c.base64 }
}
