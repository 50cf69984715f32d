import Foundation
import TenonTransport

/// What is kept about an object beside its content.
struct ObjectRecord: Sendable, Hashable, Codable {
  let bucket: String
  let name: String
  /// Grows with every new content of the name; microseconds since 1970 where that is enough.
  let generation: Int64
  /// Counts the changes of the metadata, from 1.
  var metageneration: Int64
  let size: Int64
  /// In base64.
  let md5Hash: String
  /// In base64, as production writes it.
  let crc32c: String
  /// Milliseconds since 1970.
  let timeCreated: Int64
  /// Milliseconds since 1970.
  var updated: Int64
  /// The secrets that open the object by its URL.
  var downloadTokens: [String]
  var metadata: ObjectMetadata
}

extension ObjectRecord {
  /// Changes with the content and with the metadata.
  var etag: String { Data("\(generation)/\(metageneration)".utf8).base64EncodedString() }

  /// The metadata as clients of `firebasestorage` get them.
  var wire: JSON {
    .members([
      "name": .string(name),
      "bucket": .string(bucket),
      "generation": .string(String(generation)),
      "metageneration": .string(String(metageneration)),
      "contentType": .string(metadata.contentType ?? ObjectMetadata.defaultContentType),
      "timeCreated": .string(Timestamp(milliseconds: timeCreated).iso8601),
      "updated": .string(Timestamp(milliseconds: updated).iso8601),
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
}
