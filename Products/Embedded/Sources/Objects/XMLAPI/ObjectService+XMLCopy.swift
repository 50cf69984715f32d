import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// Copies in the XML API (https://cloud.google.com/storage/docs/xml-api/put-object-copy).
extension ObjectService {
  /// Handles `PUT` of an object with `x-goog-copy-source`. The copy shares the stored content.
  ///
  /// - Parameters:
  ///   - name: the name of the copy.
  ///   - field: the value of `x-goog-copy-source`.
  ///   - call: the request, whose header fields replace the metadata if it says so.
  func copyXML(_ name: String, from field: String, _ call: ObjectCall) async throws
    -> TransportStreamingResponse
  {
    let (sourceBucket, sourceName) = try Self.copySource(field)
    guard try await call.content(upTo: 0).isEmpty else {
      throw Refusal.badObjectRequest("A copy has no content.")
    }
    let written = try xmlPublication(name, call)
    let replaces = try call.replacesMetadata
    let generation = try call.copySourceNumber("Generation")
    let conditions = try call.copySourceConditions
    let hasClass = call.request.headers["X-Goog-Storage-Class"] != nil
    let now = now()
    let record = try await checking { [self] check in
      try await database.transaction { database in
        try call.checkTags(try database.object(name, in: call.bucket)?.record, isRead: false)
        guard try bucket(sourceBucket, in: database) != nil else { throw Refusal.noSuchBucket }
        guard let source = try database.object(sourceName, in: sourceBucket, generation: generation) else {
          throw Refusal.noSuchObject
        }
        try conditions.check(source.record)
        try call.checkCopySourceTags(source.record)
        var publication = source.publication(as: name, in: call.bucket, written.conditions, call.caller)
        if replaces {
          publication.metadata = written.metadata
          publication.attributes = written.attributes
        }
        publication.attributes.acl = written.attributes.acl
        if hasClass { publication.attributes.storageClass = written.attributes.storageClass }
        return try publication.publish(
          source.content, StoredDigest(source.record), check, now: now, in: database)
      }
    }
    var response = TransportResponse(
      xml: XMLWriter("CopyObjectResult") { writer in
        writer.write("LastModified", Timestamp(millisecondsSince1970: record.updated).iso8601)
        writer.write("ETag", record.xmlTag)
      })
    response.headers.fields += record.writtenFields
    return TransportStreamingResponse(response)
  }

  /// Returns the bucket and the name of the source of a copy, as in `/bucket/object`, which is percent-encoded.
  private static func copySource(_ field: String) throws -> (bucket: String, name: String) {
    let path = field.hasPrefix("/") ? field.dropFirst() : field[...]
    let parts = path.split(separator: "/", maxSplits: 1).map { PercentEncoding.decode($0) ?? "" }
    guard parts.count == 2, !parts.contains("") else {
      throw Refusal.badObjectRequest("x-goog-copy-source must be BUCKET/OBJECT, percent-encoded.")
    }
    try ObjectName.check(bucket: parts[0])
    try ObjectName.check(parts[1])
    return (parts[0], parts[1])
  }
}

extension ObjectCall {
  private static let copySource = "X-Goog-Copy-Source"

  /// Whether the header fields of a copy replace the metadata of its source.
  fileprivate var replacesMetadata: Bool {
    get throws {
      switch request.headers["X-Goog-Metadata-Directive"]?.uppercased() {
      case nil, "COPY": return false
      case "REPLACE": return true
      default: throw Refusal.badObjectRequest("x-goog-metadata-directive must be COPY or REPLACE.")
      }
    }
  }

  /// Returns the number in a header field about the source of a copy; `nil` if there is none.
  fileprivate func copySourceNumber(_ name: String) throws -> Int64? {
    try request.headers["\(Self.copySource)-\(name)"].map { text in
      guard let number = Int64(decimal: text), number >= 0 else {
        throw Refusal.badObjectRequest("\(Self.copySource)-\(name) must be a whole number.")
      }
      return number
    }
  }

  /// The preconditions about the generation of the source of a copy.
  fileprivate var copySourceConditions: ObjectConditions {
    get throws {
      for name in ["If-Modified-Since", "If-Unmodified-Since"]
      where request.headers["\(Self.copySource)-\(name)"] != nil {
        throw Refusal.unimplemented("\(Self.copySource)-\(name)")
      }
      var conditions = ObjectConditions()
      conditions.generation = try copySourceNumber("If-Generation-Match")
      conditions.metageneration = try copySourceNumber("If-Metageneration-Match")
      return conditions
    }
  }

  /// Checks the preconditions about the entity tag of the source of a copy.
  ///
  /// - Throws: ``Refusal`` with status 412.
  fileprivate func checkCopySourceTags(_ source: ObjectRecord) throws {
    if let field = request.headers["\(Self.copySource)-If-Match"], !source.matches(field) {
      throw Refusal.failedCondition
    }
    if let field = request.headers["\(Self.copySource)-If-None-Match"], source.matches(field) {
      throw Refusal.failedCondition
    }
  }
}
