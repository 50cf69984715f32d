import TenonFoundation
import TenonHashes
import TenonTransport
import TenonTransportInterop

/// The checksums of a content, as a server reports them.
struct ContentHashes: Sendable, Hashable {
  /// The CRC32C as four big-endian bytes in Base64; `nil` if it wasn't reported.
  var crc32c: String?
  /// The MD5 digest in Base64; `nil` if it wasn't reported.
  var md5: String?

  /// Whether no checksum was reported.
  var isEmpty: Bool { crc32c == nil && md5 == nil }

  /// Reads the fields `x-goog-hash`, of which a response may have several
  /// (https://cloud.google.com/storage/docs/xml-api/reference-headers#xgooghash).
  ///
  /// Checksums with other names and empty values are ignored. A malformed value is kept, and matches no
  /// content.
  init(_ headers: HTTPHeaders) {
    for part in headers.values(of: "X-Goog-Hash").flatMap({ $0.split(separator: ",") }) {
      let sides = part.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, let name = sides.first, let value = sides.last else { continue }
      let text = String(value).trimmed
      switch String(name).trimmed.lowercased() {
      case "crc32c": crc32c = Self.crc32c(text) ?? text
      case "md5": md5 = text
      default: break
      }
    }
  }

  /// Creates checksums from their forms in metadata.
  init(crc32c: String?, md5: String?) {
    self.crc32c = crc32c
    self.md5 = md5
  }

  /// Whether the checksums that were reported are those of a content.
  func match(_ digest: ContentDigest) -> Bool {
    (crc32c ?? digest.crc32cHash) == digest.crc32cHash && (md5 ?? digest.md5Hash) == digest.md5Hash
  }

  /// Returns a CRC32C as four big-endian bytes in Base64, from this form or, as the emulator reports it, from
  /// the decimal number; `nil` for another text.
  static func crc32c(_ text: String) -> String? {
    if Data(base64Encoded: text)?.count == 4 { return text }
    guard let number = UInt32(decimal: text) else { return nil }
    return Data([24, 16, 8, 0 as UInt32].map { UInt8(truncatingIfNeeded: number >> $0) })
      .base64EncodedString()
  }
}
