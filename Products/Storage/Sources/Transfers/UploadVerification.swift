import TenonHashes
import TenonTransport

extension StorageReference {
  /// Returns the metadata of an object that was uploaded, if the server has stored exactly the content that
  /// was sent.
  ///
  /// The size, the MD5 digest and the CRC32C are compared, as far as the server reports them. Cloud Storage
  /// reports the CRC in base64, and Firebase's emulator as a decimal number.
  ///
  /// - Parameters:
  ///   - answer: the server's description of the object.
  ///   - digest: that of the content.
  /// - Throws: ``StorageError/Code/nonMatchingChecksum``, with both values; ``StorageError/Code/unknown`` for
  ///   a description that is malformed.
  func verified(_ answer: JSON, _ digest: ContentDigest) throws(StorageError) -> StorageMetadata {
    let stored = try StorageMetadata(answer, of: self)
    /// Compares a property.
    func compare(_ name: String, _ expected: String, _ found: String?, _ isEqual: Bool) throws(StorageError) {
      guard let found, !isEqual else { return }
      throw StorageError(
        .nonMatchingChecksum,
        "\(self): the \(name) of the stored object is \(found.prefix(100).debugDescription), but that of the content that "
          + "was sent is \(expected.debugDescription). The object on the server is damaged. Upload it again, or delete it."
      )
    }
    let size = answer["size"]?.text
    try compare("size", "\(digest.size)", size, size.flatMap { Int64(decimal: $0) } == digest.size)
    let crc = answer["crc32c"]?.text
    try compare(
      "CRC32C", digest.crc32cHash, crc, crc.flatMap { ContentHashes.crc32c($0) } == digest.crc32cHash)
    let md5 = answer["md5Hash"]?.text
    try compare("MD5", digest.md5Hash, md5, md5 == digest.md5Hash)
    return stored
  }
}
