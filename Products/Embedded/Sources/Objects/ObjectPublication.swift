import TenonFoundation
import TenonHashes
import TenonTransport
import TenonValues

/// The size and the checksums of a complete content.
struct StoredDigest: Sendable, Hashable {
  /// The size in bytes.
  let size: Int64
  /// The MD5 digest in base64.
  let md5: String
  /// The CRC32C in base64.
  let crc32c: String

  /// Creates a digest that was stored.
  init(size: Int64, md5: String, crc32c: String) {
    self.size = size
    self.md5 = md5
    self.crc32c = crc32c
  }

  /// Creates the digest of the bytes that were received.
  init(_ digest: ContentDigest) {
    size = digest.size
    md5 = digest.md5Hash
    crc32c = digest.crc32cHash
  }

  /// Creates the digest of an object's content.
  init(_ record: ObjectRecord) {
    size = record.size
    md5 = record.md5Hash
    crc32c = record.crc32c
  }
}

/// The checksums that a client expects its content to have.
struct ExpectedDigest: Sendable, Hashable {
  /// The MD5 digest in base64; `nil` to accept any.
  var md5: String?
  /// The CRC32C in base64; `nil` to accept any.
  var crc32c: String?

  /// Reads the checksums in the metadata of an upload, and those of its `X-Goog-Hash` field, which take
  /// precedence.
  init(_ members: [String: JSON], _ field: String? = nil) {
    md5 = members["md5Hash"]?.text
    crc32c = members["crc32c"]?.text
    for part in (field ?? "").split(separator: ",") {
      let sides = part.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
      guard sides.count == 2 else { continue }
      switch sides[0].lowercased() {
      case "md5": md5 = sides[1]
      case "crc32c": crc32c = sides[1]
      default: break
      }
    }
  }

  /// Creates a value from the state of an upload.
  init(md5: String?, crc32c: String?) {
    self.md5 = md5
    self.crc32c = crc32c
  }

  /// Checks a content.
  ///
  /// - Throws: ``Refusal`` with status 400 if the content has another checksum.
  func check(_ digest: StoredDigest) throws {
    guard md5 == nil || md5 == digest.md5 else {
      throw Refusal.badObjectRequest(
        "The content's MD5 is \(digest.md5), not \(md5 ?? "") as stated in the metadata."
      )
    }
    guard crc32c == nil || crc32c == digest.crc32c else {
      throw Refusal.badObjectRequest(
        "The content's CRC32C is \(digest.crc32c), not \(crc32c ?? "") as stated in the metadata."
      )
    }
  }
}

/// What is to become of an uploaded content: the name and the metadata of the object, and what must hold for
/// it.
struct ObjectPublication: Sendable {
  /// The name of the object.
  let name: String
  /// The bucket.
  let bucket: String
  /// The metadata, with the download tokens in its custom metadata.
  var metadata: ObjectMetadata
  /// What only clients of the JSON API can set.
  var attributes = ObjectAttributes()
  /// The number of objects of which the content was composed; `nil` if it was uploaded.
  var componentCount: Int64?
  /// The checksums that the content must have.
  let expected: ExpectedDigest
  /// The preconditions about the object that is replaced.
  var conditions = ObjectConditions()
  /// Whose permission is needed.
  let caller: Caller
  /// Whether the object gets a download token if its metadata has none.
  var hasToken = true

  /// Checks that the caller may begin the upload.
  ///
  /// - Parameters:
  ///   - replaced: the object that exists.
  ///   - size: the size that the client states; `nil` if it is unknown.
  ///   - check: checks the access.
  /// - Throws: ``Refusal`` with status 403; ``NeededDocuments``.
  func checkBeginning(_ replaced: ObjectRecord?, size: Int64?, _ check: ObjectCheck) throws {
    let resource = ObjectAccess.Resource(
      size: size, contentType: metadata.contentType, md5Hash: expected.md5,
      customMetadata: publicMetadata, others: metadata.others, isComplete: false)
    try self.check(replaced, resource, check)
  }

  /// Turns a complete content into an object, which replaces another one of the same name.
  ///
  /// - Parameters:
  ///   - content: the ID of the content.
  ///   - digest: the size and the checksums of the content.
  ///   - check: checks the access.
  ///   - now: the current time.
  ///   - database: the database, inside a transaction.
  /// - Returns: the metadata of the object.
  /// - Throws: ``Refusal`` with status 400 if the content doesn't have the expected checksums, with status
  ///   403 if the rules deny it or the object that it replaces is held or retained, with status 412 if a
  ///   precondition doesn't hold.
  func publish(
    _ content: Int64, _ digest: StoredDigest, _ check: ObjectCheck, now: Timestamp,
    in database: isolated EmbeddedDatabase
  ) throws -> ObjectRecord {
    var metadata = metadata
    let tokens = metadata.removeDownloadTokens()
    let replaced = try database.object(name, in: bucket)
    let last = try database.lastGeneration(of: name, in: bucket)
    let created = try database.createdBucket(bucket)
    var record = ObjectRecord(
      bucket: bucket,
      name: name,
      generation: max(now.millisecondsSince1970 * 1_000, last &+ 1),
      metageneration: 1,
      size: digest.size,
      md5Hash: digest.md5,
      crc32c: digest.crc32c,
      timeCreated: now.millisecondsSince1970,
      updated: now.millisecondsSince1970,
      downloadTokens: tokens.isEmpty && hasToken ? [RandomText.uuid()] : tokens,
      metadata: metadata,
      attributes: attributes,
      componentCount: componentCount
    )
    // The rules come first: to callers without a right, no precondition reveals anything.
    try self.check(replaced?.record, record.access, check)
    try expected.check(digest)
    try conditions.check(replaced?.record)
    record.attributes = try attributes.completed(by: created, now: now)
    record.retentionExpiration = record.retentionEnd(in: created)
    if let replaced { try database.remove(replaced, now: now) }
    try database.purgeVersions(now: now)
    try database.save(StoredObject(record: record, content: content))
    try database.record(.objectFinalized, record)
    try database.keepContent(content)
    if let replaced { try database.deleteContent(replaced.content) }
    return record
  }

  /// The custom metadata without download tokens.
  private var publicMetadata: [String: String] {
    var metadata = metadata
    _ = metadata.removeDownloadTokens()
    return metadata.custom ?? [:]
  }

  /// Checks that the caller may create the object, or replace the one that exists.
  private func check(_ replaced: ObjectRecord?, _ new: ObjectAccess.Resource, _ check: ObjectCheck) throws {
    try check(
      replaced == nil ? .create : .update, name, in: bucket, by: caller, object: replaced?.access,
      newObject: new)
  }
}
