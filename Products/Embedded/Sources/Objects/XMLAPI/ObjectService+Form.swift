import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// Uploads by HTML forms (https://cloud.google.com/storage/docs/xml-api/post-object).
extension ObjectService {
  /// Handles `POST` of a bucket with a form: stores the file, if the signed policy of the form allows all of
  /// its fields.
  ///
  /// - Returns: status 204, or the one of 200, 201 and 204 that `success_action_status` names.
  func storeForm(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    let body = try await call.content(upTo: ObjectCall.longestMultipart)
    let form = try UploadForm(body, contentType: call.request.headers["Content-Type"] ?? "")
    // The credential of the form precedes that of the request, which is that of a page.
    let key = form.isSigned ? try await signingKey(form.fields) : nil
    let caller = try form.isSigned ? authenticator.admit(form: form.fields, with: key) : call.caller
    try checkAdministration(caller)
    if form.isSigned { try form.checkPolicy(bucket: call.bucket, now: now()) }
    _ = try await existingBucket(call)
    guard form.fields["success_action_redirect"] == nil, form.fields["redirect"] == nil else {
      throw Refusal.unimplemented("success_action_redirect of forms")
    }
    let name = form.fields["key"] ?? ""
    let headers = form.fields.map { HTTPHeader(name: $0.key, value: $0.value) }
    guard !headers.contains(where: { $0.value.hasControlCharacters }) else {
      throw Refusal.badObjectRequest("The fields of a form must have no control characters.")
    }
    var request = call.request
    request.headers = HTTPHeaders(headers.filter { $0.name != "acl" })
    request.headers["X-Goog-Acl"] = form.fields["acl"]
    if request.headers["Content-Type"] == nil { request.headers["Content-Type"] = form.contentType }
    let inner = ObjectCall(
      request: request, caller: caller, query: [:], bucket: call.bucket, name: name, origin: call.origin)
    try inner.refuseEncryptionKeys()
    let publication = try xmlPublication(name, inner)
    let size = Int64(form.content.count)
    let record = try await store(BodyReader(.data(form.content)), size: size, as: publication)
    var headersOfAnswer = HTTPHeaders(record.writtenFields)
    let path = "\(PercentEncoding.queryValue(call.bucket))/\(PercentEncoding.queryValue(name))"
    let location = "\(call.linkOrigin)/\(path)"
    headersOfAnswer["Location"] = location
    switch form.fields["success_action_status"] {
    case "200": return TransportStreamingResponse(TransportResponse(status: 200, headers: headersOfAnswer))
    case "201":
      var response = TransportResponse(
        xml: XMLWriter("PostResponse", namespace: nil) { writer in
          writer.write("Location", location)
          writer.write("Bucket", call.bucket)
          writer.write("Key", name)
          writer.write("ETag", record.xmlTag)
        }, status: 201)
      response.headers.fields += headersOfAnswer.fields
      return TransportStreamingResponse(response)
    default: return TransportStreamingResponse(TransportResponse(status: 204, headers: headersOfAnswer))
    }
  }
}

/// A form of type `multipart/form-data` (RFC 7578) with a file as its last field.
struct UploadForm: Sendable {
  /// The values of the fields before the file, by their names in lower case. `${filename}` in `key` is
  /// replaced by the name of the file.
  private(set) var fields: [String: String] = [:]
  /// The content type of the file; `nil` if it has none.
  private(set) var contentType: String?
  /// The content of the file.
  private(set) var content = Data()

  /// The greatest number of fields, and the greatest length of the value of one, in bytes.
  private static let (mostFields, longestField) = (100, 64 << 10)

  /// Whether the form has a policy or a signature.
  var isSigned: Bool {
    fields.keys.contains { $0 == "policy" || $0 == "x-goog-signature" || $0 == "signature" }
  }

  /// Parses a form.
  ///
  /// - Throws: ``Refusal`` with status 400 if it isn't one, or has no file.
  init(_ body: Data, contentType field: String) throws {
    let malformed = Refusal(
      400, "The body of your POST request is not well-formed.", reason: "MalformedPOSTRequest")
    guard let boundary = MediaType(field).parameters["boundary"], !boundary.isEmpty else { throw malformed }
    for part in MultipartBody.parts(of: body, boundary: boundary) {
      guard let (headers, content) = MultipartBody.split(part) else { throw malformed }
      let value = headers.first { $0.name == "content-disposition" }?.value ?? ""
      let disposition = MediaType(value)
      guard disposition.essence == "form-data", let name = disposition.parameters["name"]?.lowercased() else {
        throw malformed
      }
      if name == "file" {
        contentType = headers.first { $0.name == "content-type" }?.value
        self.content = content
        fields["key"] = fields["key"]?.replacing(
          "${filename}", with: disposition.parameters["filename"] ?? "")
        return
      }
      guard fields.count < Self.mostFields, content.count <= Self.longestField,
        let text = String(validating: content, as: UTF8.self)
      else { throw malformed }
      fields[name] = text
    }
    throw Refusal(
      400, "POST requires exactly one file upload per request.", reason: "IncorrectNumberOfFilesInPOSTRequest"
    )
  }

  /// Checks the form against its policy
  /// (https://cloud.google.com/storage/docs/authentication/signatures#policy-document).
  ///
  /// - Throws: ``Refusal`` with status 400 if the policy isn't one, or a field isn't as it says or isn't among
  ///   its conditions, with status 403 if it has expired.
  func checkPolicy(bucket: String, now: Timestamp) throws {
    guard
      let policy = fields["policy"].flatMap({ Data(base64Encoded: $0) }).flatMap({ try? JSON(parsing: $0) }),
      let end = try ObjectAttributes.time(policy["expiration"], "expiration"),
      let conditions = policy["conditions"]?.array
    else {
      throw Self.invalid("The policy of the form must be Base64 of JSON with an expiration and conditions.")
    }
    guard now.microsecondsSince1970 < end.microsecondsSince1970 else {
      throw Refusal(403, "The policy of the form has expired.", reason: "AccessDenied")
    }
    let known = ["algorithm", "credential", "date", "signature", "acl", "storage-class", "custom-time"]
    for name in fields.keys.sorted() where name.hasPrefix("x-goog-") && !name.hasPrefix("x-goog-meta-") {
      guard known.contains(String(name.dropFirst("x-goog-".count))) else {
        throw Self.invalid("The field \(name.prefix(100)) of the form is unknown.")
      }
    }
    var covered: Set<String> = ["file", "policy", "x-goog-signature", "bucket"]
    for condition in conditions { covered.insert(try check(condition, bucket: bucket)) }
    if let name = fields.keys.sorted().first(where: { !covered.contains($0) && !$0.hasPrefix("x-ignore-") }) {
      throw Self.invalid("The policy of the form has no condition about the field \(name.prefix(100)).")
    }
  }

  /// Checks a condition, and returns the name of the field that it is about.
  private func check(_ condition: JSON, bucket: String) throws -> String {
    let values = condition.array ?? []
    if values.count == 3, values[0].string?.lowercased() == "content-length-range" {
      guard let low = values[1].text.flatMap({ Int64(decimal: $0) }),
        let high = values[2].text.flatMap({ Int64(decimal: $0) })
      else { throw Self.invalid("content-length-range of the policy must have two whole numbers.") }
      guard low <= Int64(content.count), Int64(content.count) <= high else {
        throw Refusal(
          400, "The file isn't as long as the policy says.",
          reason: low > Int64(content.count) ? "EntityTooSmall" : "EntityTooLarge")
      }
      return "file"
    }
    let (name, wanted, isPrefix): (String?, String?, Bool)
    if let member = condition.object, member.count == 1 {
      (name, wanted, isPrefix) = (member.keys.first, member.values.first?.text, false)
    } else if values.count == 3, let kind = values[0].string?.lowercased(),
      ["eq", "starts-with"].contains(kind)
    {
      let field = values[1].string.flatMap { $0.hasPrefix("$") ? String($0.dropFirst()) : nil }
      (name, wanted, isPrefix) = (field, values[2].text, kind == "starts-with")
    } else {
      throw Self.invalid("A condition of the policy isn't one.")
    }
    guard let name = name?.lowercased(), let wanted else {
      throw Self.invalid("A condition of the policy has no field or no value.")
    }
    let value = name == "bucket" ? bucket : fields[name] ?? ""
    guard isPrefix ? value.hasPrefix(wanted) : value == wanted else {
      throw Self.invalid("The field \(name.prefix(100)) isn't as the policy of the form says.")
    }
    return name
  }

  private static func invalid(_ message: String) -> Refusal {
    Refusal(400, message, reason: "InvalidPolicyDocument")
  }
}
