import TenonTransportInterop

/// The metadata, the download tokens and the deletion of single objects.
extension ObjectService {
  /// Handles `GET` of an object: returns its metadata. An object without a download token, which was uploaded
  /// through the JSON API, gets one, so that it has a download URL.
  ///
  /// - Throws: ``Refusal`` with status 401, 403 or 404.
  func metadata(_ name: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    let caller = try admit(call, "READ")
    let object = try await database.object(name, in: call.bucket)
    try await checking { check in
      try check(.get, name, in: call.bucket, by: caller, object: object?.record.access)
    }
    guard let object else { throw Refusal.noSuchObject }
    guard object.record.downloadTokens.isEmpty else { return try Self.answer(200, json: object.record.wire) }
    let record = try await database.transaction { [bucket = call.bucket] database in
      guard var object = try database.object(name, in: bucket) else { throw Refusal.noSuchObject }
      if object.record.downloadTokens.isEmpty {
        object.record.downloadTokens = [RandomText.uuid()]
        try database.save(object)
      }
      return object.record
    }
    return try Self.answer(200, json: record.wire)
  }

  /// Handles `PATCH` of an object: changes its metadata and returns all of it.
  ///
  /// - Throws: ``Refusal`` with status 400 for a value that isn't allowed, 401, 403 or 404.
  ///
  /// - Parameters:
  ///   - name: the name of the object.
  ///   - call: the request, whose body has the changes.
  func patch(_ name: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    let caller = try admit(call, "WRITE")
    let members = try await call.members()
    let (bucket, now) = (call.bucket, now())
    let record = try await checking { check in
      try await change(
        name, in: bucket,
        refusing: { record throws in
          // The rules are asked first, because a missing object must not be revealed. A change that isn't
          // valid is an error only then; for the rules, the object remains as it is.
          var changed = record
          if var metadata = record?.metadata, (try? metadata.patch(members)) != nil {
            changed?.metadata = metadata
            changed?.noteChange(at: now)
          }
          try check(
            .update, name, in: bucket, by: caller, object: record?.access, newObject: changed?.access)
        }, { record, _ in try record.metadata.patch(members) })
    }
    return try Self.answer(200, json: record.wire)
  }

  /// Handles `POST` of an object with `create_token=true`, which adds a download token, or `delete_token=T`,
  /// which revokes one.
  ///
  /// - Returns: the metadata of the object with its download tokens.
  /// - Throws: ``Refusal`` with status 403 for callers who aren't administrators, or 404.
  func changeTokens(_ name: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    guard call.caller.isAdministrator else { throw Refusal.missingAdministrator }
    let revoked = call.query["delete_token"]
    let record = try await change(name, in: call.bucket) { record, _ in
      if let revoked {
        record.downloadTokens.removeAll { $0 == revoked }
      } else {
        record.downloadTokens.append(RandomText.uuid())
      }
      // An object without download tokens would have no URL. Firebase creates a new token in this case, too.
      if record.downloadTokens.isEmpty { record.downloadTokens = [RandomText.uuid()] }
    }
    return try Self.answer(200, json: record.wire)
  }

  /// Handles `DELETE` of an object.
  ///
  /// - Throws: ``Refusal`` with status 401, 403 or 404.
  func delete(_ name: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    let caller = try admit(call, "WRITE")
    try await checking { check in
      try await delete(name, in: call.bucket) { [bucket = call.bucket] record in
        try check(.delete, name, in: bucket, by: caller, object: record?.access)
      }
    }
    return TransportStreamingResponse(TransportResponse(status: 204))
  }

  /// Deletes an object in a transaction.
  ///
  /// - Parameters:
  ///   - name: the name of the object.
  ///   - bucket: the bucket.
  ///   - generation: the generation; `nil` for the live object.
  ///   - refusing: throws if the object, which may not exist, must not be deleted.
  /// - Throws: ``Refusal`` with status 404, or with status 403 if the object is held or retained; the error that
  ///   `refusing` throws.
  func delete(
    _ name: String, in bucket: String, generation: Int64? = nil,
    refusing: @escaping @Sendable (ObjectRecord?) throws -> Void
  ) async throws {
    let now = now()
    try await database.transaction { database in
      let object = try database.object(name, in: bucket, generation: generation)
      try refusing(object?.record)
      guard let object else { throw Refusal.noSuchObject }
      try database.remove(object, isPermanent: generation != nil, now: now)
      try database.deleteContent(object.content)
    }
  }

  /// Changes the metadata of an object in a transaction, and increases its metageneration.
  ///
  /// - Returns: the changed metadata.
  /// - Throws: ``Refusal`` with status 404; the error that `body` throws.
  ///
  /// - Parameters:
  ///   - name: the name of the object.
  ///   - bucket: the bucket.
  ///   - generation: the generation; `nil` for the live object.
  ///   - refusing: throws if the object, which may not exist, must not be changed.
  ///   - body: changes the metadata; receives the bucket as well, if it was created.
  func change(
    _ name: String,
    in bucket: String,
    generation: Int64? = nil,
    refusing: @escaping @Sendable (ObjectRecord?) throws -> Void = { _ in },
    _ body: @escaping @Sendable (inout ObjectRecord, StoredBucket?) throws -> Void
  ) async throws -> ObjectRecord {
    let now = now()
    return try await database.transaction { database in
      let found = try database.object(name, in: bucket, generation: generation)
      try refusing(found?.record)
      guard var object = found else { throw Refusal.noSuchObject }
      let created = try database.createdBucket(bucket)
      let wasHeld = object.record.attributes?.eventBasedHold == true
      try body(&object.record, created)
      if wasHeld, object.record.attributes?.eventBasedHold != true {
        object.record.holdReleased = now.millisecondsSince1970
      }
      object.record.retentionExpiration = object.record.retentionEnd(in: created)
      object.record.noteChange(at: now)
      try database.save(object)
      try database.record(.objectMetadataUpdated, object.record)
      return object.record
    }
  }
}
