import TenonFoundation
import TenonHashes
import TenonTransport
import TenonTransportInterop

/// Multipart uploads of the XML API (https://cloud.google.com/storage/docs/multipart-uploads).
extension ObjectService {
  /// The greatest size of the document that completes an upload, in bytes.
  private static let longestList = 2 << 20
  /// The error for an upload that doesn't exist, or doesn't belong to the object.
  private static let noSuchUpload = Refusal(
    404, "The requested upload was not found.", reason: "NoSuchUpload")

  /// Handles `POST` of an object with `uploads`: begins an upload.
  func beginMultipart(_ name: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    let publication = try xmlPublication(name, call)
    let now = now()
    await database.retryDiscards()
    let upload = MultipartUpload(
      id: RandomText.secret(), bucket: call.bucket, name: name, metadata: publication.metadata,
      attributes: publication.attributes,
      started: now.millisecondsSince1970)
    try await checking { check in
      try await database.transaction { database in
        let replaced = try database.object(name, in: publication.bucket)?.record
        try publication.checkBeginning(replaced, size: nil, check)
        try database.insert(upload, now: now)
      }
    }
    let document = XMLWriter("InitiateMultipartUploadResult") { writer in
      writer.write("Bucket", upload.bucket)
      writer.write("Key", upload.name)
      writer.write("UploadId", upload.id)
    }
    return TransportStreamingResponse(TransportResponse(xml: document))
  }

  /// Handles `PUT` of an object with `uploadId` and `partNumber`: stores a part.
  func takePart(of id: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    guard let number = call.query["partNumber"].flatMap({ Int64(decimal: $0) }),
      MultipartUpload.numbers.contains(number)
    else {
      throw Refusal.badObjectRequest("partNumber must be from 1 to \(MultipartUpload.numbers.upperBound).")
    }
    guard call.request.headers["X-Goog-Copy-Source"] == nil else {
      throw Refusal.unimplemented("copies as parts of multipart uploads")
    }
    _ = try await multipart(id, call)
    let members = ["md5Hash": call.request.headers["Content-MD5"].map(JSON.string)].compactMapValues(\.self)
    let expected = ExpectedDigest(members, call.request.headers["X-Goog-Hash"])
    let now = now()
    let content = try await database.transaction { try $0.insertContent(created: now) }
    do {
      var digest = ContentDigest()
      let reader = BodyReader(call.request.body)
      while let piece = try await reader.next(upTo: Self.pieceSize) {
        try Task.checkCancellation()
        let position = digest.size
        try await database.transaction { try $0.append(piece, to: content, at: position) }
        digest.update(piece)
      }
      let part = UploadedPart(
        number: number, content: content, digest: StoredDigest(digest), updated: now.millisecondsSince1970)
      try expected.check(part.digest)
      try await database.transaction { database in
        // It may have been completed or aborted by another request.
        guard try database.multipart(id) != nil else { throw Self.noSuchUpload }
        try database.save(part, of: id)
      }
      let headers = HTTPHeaders([
        HTTPHeader(name: "ETag", value: part.tag),
        HTTPHeader(name: "X-Goog-Hash", value: "crc32c=\(part.digest.crc32c),md5=\(part.digest.md5)"),
      ])
      return TransportStreamingResponse(TransportResponse(status: 200, headers: headers))
    } catch {
      await database.discard(content)
      throw error
    }
  }

  /// Handles `POST` of an object with `uploadId`: makes an object of the parts that the document in the body
  /// lists.
  func completeMultipart(_ id: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    let upload = try await multipart(id, call)
    let body = try await call.content(upTo: Self.longestList)
    let stored = try await database.read { try $0.parts(of: id) }
    let parts = try Self.parts(listedIn: body, stored)
    let streams = parts.map { part in
      // Checked: a part with a negative size is read as an empty one.
      pieces(of: part.content, named: "\(upload.name) (part \(part.number))", in: 0..<part.digest.size)
    }
    let composition = Composition(streams)
    let content = AsyncThrowingStream { try await composition.next() }
    let record = try await store(
      BodyReader(.stream(content, length: nil)), size: nil,
      as: upload.publication(try call.xmlConditions, by: call.caller))
    try await database.transaction { try $0.deleteMultipart(id) }
    let path = "\(PercentEncoding.queryValue(upload.bucket))/\(PercentEncoding.queryValue(upload.name))"
    let document = XMLWriter("CompleteMultipartUploadResult") { writer in
      writer.write("Location", "\(call.linkOrigin)/\(path)")
      writer.write("Bucket", upload.bucket)
      writer.write("Key", upload.name)
      writer.write("ETag", record.xmlTag)
    }
    var response = TransportResponse(xml: document)
    response.headers.fields += record.writtenFields
    return TransportStreamingResponse(response)
  }

  /// Returns the parts that a document lists.
  ///
  /// - Parameters:
  ///   - body: the document.
  ///   - stored: the parts that were uploaded.
  /// - Throws: ``Refusal`` with status 400 if the document is malformed, a part isn't there or has another
  ///   tag, their numbers don't increase, or a part that isn't the last one is too small.
  private static func parts(listedIn body: Data, _ stored: [UploadedPart]) throws -> [UploadedPart] {
    guard let root = XMLElement(parsing: body), root.name == "CompleteMultipartUpload" else {
      throw Refusal(400, "The XML you provided was not well-formed.", reason: "MalformedXML")
    }
    let known = Dictionary(stored.map { ($0.number, $0) }) { $1 }
    var parts: [UploadedPart] = []
    for element in root.all("Part") {
      let number = element.value("PartNumber").flatMap { Int64(decimal: $0.trimmed) } ?? 0
      let tag = (element.value("ETag") ?? "").trimmed.trimmed { $0 == "\"" }
      // Checked: a dictionary.
      guard let part = known[number], tag.isEmpty || tag == part.tag.trimmed({ $0 == "\"" }) else {
        throw Refusal(
          400, "The part \(number) was not uploaded, or has another entity tag.", reason: "InvalidPart")
      }
      guard parts.last.map({ $0.number < number }) ?? true else {
        throw Refusal(400, "The list of parts was not in ascending order.", reason: "InvalidPartOrder")
      }
      parts.append(part)
    }
    guard !parts.isEmpty else {
      throw Refusal(400, "The document must list at least one Part.", reason: "MalformedXML")
    }
    if let small = parts.dropLast().first(where: { $0.digest.size < MultipartUpload.smallestPart }) {
      throw Refusal(
        400,
        "The part \(small.number) has \(small.digest.size) bytes. All but the last need \(MultipartUpload.smallestPart).",
        reason: "EntityTooSmall")
    }
    return parts
  }

  /// Handles `DELETE` of an object with `uploadId`: deletes the upload.
  func abortMultipart(_ id: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    _ = try await multipart(id, call)
    try await database.transaction { try $0.deleteMultipart(id) }
    return TransportStreamingResponse(TransportResponse(status: 204))
  }

  /// Handles `GET` of an object with `uploadId`: lists the parts.
  func listParts(of id: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    let upload = try await multipart(id, call)
    let limit = try call.xmlPageLimit("max-parts")
    let marker = call.query["part-number-marker"].flatMap { Int64(decimal: $0) } ?? 0
    let rest = try await database.read { try $0.parts(of: id) }.filter { $0.number > marker }
    // Checked: 1 to 1,000.
    let page = rest.prefix(limit)
    let document = XMLWriter("ListPartsResult") { writer in
      writer.write("Bucket", upload.bucket)
      writer.write("Key", call.xmlNames(upload.name))
      writer.write("UploadId", upload.id)
      writer.write("StorageClass", upload.attributes.storageClass ?? ObjectAttributes.defaultStorageClass)
      writer.write("PartNumberMarker", String(marker))
      writer.write("NextPartNumberMarker", page.last.map { String($0.number) })
      writer.write("MaxParts", String(limit))
      writer.write("IsTruncated", rest.count > page.count ? "true" : "false")
      for part in page {
        writer.write("Part") { writer in
          writer.write("PartNumber", String(part.number))
          writer.write("LastModified", Timestamp(millisecondsSince1970: part.updated).iso8601)
          writer.write("ETag", part.tag)
          writer.write("Size", String(part.digest.size))
        }
      }
    }
    return TransportStreamingResponse(TransportResponse(xml: document))
  }

  /// Handles `GET` of a bucket with `uploads`: lists the uploads that were begun.
  func listMultipart(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    guard (call.query["delimiter"] ?? "").isEmpty else {
      throw Refusal.unimplemented("delimiters of lists of uploads")
    }
    let (limit, bucket) = (try call.xmlPageLimit("max-uploads"), call.bucket)
    let (prefix, marker) = (call.query["prefix"] ?? "", call.query["key-marker"] ?? "")
    let uploadMarker = call.query["upload-id-marker"] ?? ""
    let all = try await database.read { try $0.multiparts(in: bucket) }
    var rest = all.filter { $0.name.utf8.starts(with: prefix.utf8) }[...]
    if !marker.isEmpty {
      // With the marker of an upload, those of the same name that follow it remain.
      let last = rest.lastIndex { $0.name == marker && $0.id == uploadMarker }
      rest =
        last.map { rest[($0 + 1)...] } ?? rest.drop { !marker.utf8.lexicographicallyPrecedes($0.name.utf8) }
    }
    // Checked: 1 to 1,000.
    let page = rest.prefix(limit)
    let isTruncated = rest.count > page.count
    let document = XMLWriter("ListMultipartUploadsResult") { writer in
      writer.write("Bucket", bucket)
      writer.write("KeyMarker", call.xmlNames(marker))
      writer.write("UploadIdMarker", uploadMarker)
      writer.write("NextKeyMarker", isTruncated ? page.last.map { call.xmlNames($0.name) } : nil)
      writer.write("NextUploadIdMarker", isTruncated ? page.last?.id : nil)
      writer.write("Prefix", call.xmlNames(prefix))
      writer.write("MaxUploads", String(limit))
      writer.write("IsTruncated", isTruncated ? "true" : "false")
      for upload in page {
        writer.write("Upload") { writer in
          writer.write("Key", call.xmlNames(upload.name))
          writer.write("UploadId", upload.id)
          writer.write("StorageClass", upload.attributes.storageClass ?? ObjectAttributes.defaultStorageClass)
          writer.write("Initiated", Timestamp(millisecondsSince1970: upload.started).iso8601)
        }
      }
    }
    return TransportStreamingResponse(TransportResponse(xml: document))
  }

  /// Returns the upload of a request.
  ///
  /// - Throws: ``Refusal`` with status 404 if there is none, if it isn't that of the object, or if it has
  ///   expired.
  private func multipart(_ id: String, _ call: ObjectCall) async throws -> MultipartUpload {
    guard let upload = try await database.read({ try $0.multipart(id) }), upload.bucket == call.bucket,
      upload.name == call.name, upload.started >= now().millisecondsSince1970 - ObjectUpload.lifetime
    else { throw Self.noSuchUpload }
    return upload
  }
}
