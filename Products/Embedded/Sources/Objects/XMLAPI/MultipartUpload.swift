import TenonFoundation
import TenonTransport

/// A multipart upload of the XML API, whose parts are uploaded in any order. It is stored as JSON.
struct MultipartUpload: Sendable, Hashable, Codable {
  /// The greatest number of uploads that are stored; the oldest ones are deleted.
  static let limit = 1_000
  /// The numbers of parts.
  static let numbers: ClosedRange<Int64> = 1...10_000
  /// The least size of all parts but the last one, in bytes.
  static let smallestPart: Int64 = 5 << 20

  /// The random ID of the upload.
  let id: String
  /// The bucket of the object.
  let bucket: String
  /// The name of the object.
  let name: String
  /// The metadata of the object.
  let metadata: ObjectMetadata
  /// What else clients have set about it.
  let attributes: ObjectAttributes
  /// When the upload was begun, in milliseconds since 1970.
  let started: Int64

  /// Returns what is to become of the parts.
  ///
  /// - Parameters:
  ///   - conditions: the preconditions of the request that completes the upload.
  ///   - caller: the caller of that request.
  func publication(_ conditions: ObjectConditions, by caller: Caller) -> ObjectPublication {
    ObjectPublication(
      name: name, bucket: bucket, metadata: metadata, attributes: attributes,
      expected: ExpectedDigest([:]), conditions: conditions, caller: caller, hasToken: false)
  }
}

/// A part of a multipart upload.
struct UploadedPart: Sendable, Hashable {
  /// The number of the part, which determines its place.
  let number: Int64
  /// The ID of its content.
  let content: Int64
  /// The size and the checksums of the content.
  let digest: StoredDigest
  /// When it was uploaded, in milliseconds since 1970.
  let updated: Int64

  /// The entity tag: the MD5 digest in hexadecimal digits and quotes.
  var tag: String { "\"\(ObjectRecord.hexadecimal(digest.md5) ?? "")\"" }
}
