import TenonHashes
import TenonTransport

/// The state of a resumable upload. It is stored, so that the upload survives a restart.
struct ObjectUpload: Sendable, Hashable, Codable {
  /// The time that an upload may take, in milliseconds: a week, as on Cloud Storage.
  static let lifetime: Int64 = 7 * 24 * 3_600 * 1_000
  /// The greatest number of active uploads. The same number of uploads that ended is kept, for clients that
  /// didn't receive the response.
  static let limit = 1_000

  /// The status of an upload, as `X-Goog-Upload-Status` names it.
  enum Status: String, Sendable, Codable { case active, final, cancelled }

  /// The random ID of the upload, which authorizes requests that continue it.
  let id: String
  /// The bucket of the object.
  let bucket: String
  /// The name of the object.
  let name: String
  /// The ID of the content to which chunks are appended.
  let content: Int64
  /// The metadata that the client sent at the beginning.
  let metadata: ObjectMetadata
  /// What only clients of the JSON API can set; `nil` if the client set nothing.
  var attributes: ObjectAttributes?
  /// The `md5Hash` that the client expects the content to have; `nil` if it sent none.
  var expectedMD5: String?
  /// The CRC32C that the client expects the content to have, in base64; `nil` if it sent none.
  var expectedCRC32C: String?
  /// The size that the content must have, in bytes; `nil` if the client stated none.
  var expectedSize: Int64?
  /// The preconditions about the object that is replaced; `nil` for none.
  var conditions: ObjectConditions?
  /// The caller who began the upload; `nil`, as nobody, if an earlier version of the backend stored it, which
  /// had no rules.
  var caller: StoredCaller?
  /// Whether the upload belongs to Cloud Storage's JSON API; `nil` if it belongs to `firebasestorage`.
  var isJSON: Bool?
  /// When the upload was begun, in milliseconds since 1970.
  let started: Int64
  /// The status, which can change from active to one of the others, and then remains.
  var status = Status.active
  /// The size and the checksums of the bytes that were received.
  var digest = ContentDigest()
  /// The metadata of the finished object, as in the first response; `nil` before.
  var result: JSON?

  /// What is to become of the content.
  var publication: ObjectPublication {
    ObjectPublication(
      name: name, bucket: bucket, metadata: metadata, attributes: attributes ?? ObjectAttributes(),
      expected: ExpectedDigest(md5: expectedMD5, crc32c: expectedCRC32C),
      conditions: conditions ?? ObjectConditions(), caller: caller?.caller ?? .nobody,
      hasToken: isJSON != true)
  }
}
