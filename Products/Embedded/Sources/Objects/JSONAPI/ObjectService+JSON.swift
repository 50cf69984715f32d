import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// Version 1 of Cloud Storage's JSON API (https://cloud.google.com/storage/docs/json_api/v1), on the same
/// objects as `firebasestorage`. It is the administrators' API: Firebase's rules don't apply to it. As long
/// as nothing restricts objects, everybody may use it, because Google's clients send no credentials to an
/// emulator.
extension ObjectService {
  /// Responds to a request of the JSON API.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - route: the path, which begins with `storage/v1`, `upload/storage/v1`, `download/storage/v1` or
  ///     `batch/storage/v1`.
  ///   - caller: the caller.
  /// - Throws: ``Refusal``, with status 401 or 403 for callers without the right, with status 501 for a
  ///   feature that isn't supported; ``UploadConflict``; `TransportError`.
  func answerJSON(
    _ request: TransportRequest, route: Route, by caller: Caller
  ) async throws -> TransportStreamingResponse {
    do {
      guard route.path.first != "batch" else { return try await batch(request, route, caller) }
      return try await answerJSONResource(request, route, caller)
    } catch let refusal as Refusal where refusal == .notModified {
      return TransportStreamingResponse(TransportResponse(status: 304))
    }
  }

  /// Checks that a caller may use the JSON API.
  ///
  /// - Throws: ``AuthenticationError``; ``Refusal`` with status 401 for nobody, with status 403 for users.
  func checkAdministration(_ caller: Caller) throws {
    try authenticator.checkApp(of: caller, at: .storage)
    let settings = settings()
    guard
      rules.isRestricting || settings.objectsRequireSignIn || settings.appCheckRequired.contains(.storage)
    else { return }
    switch caller.identity {
    case .administrator: break
    case .user: throw Refusal.missingAdministrator
    case .nobody:
      throw Refusal(
        401, "Anonymous caller does not have access. Objects are restricted, so this needs an administrator.",
        reason: "required", statusName: "UNAUTHENTICATED")
    }
  }

  /// Responds to a request for a bucket, an object or a list.
  private func answerJSONResource(
    _ request: TransportRequest, _ route: Route, _ caller: Caller
  ) async throws -> TransportStreamingResponse {
    let (kind, path) = Self.split(route.path)
    // The ID of an upload is a secret of whoever was allowed to begin it.
    let continuesUpload = kind == "upload" && route.query["upload_id"] != nil
    if !continuesUpload { try checkAdministration(caller) }
    guard path.first == "b" else { throw Refusal.unimplemented("this part of Cloud Storage's JSON API") }
    let bucket = path.count > 1 ? path[1] : ""
    try ObjectName.check(bucket: bucket)
    let name = path.count > 3 ? path[3] : nil
    let call = ObjectCall(
      request: request, caller: caller, query: route.query, bucket: bucket, name: name, origin: route.origin)
    if path.count > 2, path[2] != "o" { throw Refusal.unimplemented("\(path[2]) of buckets") }
    switch path.count {
    case 1 where kind == "storage", 2 where kind == "storage": return try await bucketMethod(call)
    case 3 where kind == "upload": return try await uploadJSON(call)
    case 3 where kind == "storage" && call.method == .get: return try await listJSON(call)
    case 4 where kind != "upload":
      return try await objectMethod(call, path[3], isDownload: kind == "download")
    case 5 where kind == "storage" && path[4] == "compose" && call.method == .post:
      return try await compose(path[3], call)
    case 9 where ["copyTo", "rewriteTo"].contains(path[4]) && path[5] == "b" && path[7] == "o":
      guard call.method == .post else { break }
      return try await copy(path[3], to: path[8], in: path[6], call, rewrites: path[4] == "rewriteTo")
    default:
      if path.count > 4 { throw Refusal.unimplemented("\(path[4]) of objects") }
    }
    throw Refusal.notFound
  }

  /// Returns the kind of a request, `storage`, `upload` or `download`, and the path behind `storage/v1`.
  private static func split(_ path: [String]) -> (kind: String, path: [String]) {
    let isMedia = path.first != "storage"
    // Checked: two constants.
    return (path.first ?? "", Array(path.dropFirst(isMedia ? 3 : 2)))
  }

  /// Handles the methods of a single object.
  private func objectMethod(
    _ call: ObjectCall, _ name: String, isDownload: Bool
  ) async throws -> TransportStreamingResponse {
    let (bucket, origin) = (call.bucket, call.linkOrigin)
    let (conditions, generation) = (try call.conditions, try call.generation())
    let refusing: @Sendable (ObjectRecord?) throws -> Void = { record in
      if let generation, record?.generation != generation { throw Refusal.noSuchObject }
      // A missing object is more important than a precondition about it.
      if record != nil { try conditions.check(record) }
    }
    switch call.method {
    case .get:
      guard let object = try await database.object(name, in: bucket),
        generation == nil || object.record.generation == generation
      else { throw Refusal.noSuchObject }
      try conditions.check(object.record, isRead: true)
      guard call.query["alt"] == "media" || isDownload else {
        return try Self.answer(200, json: object.record.resource(origin: origin))
      }
      return try content(of: object, call)
    case .patch, .put:
      let members = try await call.members()
      let replaces = call.method == .put
      let record = try await change(name, in: bucket, refusing: refusing) { record in
        var metadata = replaces ? try ObjectMetadata(uploaded: members) : record.metadata
        if !replaces {
          metadata.add(tokens: record.downloadTokens)
          try metadata.patch(members)
        }
        record.downloadTokens = metadata.removeDownloadTokens()
        record.metadata = metadata
      }
      return try Self.answer(200, json: record.resource(origin: origin))
    case .delete:
      try await delete(name, in: bucket, refusing: refusing)
      return TransportStreamingResponse(TransportResponse(status: 204))
    default: throw Refusal.notFound
    }
  }

  /// Handles `GET` of a bucket's objects: returns a page of their resources.
  private func listJSON(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    for name in ["versions", "softDeleted"] where call.query[name]?.lowercased() == "true" {
      throw Refusal.unimplemented("the parameter \(name) of lists")
    }
    guard call.query["matchGlob"] == nil else {
      throw Refusal.unimplemented("the parameter matchGlob of lists")
    }
    let listing = ObjectListing(
      bucket: call.bucket,
      prefix: call.query["prefix"] ?? "",
      delimiter: call.query["delimiter"] ?? "",
      start: try call.pageStart ?? call.query["startOffset"] ?? "",
      end: call.query["endOffset"].flatMap { $0.isEmpty ? nil : $0 },
      limit: try call.pageLimit,
      hidesEmptySegments: false,
      includesTrailingDelimiter: call.query["includeTrailingDelimiter"]?.lowercased() == "true"
    )
    let (page, records) = try await database.read { database in
      let page = try listing.page(from: database)
      return (page, try page.names.compactMap { try database.object($0, in: listing.bucket)?.record })
    }
    let origin = call.linkOrigin
    return try Self.answer(
      200,
      json: .members([
        "kind": "storage#objects",
        "nextPageToken": page.next.map(ObjectCall.pageToken),
        "prefixes": page.prefixes.isEmpty ? nil : .array(page.prefixes.map(JSON.string)),
        "items": records.isEmpty ? nil : .array(records.map { $0.resource(origin: origin) }),
      ]))
  }
}

extension ObjectCall {
  /// The origin of links to objects.
  var linkOrigin: String { origin?.absoluteString ?? "https://storage.googleapis.com" }

  /// The preconditions of the query.
  var conditions: ObjectConditions {
    get throws { try ObjectConditions(query) }
  }

  /// Returns the generation that the query selects; `nil` for the present one.
  ///
  /// - Parameter parameter: the name of the parameter.
  /// - Throws: ``Refusal`` with status 400 if it isn't a whole number.
  func generation(_ parameter: String = "generation") throws -> Int64? {
    try query[parameter].map { text in
      guard let number = Int64(decimal: text) else {
        throw Refusal.badObjectRequest("\(parameter) must be a whole number.")
      }
      return number
    }
  }
}

extension ObjectMetadata {
  /// Adds download tokens to the custom metadata, where clients of the JSON API change them.
  mutating func add(tokens: [String]) {
    guard !tokens.isEmpty else { return }
    custom = custom ?? [:]
    custom?[ObjectRecord.tokensName] = tokens.joined(separator: ",")
  }
}
