import TenonFoundation
import TenonTransport
import TenonTransportInterop
import TenonValues

/// The buckets of the JSON API. A bucket exists if it was created, if it has objects, or if it is one of the
/// project's default buckets; objects can also be stored in others.
extension ObjectService {
  /// Handles the methods of `storage/v1/b` and `storage/v1/b/{bucket}`.
  ///
  /// - Throws: ``Refusal`` with status 404 if the parameter `project` names another project.
  func bucketMethod(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    if let project = call.query["project"], project != projectID {
      throw Refusal.otherProject(project, served: projectID)
    }
    switch (call.method, call.bucket.isEmpty) {
    case (.get, true): return try await listBuckets(call)
    case (.post, true): return try await createBucket(call)
    case (.get, false):
      let found = try await existingBucket(call)
      try call.conditions.check(found, isRead: true)
      return try Self.answer(200, json: call.resource(found))
    case (.patch, false), (.put, false): return try await changeBucket(call)
    case (.delete, false): return try await deleteBucket(call)
    default: throw Refusal.notFound
    }
  }

  /// The names of the buckets that Firebase creates for a project, in their order.
  private var defaultBuckets: [String] { ["\(projectID).appspot.com", "\(projectID).firebasestorage.app"] }

  /// Returns a bucket; `nil` if it doesn't exist.
  func bucket(_ name: String, in database: isolated EmbeddedDatabase) throws -> StoredBucket? {
    if let bucket = try database.createdBucket(name) { return bucket }
    guard try defaultBuckets.contains(name) || database.hasObjects(in: name) else { return nil }
    return StoredBucket(name: name)
  }

  /// Returns the bucket of a request.
  ///
  /// - Throws: ``Refusal`` with status 404 if it doesn't exist.
  func existingBucket(_ call: ObjectCall) async throws -> StoredBucket {
    let name = call.bucket
    guard let found = try await database.read({ [self] in try bucket(name, in: $0) }) else {
      throw Refusal.noSuchBucket
    }
    return found
  }

  /// Handles `GET` of all buckets: returns a page of them in the order of their names.
  private func listBuckets(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    guard !call.isTrue("softDeleted") else { throw Refusal.unimplemented("soft deletion of buckets") }
    let (limit, prefix) = (try call.pageLimit, call.query["prefix"] ?? "")
    let start = try call.pageStart?.name ?? prefix
    let (page, next) = try await database.read { [self] database in
      var (page, from): ([StoredBucket], String) = ([], start)
      while true {
        // The names are compared as SQLite compares them.
        let own = defaultBuckets.first { !$0.utf8.lexicographicallyPrecedes(from.utf8) }
        let names = [own, try database.bucketName(from: from)].compactMap { $0 }
        guard let name = names.min(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }),
          name.utf8.starts(with: prefix.utf8)
        else { return (page, String?.none) }
        guard page.count < limit else { return (page, name) }
        if let bucket = try bucket(name, in: database) { page.append(bucket) }
        // No name has a control character, so this is the first text behind it.
        from = name + "\u{1}"
      }
    }
    return try Self.answer(
      200,
      json: .members([
        "kind": "storage#buckets",
        "nextPageToken": next.map { ObjectCall.pageToken($0) },
        "items": page.isEmpty ? nil : .array(page.map(call.resource)),
      ]))
  }

  /// Handles `POST` of all buckets: creates one.
  private func createBucket(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    var members = try await call.bucketMembers()
    guard let name = members.removeValue(forKey: "name")?.string, !name.isEmpty else {
      throw Refusal.badObjectRequest("The name of the bucket is missing.")
    }
    try ObjectName.check(bucket: name)
    let change = BucketChange(members: members, now: now())
    let allowsRetention = call.isTrue("enableObjectRetention")
    let bucket = try await database.transaction { [self] database in
      guard try self.bucket(name, in: database) == nil else {
        throw Refusal(
          409, "Your previous request to create the named bucket succeeded and you already own it.",
          reason: "conflict")
      }
      let created = change.now.millisecondsSince1970
      var bucket = StoredBucket(name: name, created: created, updated: created)
      if allowsRetention { bucket.properties["objectRetention"] = ["mode": "Enabled"] }
      bucket.properties = try change.properties(of: bucket)
      try database.save(bucket)
      return bucket
    }
    return try Self.answer(200, json: call.resource(bucket))
  }

  /// Handles `PATCH` and `PUT` of a bucket: changes or replaces its properties.
  private func changeBucket(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    let change = BucketChange(
      members: try await call.bucketMembers(), replaces: call.method == .put, now: now())
    return try Self.answer(
      200,
      json: call.resource(try await changedBucket(call) { $0.properties = try change.properties(of: $0) }))
  }

  /// Handles `POST` of `lockRetentionPolicy`: from now on, the policy can only be extended.
  func lockRetention(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    guard try call.conditions.metageneration != nil else {
      throw Refusal.badObjectRequest("Locking a retention policy needs ifMetagenerationMatch.")
    }
    let bucket = try await changedBucket(call) { bucket in
      guard bucket.retentionPeriod != nil, var policy = bucket.properties["retentionPolicy"]?.object else {
        throw Refusal.badObjectRequest("The bucket \(bucket.name) has no retention policy.")
      }
      policy["isLocked"] = true
      bucket.properties["retentionPolicy"] = .object(policy)
    }
    return try Self.answer(200, json: call.resource(bucket))
  }

  /// Changes a bucket in a transaction, increases its metageneration, and returns it.
  ///
  /// - Parameters:
  ///   - call: the request, with its preconditions.
  ///   - body: changes the bucket.
  func changedBucket(
    _ call: ObjectCall, _ body: @escaping @Sendable (inout StoredBucket) throws -> Void
  ) async throws -> StoredBucket {
    let (name, conditions, now) = (call.bucket, try call.conditions, now().millisecondsSince1970)
    return try await database.transaction { [self] database in
      guard var bucket = try bucket(name, in: database) else { throw Refusal.noSuchBucket }
      try conditions.check(bucket)
      try body(&bucket)
      bucket.metageneration &+= 1
      bucket.updated = now
      if bucket.created == 0 { bucket.created = now }
      try database.save(bucket)
      return bucket
    }
  }

  /// Handles `DELETE` of a bucket, which must be empty.
  private func deleteBucket(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    let (name, conditions) = (call.bucket, try call.conditions)
    try await database.transaction { [self] database in
      guard let found = try bucket(name, in: database) else { throw Refusal.noSuchBucket }
      try conditions.check(found)
      guard try !database.hasObjects(in: name) else {
        throw Refusal(409, "The bucket you tried to delete is not empty.", reason: "conflict")
      }
      guard found.softDeletePeriod == nil else {
        throw Refusal.unimplemented(
          "soft deletion of buckets; set softDeletePolicy.retentionDurationSeconds of \(name) to 0 first")
      }
      try database.deleteBucket(name)
    }
    return TransportStreamingResponse(TransportResponse(status: 204))
  }
}

extension ObjectCall {
  /// The members of a request that creates or changes a bucket, with the lists that its parameters name.
  fileprivate func bucketMembers() async throws -> [String: JSON] {
    var members = try await members()
    for (name, kind) in [
      ("predefinedAcl", AccessEntry.Kind.bucket), ("predefinedDefaultObjectAcl", .defaultObject),
    ] {
      guard let entries = try AccessEntry.predefined(query[name], kind) else { continue }
      members[kind.property] = .array(entries.map(\.json))
    }
    return members
  }

  /// Returns a bucket as a resource, with its access control lists if the request asks for them.
  fileprivate func resource(_ bucket: StoredBucket) -> JSON {
    var members = bucket.resource(origin: linkOrigin).object ?? [:]
    for kind in [AccessEntry.Kind.bucket, .defaultObject] {
      let isFull = query["projection"]?.lowercased() == "full" && !bucket.hasUniformAccess
      members[kind.property] =
        isFull
        ? .array(bucket.entries(kind).map { $0.resource(kind, of: bucket.name, origin: linkOrigin) }) : nil
    }
    return .object(members)
  }
}

extension StoredBucket {
  /// The kind of the location, which has no effect: of the multi-regions, the predefined or configured pairs
  /// of regions, or of a region (https://cloud.google.com/storage/docs/locations).
  private var locationType: String {
    let location = properties["location"]?.string ?? "US"
    if ["US", "EU", "ASIA"].contains(location), properties["customPlacementConfig"] == nil {
      return "multi-region"
    }
    let isPair = ["NAM4", "EUR4", "EUR5", "EUR7", "EUR8", "ASIA1"].contains(location)
    return isPair || properties["customPlacementConfig"] != nil ? "dual-region" : "region"
  }

  /// The bucket as a resource of the JSON API
  /// (https://cloud.google.com/storage/docs/json_api/v1/buckets#resource).
  ///
  /// - Parameter origin: the origin at which the backend is reached.
  func resource(origin: String) -> JSON {
    var members: [String: JSON] = [
      "location": "US", "storageClass": .string(ObjectAttributes.defaultStorageClass),
    ]
    members.merge(properties) { $1 }
    members["locationType"] = .string(locationType)
    members.merge([
      "kind": "storage#bucket", "id": .string(name), "name": .string(name),
      "selfLink": .string("\(origin)/storage/v1/b/\(PercentEncoding.queryValue(name))"),
      "metageneration": .string(String(metageneration)), "etag": .string(etag),
      "timeCreated": .string(Timestamp(millisecondsSince1970: created).iso8601),
      "updated": .string(Timestamp(millisecondsSince1970: max(created, updated)).iso8601),
      "projectNumber": "1",
    ]) { $1 }
    return .object(members)
  }
}
