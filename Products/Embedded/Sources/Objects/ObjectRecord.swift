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
  /// What only clients of the JSON API can set; `nil` for nothing.
  var attributes: ObjectAttributes?
  /// The number of objects of which the content was composed; `nil` if it was uploaded.
  var componentCount: Int64?
  /// When the last event-based hold ended, in milliseconds since 1970; `nil` if the object never had one.
  var holdReleased: Int64?
  /// When the object became noncurrent, in milliseconds since 1970; `nil` before.
  var timeDeleted: Int64?
  /// When it was soft-deleted, in milliseconds since 1970; `nil` before.
  var softDeleteTime: Int64?
  /// When a soft-deleted object is deleted, in milliseconds since 1970.
  var hardDeleteTime: Int64?
  /// When the retention by the bucket ends, in milliseconds since 1970; `nil` if there is none. It isn't
  /// stored, because it follows from the bucket's properties.
  var retentionExpiration: Int64?

  private enum CodingKeys: String, CodingKey {
    case bucket, name, generation, metageneration, size, md5Hash, crc32c, timeCreated, updated
    case downloadTokens, metadata, attributes, componentCount, holdReleased
    case timeDeleted, softDeleteTime, hardDeleteTime
  }
}

/// What protects an object.
extension ObjectRecord {
  /// Whether the object is neither noncurrent nor soft-deleted.
  var isLive: Bool { timeDeleted == nil && softDeleteTime == nil }

  /// The storage class.
  var storageClass: String { attributes?.storageClass ?? ObjectAttributes.defaultStorageClass }

  /// Returns when the retention by the bucket ends, in milliseconds since 1970; `nil` without a policy, and
  /// before an event-based hold ends.
  func retentionEnd(in bucket: StoredBucket?) -> Int64? {
    guard let period = bucket?.retentionPeriod, attributes?.eventBasedHold != true else { return nil }
    return max(timeCreated, holdReleased ?? timeCreated) + period * 1_000
  }

  /// Checks that nothing prevents that the object is deleted, replaced, or becomes noncurrent.
  ///
  /// - Parameters:
  ///   - bucket: the bucket, if it was created.
  ///   - isPermanent: whether the object is deleted even if the bucket keeps versions.
  ///   - now: the current time.
  /// - Throws: ``Refusal`` with status 403.
  func checkRemoval(from bucket: StoredBucket?, isPermanent: Bool, now: Timestamp) throws {
    let object = "Object '\(self.bucket)/\(name)'"
    let holds = [("Temporary", attributes?.temporaryHold), ("Event-Based", attributes?.eventBasedHold)]
    for (name, isHeld) in holds where isHeld == true {
      throw Refusal(
        403,
        "\(object) is under active \(name) hold and cannot be deleted, overwritten or archived until hold is removed.",
        reason: "objectUnderActiveHold")
    }
    // A noncurrent version remains retained.
    if isLive, !isPermanent, bucket?.keepsVersions == true { return }
    let ends = [retentionEnd(in: bucket), attributes?.retention?.end].compactMap(\.self)
    guard let end = ends.max(), end > now.millisecondsSince1970 else { return }
    throw Refusal(
      403,
      "\(object) is subject to bucket's retention policy or object retention and cannot be deleted or overwritten until \(Timestamp(millisecondsSince1970: end).iso8601)",
      reason: "retentionPolicyNotMet")
  }
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
      "storageClass": .string(storageClass),
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
  /// - Parameters:
  ///   - origin: the origin at which the backend is reached, for the links to the object.
  ///   - isFull: whether the access control list is part of it.
  func resource(origin: String, isFull: Bool = false) -> JSON {
    var custom = metadata.custom ?? [:]
    if !downloadTokens.isEmpty { custom[Self.tokensName] = downloadTokens.joined(separator: ",") }
    let path = "storage/v1/b/\(PercentEncoding.queryValue(bucket))/o/\(PercentEncoding.queryValue(name))"
    let created = Self.time(timeCreated)
    let members: JSON = .members([
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
      "storageClass": .string(storageClass),
      "size": .string(String(size)),
      "md5Hash": .string(md5Hash),
      "crc32c": .string(crc32c),
      "componentCount": componentCount.map(JSON.int),
      "etag": .string(etag),
      "timeCreated": created,
      "timeStorageClassUpdated": created,
      "updated": .string(Timestamp(millisecondsSince1970: updated).iso8601),
      "metadata": custom.isEmpty ? nil : .object(custom.mapValues(JSON.string)),
    ])
    var resource = (members.object ?? [:]).merging(protection) { $1 }
    if isFull {
      resource["acl"] = .array(entries.map { $0.resource(.object, of: bucket, self, origin: origin) })
      resource["owner"] = ["entity": "project-owners-1"]
    }
    return .object(resource)
  }

  /// The members about what protects the object, and about its end.
  private var protection: [String: JSON] {
    let json: JSON = .members([
      "customTime": attributes?.customTime.map {
        .string(Timestamp(microsecondsSince1970: $0).iso8601Microseconds)
      },
      "temporaryHold": attributes?.temporaryHold.map(JSON.bool),
      "eventBasedHold": attributes?.eventBasedHold.map(JSON.bool),
      "retentionExpirationTime": retentionExpiration.map(Self.time),
      "retention": attributes?.retention?.json,
      "contexts": attributes?.contexts.map(ObjectContext.json),
      "timeDeleted": timeDeleted.map(Self.time),
      "softDeleteTime": softDeleteTime.map(Self.time),
      "hardDeleteTime": hardDeleteTime.map(Self.time),
    ])
    return json.object ?? [:]
  }

  /// Returns a time in milliseconds since 1970 as text.
  private static func time(_ milliseconds: Int64) -> JSON {
    .string(Timestamp(millisecondsSince1970: milliseconds).iso8601)
  }
}
