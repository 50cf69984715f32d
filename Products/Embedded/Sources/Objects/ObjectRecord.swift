import TenonFoundation
import TenonTransport
import TenonValues

/// The metadata of an object. It is stored as JSON.
struct ObjectRecord: Sendable, Hashable, Codable {
  /// The bucket of the object.
  let bucket: String
  /// The name of the object in the bucket.
  let name: String
  /// A number that increases with each new content of the name: the time in microseconds since 1970, or one
  /// more than the number before if that is greater.
  let generation: Int64
  /// The number of changes to the metadata of this generation, beginning with 1.
  var metageneration: Int64
  /// The size of the content in bytes.
  let size: Int64
  /// The MD5 digest of the content, in base64.
  let md5Hash: String
  /// The CRC32C of the content as four big-endian bytes, in base64.
  let crc32c: String
  /// When the generation was created, in milliseconds since 1970.
  let timeCreated: Int64
  /// When the metadata was last changed, in milliseconds since 1970.
  var updated: Int64
  /// The secrets in URLs that give access to the object without other credentials.
  var downloadTokens: [String]
  /// The metadata that clients can set.
  var metadata: ObjectMetadata
}

extension ObjectRecord {
  /// Counts a change of the metadata.
  mutating func noteChange(at now: Timestamp) {
    metageneration &+= 1
    updated = now.millisecondsSince1970
  }

  /// The entity tag, which changes with the content and with the metadata.
  var etag: String { Data("\(generation)/\(metageneration)".utf8).base64EncodedString() }

  /// The metadata as the response of `firebasestorage`. 64-bit integers are strings.
  var wire: JSON {
    .members([
      "name": .string(name),
      "bucket": .string(bucket),
      "generation": .string(String(generation)),
      "metageneration": .string(String(metageneration)),
      "contentType": .string(metadata.contentType ?? ObjectMetadata.defaultContentType),
      "timeCreated": .string(Timestamp(millisecondsSince1970: timeCreated).iso8601),
      "updated": .string(Timestamp(millisecondsSince1970: updated).iso8601),
      "storageClass": "STANDARD",
      "size": .string(String(size)),
      "md5Hash": .string(md5Hash),
      "crc32c": .string(crc32c),
      "etag": .string(etag),
      "downloadTokens": .string(downloadTokens.joined(separator: ",")),
      "contentEncoding": .string(metadata.contentEncoding ?? "identity"),
      "contentDisposition": .string(metadata.contentDisposition ?? "inline"),
      "contentLanguage": metadata.contentLanguage.map(JSON.string),
      "cacheControl": metadata.cacheControl.map(JSON.string),
      "metadata": metadata.custom.map { .object($0.mapValues(JSON.string)) },
    ])
  }

  /// The name in the custom metadata of the JSON API under which the download tokens are found.
  static let tokensName = "firebaseStorageDownloadTokens"

  /// The metadata as a resource of the JSON API
  /// (https://cloud.google.com/storage/docs/json_api/v1/objects#resource).
  ///
  /// - Parameter origin: the origin at which the backend is reached, for the links to the object.
  func resource(origin: String) -> JSON {
    var custom = metadata.custom ?? [:]
    if !downloadTokens.isEmpty { custom[Self.tokensName] = downloadTokens.joined(separator: ",") }
    let path = "storage/v1/b/\(PercentEncoding.queryValue(bucket))/o/\(PercentEncoding.queryValue(name))"
    let created = JSON.string(Timestamp(millisecondsSince1970: timeCreated).iso8601)
    return .members([
      "kind": "storage#object",
      "id": .string("\(bucket)/\(name)/\(generation)"),
      "selfLink": .string("\(origin)/\(path)"),
      "mediaLink": .string("\(origin)/download/\(path)?generation=\(generation)&alt=media"),
      "name": .string(name),
      "bucket": .string(bucket),
      "generation": .string(String(generation)),
      "metageneration": .string(String(metageneration)),
      "contentType": metadata.contentType.map(JSON.string),
      "contentEncoding": metadata.contentEncoding.map(JSON.string),
      "contentDisposition": metadata.contentDisposition.map(JSON.string),
      "contentLanguage": metadata.contentLanguage.map(JSON.string),
      "cacheControl": metadata.cacheControl.map(JSON.string),
      "storageClass": "STANDARD",
      "size": .string(String(size)),
      "md5Hash": .string(md5Hash),
      "crc32c": .string(crc32c),
      "etag": .string(etag),
      "timeCreated": created,
      "timeStorageClassUpdated": created,
      "updated": .string(Timestamp(millisecondsSince1970: updated).iso8601),
      "metadata": custom.isEmpty ? nil : .object(custom.mapValues(JSON.string)),
    ])
  }
}
