import TenonHashes
import TenonTransport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension StorageReference {
  /// Returns the metadata of an object that was uploaded, if the server has stored exactly the content that was sent.
  ///
  /// The size, the MD5 digest and the CRC32C are compared, as far as the server reports them. Cloud Storage reports the CRC
  /// in base64, and Firebase's emulator as a decimal number.
  ///
  /// - Parameters:
  ///   - answer: the server's description of the object.
  ///   - digest: that of the content.
  /// - Throws: ``StorageError/Code/nonMatchingChecksum``, with both values; ``StorageError/Code/unknown`` for a description that
  ///   is malformed.
  func verified(_ answer: JSON, _ digest: ContentDigest) throws(StorageError) -> StorageMetadata {
    let stored = try StorageMetadata(answer, of: self)
    /// Compares a property.
    func compare(_ name: String, _ expected: String, _ found: String?, _ isEqual: Bool) throws(StorageError) {
      guard let found, !isEqual else { return }
      throw StorageError(
        .nonMatchingChecksum,
        "\(self): the \(name) of the stored object is \(found.prefix(100).debugDescription), but that of the content that "
          + "was sent is \(expected.debugDescription). The object on the server is damaged. Upload it again, or delete it.")
    }
    let size = answer["size"]?.text
    try compare("size", "\(digest.size)", size, size.flatMap { Int64(decimal: $0) } == digest.size)
    let crc = answer["crc32c"]?.text
    try compare("CRC32C", digest.crc32cHash, crc, crc.flatMap(Self.crc32c) == digest.crc32cValue)
    let md5 = answer["md5Hash"]?.text
    try compare("MD5", digest.md5Hash, md5, md5 == digest.md5Hash)
    return stored
  }

  /// Returns a CRC in either of its forms; `nil` if it has neither.
  ///
  /// - Parameter text: four big-endian bytes in base64, or a decimal number. No number of up to ten digits is the base64 of
  ///   four bytes, which ends with `==`.
  private static func crc32c(_ text: String) -> UInt32? {
    if let number = Int64(decimal: text) { return UInt32(exactly: number) }
    guard let bytes = Data(base64Encoded: text), bytes.count == 4 else { return nil }
    return bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }
}
