import TenonFoundation
import TenonHashes
import TenonTransport
import TenonTransportInterop

/// Cloud Storage's XML API (https://cloud.google.com/storage/docs/xml-api/overview) on objects: reading,
/// writing, deleting and listing them, multipart uploads, and what signed URLs are for. As the JSON API, it
/// is the administrators'. Buckets are created and changed through the JSON API.
extension ObjectService {
  /// The parameters that select something besides the object or the list of a bucket.
  private static let subresources = [
    "acl", "billing", "compose", "cors", "defaultObjectAcl", "encryption", "encryptionConfig", "lifecycle",
    "location", "logging", "object-lock", "policy", "publicAccessBlock", "retention", "storageClass",
    "tagging",
    "torrent", "versioning", "versions", "website",
  ]

  /// Responds to a request of the XML API. Errors are XML.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - route: its URL, whose path is the bucket and the object.
  ///   - caller: the caller.
  func answerXML(
    _ request: TransportRequest, route: Route, by caller: Caller
  ) async throws -> TransportStreamingResponse {
    var response: TransportStreamingResponse
    do { response = try await xmlMethod(request, route, caller) } catch let refusal as Refusal {
      guard refusal != .notModified else {
        return TransportStreamingResponse(TransportResponse(status: 304))
      }
      response = TransportStreamingResponse(refusal.xmlResponse)
    } catch let error as AuthenticationError {
      response = TransportStreamingResponse(error.refusal.xmlResponse)
    }
    if request.method == .head { response.body = AsyncThrowingStream { $0.finish() } }
    return response
  }

  private func xmlMethod(
    _ request: TransportRequest, _ route: Route, _ caller: Caller
  ) async throws -> TransportStreamingResponse {
    let isForm =
      request.method == .post && route.path.count == 1
      && MediaType(request.headers["Content-Type"] ?? "").essence == "multipart/form-data"
    // Only the client that was allowed to begin an upload knows its ID; a form has its credential in its
    // body.
    if !isForm, !route.namesSecret { try checkAdministration(caller) }
    let (bucket, name) = (route.path[0], route.path.dropFirst().first)
    try ObjectName.check(bucket: bucket)
    let call = ObjectCall(
      request: request, caller: caller, query: route.query, bucket: bucket, name: name, origin: route.origin)
    if isForm { return try await storeForm(call) }
    try call.refuseEncryptionKeys()
    if let id = route.query["upload_id"] { return try await resumeJSON(id, call) }
    _ = try await existingBucket(call)
    if let subresource = Self.subresources.first(where: { route.query[$0] != nil }) {
      throw Refusal.unimplemented("\(subresource) in the XML API. Use the JSON API")
    }
    guard let name else { return try await xmlBucketMethod(call) }
    switch request.method {
    case .get, .head:
      if let id = route.query["uploadId"] { return try await listParts(of: id, call) }
      return try await readXML(name, call)
    case .put:
      if let id = route.query["uploadId"] { return try await takePart(of: id, call) }
      return try await writeXML(name, call)
    case .post:
      if let id = route.query["uploadId"] { return try await completeMultipart(id, call) }
      if route.query["uploads"] != nil { return try await beginMultipart(name, call) }
      return try await beginXML(name, call)
    case .delete:
      if let id = route.query["uploadId"] { return try await abortMultipart(id, call) }
      return try await deleteXML(name, call)
    default: throw Self.methodNotAllowed
    }
  }

  private static let methodNotAllowed = Refusal(
    405, "The specified method is not allowed against this resource.", reason: "MethodNotAllowed")

  /// Handles the methods of a bucket.
  private func xmlBucketMethod(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    switch call.request.method {
    case .get:
      return call.query["uploads"] == nil ? try await listXML(call) : try await listMultipart(call)
    case .head:
      let bucket = try await existingBucket(call)
      let headers = HTTPHeaders([
        HTTPHeader(name: "X-Goog-Metageneration", value: String(bucket.metageneration)),
        HTTPHeader(
          name: "X-Goog-Storage-Class", value: bucket.storageClass ?? ObjectAttributes.defaultStorageClass),
      ])
      return TransportStreamingResponse(TransportResponse(status: 200, headers: headers))
    case .put, .delete:
      throw Refusal.unimplemented("creating and deleting buckets in the XML API. Use the JSON API")
    default: throw Self.methodNotAllowed
    }
  }

  /// Handles `GET` and `HEAD` of an object. In the response, `response-content-type` and
  /// `response-content-disposition` replace those of the object.
  private func readXML(_ name: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    let found = try await database.object(name, in: call.bucket, generation: try call.generation())
    guard let object = found else { throw Refusal.noSuchObject }
    try call.xmlConditions.check(object.record, isRead: true)
    try call.checkTags(object.record, isRead: true)
    var response = try content(of: object, call)
    guard response.status != 416 else {
      var refused = TransportStreamingResponse(Self.invalidRange.xmlResponse)
      refused.headers["Content-Range"] = response.headers["Content-Range"]
      return refused
    }
    response.headers["ETag"] = object.record.xmlTag
    response.headers["Last-Modified"] = Self.httpDate(object.record.updated)
    response.headers.fields += object.record.customFields
    for field in ["Content-Type", "Content-Disposition"] {
      guard let value = call.query["response-\(field.lowercased())"] else { continue }
      guard !value.hasControlCharacters else {
        throw Refusal.badObjectRequest("response-\(field.lowercased()) must have no control characters.")
      }
      response.headers[field] = value
    }
    return response
  }

  private static let invalidRange = Refusal(
    416, "The requested range cannot be satisfied.", reason: "InvalidRange")

  /// Handles `PUT` of an object.
  private func writeXML(_ name: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    if let source = call.request.headers["X-Goog-Copy-Source"] {
      return try await copyXML(name, from: source, call)
    }
    let publication = try xmlPublication(name, call)
    let replaced = try await database.object(name, in: call.bucket)?.record
    try call.checkTags(replaced, isRead: false)
    let record = try await store(BodyReader(call.request.body), size: call.statedSize, as: publication)
    return TransportStreamingResponse(
      TransportResponse(status: 200, headers: HTTPHeaders(record.writtenFields)))
  }

  /// Handles `POST` of an object with `x-goog-resumable: start`: begins a resumable upload.
  private func beginXML(_ name: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    guard call.request.headers["X-Goog-Resumable"]?.lowercased() == "start" else {
      throw Refusal.badObjectRequest(
        "POST of an object needs x-goog-resumable: start, or the parameter uploads or uploadId.")
    }
    let size = call.number(in: "X-Upload-Content-Length")
    let upload = try await begin(try xmlPublication(name, call), size: size, isJSON: true)
    let path = "\(PercentEncoding.queryValue(call.bucket))/\(PercentEncoding.queryValue(name))"
    let headers = HTTPHeaders([
      HTTPHeader(name: "Location", value: "\(call.linkOrigin)/\(path)?upload_id=\(upload.id)"),
      HTTPHeader(name: "X-GUploader-UploadID", value: upload.id),
    ])
    return TransportStreamingResponse(TransportResponse(status: 201, headers: headers))
  }

  /// Handles `DELETE` of an object.
  private func deleteXML(_ name: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    let conditions = try call.xmlConditions
    try await delete(name, in: call.bucket, generation: try call.generation()) { record in
      // A missing object is more important than a precondition about it.
      guard let record else { return }
      try conditions.check(record)
      try call.checkTags(record, isRead: false)
    }
    return TransportStreamingResponse(TransportResponse(status: 204))
  }

  /// Returns what is to become of a content, according to the header fields of a request.
  func xmlPublication(_ name: String, _ call: ObjectCall) throws -> ObjectPublication {
    try ObjectName.check(name)
    let members = try call.xmlMembers
    return ObjectPublication(
      name: name, bucket: call.bucket, metadata: try ObjectMetadata(uploaded: members),
      attributes: try ObjectAttributes(uploaded: members),
      expected: ExpectedDigest(members, call.request.headers["X-Goog-Hash"]),
      conditions: try call.xmlConditions, caller: call.caller, hasToken: false)
  }

  /// Returns a time as that of HTTP (RFC 9110, section 5.6.7).
  private static func httpDate(_ milliseconds: Int64) -> String {
    let seconds = milliseconds.dividedDown(by: 1_000)
    let days = seconds.dividedDown(by: 86_400)
    let text = Timestamp(millisecondsSince1970: milliseconds).iso8601
    let parts = text.prefix(19).split { $0 == "-" || $0 == "T" || $0 == ":" }
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    guard parts.count == 6, let month = Int(decimal: parts[1]), (1...12).contains(month) else { return text }
    // Checked: a month of 1 to 12, and a remainder by 7 that isn't negative.
    let weekday = weekdays[Int((days % 7 + 7) % 7)]
    return "\(weekday), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) GMT"
  }
}

extension Int64 {
  /// Returns the quotient, rounded down.
  fileprivate func dividedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension ObjectCall {
  /// The preconditions in the header fields of a request of the XML API.
  var xmlConditions: ObjectConditions {
    get throws {
      var query: [String: String] = [:]
      for (field, name) in [
        ("X-Goog-If-Generation-Match", "ifGenerationMatch"),
        ("X-Goog-If-Metageneration-Match", "ifMetagenerationMatch"),
      ] {
        query[name] = request.headers[field]
      }
      return try ObjectConditions(query)
    }
  }

  /// The metadata in the header fields of a request of the XML API, as the members of the JSON API.
  ///
  /// - Throws: ``Refusal`` with status 501 for fields that aren't supported.
  fileprivate var xmlMembers: [String: JSON] {
    get throws {
      for field in request.headers.fields where field.name.lowercased().hasPrefix("x-goog-object-lock-") {
        throw Refusal.unimplemented("\(field.name.prefix(100)) in the XML API. Use the JSON API")
      }
      let fields = [
        "Content-Type": "contentType", "Content-Encoding": "contentEncoding",
        "Content-Disposition": "contentDisposition", "Content-Language": "contentLanguage",
        "Cache-Control": "cacheControl", "X-Goog-Storage-Class": "storageClass",
        "X-Goog-Custom-Time": "customTime", "Content-MD5": "md5Hash",
      ]
      var members = fields.reduce(into: [String: JSON]()) { members, field in
        members[field.value] = request.headers[field.key].map(JSON.string)
      }
      let prefix = "x-goog-meta-"
      var custom: [String: JSON] = [:]
      for field in request.headers.fields where field.name.lowercased().hasPrefix(prefix) {
        custom[String(field.name.lowercased().dropFirst(prefix.count))] = .string(field.value)
      }
      if !custom.isEmpty { members["metadata"] = .object(custom) }
      if let entries = try AccessEntry.predefined(predefinedList, .object) {
        members["acl"] = .array(entries.map(\.json))
      }
      return members
    }
  }

  /// The name of the access control list in `x-goog-acl`, as that of the JSON API: `public-read` is
  /// `publicRead`.
  private var predefinedList: String? {
    request.headers["X-Goog-Acl"].map { name in
      let words = name.lowercased().split(separator: "-")
      return words.enumerated().reduce(into: "") { result, word in
        result +=
          word.offset == 0
          ? String(word.element) : word.element.prefix(1).uppercased() + word.element.dropFirst()
      }
    }
  }
}

extension ObjectRecord {
  /// The MD5 digest in hexadecimal digits and quotes, which the XML API has as the entity tag.
  var xmlTag: String { "\"\(Self.hexadecimal(md5Hash) ?? etag)\"" }

  /// Returns a digest in hexadecimal digits; `nil` if it isn't Base64.
  static func hexadecimal(_ base64: String) -> String? {
    Data(base64Encoded: base64)?.hexadecimal
  }

  /// The header fields of the response to a request that has written the object.
  var writtenFields: [HTTPHeader] {
    [
      HTTPHeader(name: "ETag", value: xmlTag),
      HTTPHeader(name: "X-Goog-Generation", value: String(generation)),
      HTTPHeader(name: "X-Goog-Metageneration", value: String(metageneration)),
      HTTPHeader(name: "X-Goog-Hash", value: "crc32c=\(crc32c),md5=\(md5Hash)"),
      HTTPHeader(name: "X-Goog-Stored-Content-Encoding", value: metadata.contentEncoding ?? "identity"),
      HTTPHeader(name: "X-Goog-Stored-Content-Length", value: String(size)),
    ]
  }

  /// The custom metadata as header fields. Names that fields can't have are omitted.
  fileprivate var customFields: [HTTPHeader] {
    (metadata.custom ?? [:]).sorted { $0.key < $1.key }.compactMap { name, value in
      let isToken =
        !name.isEmpty && name.utf8.allSatisfy { "!#$%&'*+-.^_`|~".utf8.contains($0) || $0.isAlphanumeric }
      return isToken ? HTTPHeader(name: "x-goog-meta-\(name)", value: value) : nil
    }
  }
}

extension UInt8 {
  /// Whether an ASCII character is a letter or a digit.
  fileprivate var isAlphanumeric: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
