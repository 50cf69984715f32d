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
      // Before anything is changed: a selection that isn't valid is an error of the whole request.
      let selection = try route.query["fields"].flatMap { $0.isEmpty ? nil : try FieldSelection($0) }
      let response = try await answerJSONResource(request, route, caller)
      let isContent = route.query["alt"] == "media" || route.path.first == "download"
      guard let selection, !isContent else { return response }
      return try await Self.select(selection, of: response)
    } catch let refusal as Refusal where refusal == .notModified {
      return TransportStreamingResponse(TransportResponse(status: 304))
    }
  }

  /// Returns a response with the members of its resource that a client has selected.
  private static func select(
    _ selection: FieldSelection, of response: TransportStreamingResponse
  ) async throws -> TransportStreamingResponse {
    guard response.status == 200 else { return response }
    var content = Data()
    for try await piece in response.body { content += piece }
    guard !content.isEmpty else {
      return TransportStreamingResponse(TransportResponse(status: 200, headers: response.headers))
    }
    let selected = selection.selected(from: try JSON(parsing: content))
    var headers = response.headers
    for name in ["Content-Type", "Content-Length"] { headers[name] = nil }
    return try answer(200, json: selected, headers: headers)
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
    // Only the client that was allowed to begin an upload knows its ID.
    let continuesUpload = kind == "upload" && route.query["upload_id"] != nil
    if !continuesUpload { try checkAdministration(caller) }
    if path.first == "projects", path.count == 3, path[2] == "serviceAccount", request.method == .get {
      return try serviceAccount(of: path[1])
    }
    if path.first == "projects", path.count == 3 || path.count == 4, path[2] == "hmacKeys", kind == "storage"
    {
      let call = ObjectCall(
        request: request, caller: caller, query: route.query, bucket: "", name: nil, origin: route.origin)
      return try await hmacKeyMethod(path.count == 4 ? path[3] : nil, of: path[1], call)
    }
    guard path.first == "b" else { throw Refusal.unimplemented("this part of Cloud Storage's JSON API") }
    let bucket = path.count > 1 ? path[1] : ""
    try ObjectName.check(bucket: bucket)
    let name = path.count > 3 ? path[3] : nil
    let call = ObjectCall(
      request: request, caller: caller, query: route.query, bucket: bucket, name: name, origin: route.origin)
    try call.refuseEncryptionKeys()
    if kind == "storage", let response = try await answerPart(of: path, call) { return response }
    if path.count > 2, path[2] != "o" { throw Refusal.unimplemented("\(path[2]) of buckets") }
    switch path.count {
    case 1 where kind == "storage", 2 where kind == "storage": return try await bucketMethod(call)
    case 3 where kind == "upload": return try await uploadJSON(call)
    case 3 where kind == "storage" && call.method == .get: return try await listJSON(call)
    case 4 where kind != "upload":
      return try await objectMethod(call, path[3], isDownload: kind == "download")
    case 5 where kind == "storage" && path[4] == "compose" && call.method == .post:
      return try await compose(path[3], call)
    case 5 where kind == "storage" && path[4] == "restore" && call.method == .post:
      return try await restore(path[3], call)
    case 7 where kind == "storage" && path[4] == "moveTo" && path[5] == "o":
      guard call.method == .post else { break }
      return try await move(path[3], to: path[6], call)
    case 9 where ["copyTo", "rewriteTo"].contains(path[4]) && path[5] == "b" && path[7] == "o":
      guard call.method == .post else { break }
      return try await copy(path[3], to: path[8], in: path[6], call, rewrites: path[4] == "rewriteTo")
    default:
      if path.count > 4 { throw Refusal.unimplemented("\(path[4]) of objects") }
    }
    throw Refusal.notFound
  }

  /// Returns the service account with which Cloud Storage itself acts for a project, for example to send
  /// notifications. Nothing acts with it here; its address is what clients name in policies.
  private func serviceAccount(of project: String) throws -> TransportStreamingResponse {
    guard project == projectID else { throw Refusal.otherProject(project, served: projectID) }
    let address = "service-1@gs-project-accounts.iam.gserviceaccount.com"
    return try Self.answer(
      200, json: ["kind": "storage#serviceAccount", "email_address": .string(address)])
  }

  /// Responds to a request for what belongs to a bucket or an object besides its resource: access control
  /// lists, policies and notification configurations.
  ///
  /// - Returns: `nil` for any other request.
  private func answerPart(of path: [String], _ call: ObjectCall) async throws -> TransportStreamingResponse? {
    switch path.count {
    case 3 where path[2] == "lockRetentionPolicy" && call.method == .post: try await lockRetention(call)
    case 3 where path[2] == "iam": try await policy(call)
    case 4 where path[2] == "iam" && path[3] == "testPermissions" && call.method == .get:
      try await testPermissions(call)
    case 3...4 where path[2] == "notificationConfigs":
      try await notifications(call, path.count == 4 ? path[3] : nil)
    case 3...4 where path[2] == "acl":
      try await accessControl(.bucket, call, path.count == 4 ? path[3] : nil)
    case 3...4 where path[2] == "defaultObjectAcl":
      try await accessControl(.defaultObject, call, path.count == 4 ? path[3] : nil)
    case 5...6 where path[2] == "o" && path[4] == "acl":
      try await accessControl(.object, call, path.count == 6 ? path[5] : nil)
    default: nil
    }
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
    let bucket = call.bucket
    let (conditions, generation) = (try call.conditions, try call.generation())
    let refusing: @Sendable (ObjectRecord?) throws -> Void = { record in
      // A missing object is more important than a precondition about it.
      guard record != nil else { return }
      try conditions.check(record)
      try call.checkTags(record, isRead: false)
    }
    switch call.method {
    case .get:
      guard let object = try await object(name, call, generation) else { throw Refusal.noSuchObject }
      try conditions.check(object.record, isRead: true)
      try call.checkTags(object.record, isRead: true)
      guard call.query["alt"] == "media" || isDownload else {
        return try Self.answer(200, json: call.resource(object.record))
      }
      guard object.record.softDeleteTime == nil else {
        throw Refusal.badObjectRequest("A soft-deleted object must be restored before its content is read.")
      }
      return try content(of: object, call)
    case .patch, .put:
      let members = try await call.objectMembers()
      let (replaces, overrides) = (call.method == .put, call.isTrue("overrideUnlockedRetention"))
      let now = now()
      let record = try await change(name, in: bucket, generation: generation, refusing: refusing) {
        record, bucket in
        var metadata = replaces ? try ObjectMetadata(uploaded: members) : record.metadata
        if !replaces {
          metadata.add(tokens: record.downloadTokens)
          try metadata.patch(members)
        }
        record.downloadTokens = metadata.removeDownloadTokens()
        record.metadata = metadata
        var attributes = record.attributes ?? ObjectAttributes()
        try attributes.change(
          members,
          ObjectChange(replaces: replaces, bucket: bucket, overridesRetention: overrides, now: now))
        record.attributes = attributes
      }
      return try Self.answer(200, json: call.resource(record))
    case .delete:
      try await delete(name, in: bucket, generation: generation, refusing: refusing)
      return TransportStreamingResponse(TransportResponse(status: 204))
    default: throw Refusal.notFound
    }
  }

  /// Returns the version that a request reads: the live object, the one with a generation, or with
  /// `softDeleted=true` a soft-deleted one; `nil` if there is none.
  private func object(_ name: String, _ call: ObjectCall, _ generation: Int64?) async throws -> StoredObject?
  {
    let bucket = call.bucket
    guard call.isTrue("softDeleted") else {
      return try await database.object(name, in: bucket, generation: generation)
    }
    guard let generation else { throw Self.missingGeneration }
    return try await database.softDeletedObject(
      name, in: bucket, generation: generation, now: now().millisecondsSince1970)
  }

  /// The error for a request about a soft-deleted object that doesn't say which one.
  private static let missingGeneration = Refusal.badObjectRequest("A soft-deleted object needs a generation.")

  /// Handles `POST` of `restore`: makes a soft-deleted object live again, as a new generation. The
  /// soft-deleted one remains until its time has come.
  private func restore(_ name: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    guard let generation = try call.generation() else { throw Self.missingGeneration }
    try call.refuseKeys()
    let keepsList = call.isTrue("copySourceAcl")
    let (bucket, conditions, now) = (call.bucket, try call.conditions, now())
    let record = try await checking { check in
      try await database.transaction { database in
        guard
          let source = try database.softDeletedObject(
            name, in: bucket, generation: generation, now: now.millisecondsSince1970)
        else { throw Refusal.noSuchObject }
        var publication = source.publication(as: name, in: bucket, conditions, call.caller)
        if keepsList { publication.attributes.acl = source.record.attributes?.acl }
        return try publication.publish(
          source.content, StoredDigest(source.record), check, now: now, in: database)
      }
    }
    return try Self.answer(200, json: call.resource(record))
  }

  /// Handles `GET` of a bucket's objects: returns a page of their resources. With `versions=true`, noncurrent
  /// versions are among them; with `softDeleted=true`, it has only soft-deleted objects.
  private func listJSON(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    let glob = try call.query["matchGlob"].flatMap { try $0.isEmpty ? nil : ObjectGlob($0) }
    guard glob == nil || ["", "/"].contains(call.query["delimiter"] ?? "") else {
      throw Refusal.badObjectRequest("With matchGlob, the delimiter must be a slash.")
    }
    let filter = try call.query["filter"].flatMap { try $0.isEmpty ? nil : ContextFilter($0) }
    guard filter == nil || (call.query["delimiter"] ?? "").isEmpty else {
      throw Refusal.unimplemented("a filter together with a delimiter")
    }
    let scope: ObjectScope
    switch (call.isTrue("versions"), call.isTrue("softDeleted")) {
    case (true, true): throw Refusal.badObjectRequest("versions and softDeleted exclude each other.")
    case (true, false): scope = .versions
    case (false, true): scope = .softDeleted(now: now().millisecondsSince1970)
    case (false, false): scope = .live
    }
    let start = try call.pageStart
    let listing = ObjectListing(
      bucket: call.bucket,
      prefix: call.query["prefix"] ?? "",
      delimiter: call.query["delimiter"] ?? "",
      start: start?.name ?? call.query["startOffset"] ?? "",
      startGeneration: start?.generation ?? 0,
      scope: scope,
      glob: glob,
      end: call.query["endOffset"].flatMap { $0.isEmpty ? nil : $0 },
      limit: try call.pageLimit,
      hidesEmptySegments: false,
      includesTrailingDelimiter: call.isTrue("includeTrailingDelimiter")
    )
    let (page, records) = try await database.read { database in
      let page = try listing.page(from: database)
      let records = try page.items.compactMap { try database.object($0, listing)?.record }
      // A page with fewer items may have a next one, as on Cloud Storage.
      return (page, filter.map { filter in records.filter(filter.selects) } ?? records)
    }
    return try Self.answer(
      200,
      json: .members([
        "kind": "storage#objects",
        "nextPageToken": page.next.map { ObjectCall.pageToken($0, generation: page.nextGeneration) },
        "prefixes": page.prefixes.isEmpty ? nil : .array(page.prefixes.map(JSON.string)),
        "items": records.isEmpty ? nil : .array(records.map(call.resource)),
      ]))
  }
}

extension EmbeddedDatabase {
  /// Returns the object of an item of a list.
  fileprivate func object(_ item: ObjectListing.Item, _ listing: ObjectListing) throws -> StoredObject? {
    if case .softDeleted(let now) = listing.scope {
      return try softDeletedObject(item.name, in: listing.bucket, generation: item.generation, now: now)
    }
    return try object(
      item.name, in: listing.bucket, generation: item.generation == .max ? nil : item.generation)
  }
}

extension StoredObject {
  /// What is to become of the content if it is copied: an object with the same metadata.
  ///
  /// - Parameters:
  ///   - name: the name of the copy.
  ///   - bucket: its bucket.
  ///   - conditions: the preconditions about the object that it replaces.
  ///   - caller: whose permission is needed.
  func publication(
    as name: String, in bucket: String, _ conditions: ObjectConditions, _ caller: Caller
  ) -> ObjectPublication {
    var metadata = record.metadata
    metadata.add(tokens: record.downloadTokens)
    var attributes = ObjectAttributes()
    attributes.storageClass = record.attributes?.storageClass
    attributes.customTime = record.attributes?.customTime
    attributes.contexts = record.attributes?.contexts
    return ObjectPublication(
      name: name, bucket: bucket, metadata: metadata, attributes: attributes,
      componentCount: record.componentCount, expected: ExpectedDigest(md5: nil, crc32c: nil),
      conditions: conditions, caller: caller, hasToken: false)
  }
}

extension ObjectCall {
  /// The origin of links to objects.
  var linkOrigin: String { origin?.absoluteString ?? "https://storage.googleapis.com" }

  /// The members of a request that creates or changes an object, with the list that a parameter names.
  ///
  /// - Throws: ``Refusal`` with status 400, and 501 for parameters that aren't supported.
  func objectMembers() async throws -> [String: JSON] { try objectMembers(try await members()) }

  /// Returns members with the access control list that a parameter names.
  func objectMembers(_ members: [String: JSON]) throws -> [String: JSON] {
    try refuseKeys()
    let name = query["destinationPredefinedAcl"] ?? query["predefinedAcl"]
    guard let entries = try AccessEntry.predefined(name, .object) else { return members }
    return members.merging(["acl": .array(entries.map(\.json))]) { $1 }
  }

  /// Returns an object as a resource, with its access control list if the request asks for it.
  func resource(_ record: ObjectRecord) -> JSON {
    record.resource(origin: linkOrigin, isFull: query["projection"]?.lowercased() == "full")
  }

  /// Refuses keys of Cloud KMS in parameters.
  ///
  /// - Throws: ``Refusal`` with status 501.
  func refuseKeys() throws {
    for name in ["kmsKeyName", "destinationKmsKeyName"] where !(query[name] ?? "").isEmpty {
      throw Refusal.unimplemented("the parameter \(name) of objects")
    }
  }

  /// Refuses keys of customers for the encryption of contents.
  ///
  /// - Throws: ``Refusal`` with status 501.
  func refuseEncryptionKeys() throws {
    for prefix in ["X-Goog-Encryption", "X-Goog-Copy-Source-Encryption"] {
      for part in ["Algorithm", "Key", "Key-Sha256", "Kms-Key-Name"]
      where request.headers["\(prefix)-\(part)"] != nil {
        throw Refusal.unimplemented("customer-supplied encryption keys (\(prefix)-\(part))")
      }
    }
  }

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
