import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// Access control lists of the JSON API. See ``AccessEntry`` about their effect.
extension ObjectService {
  /// Handles the methods of a list, and with an entity those of its entry.
  ///
  /// - Parameters:
  ///   - kind: what the list belongs to.
  ///   - call: the request, whose path has the object of a list of kind `object`.
  ///   - entity: the entity; `nil` for the list.
  func accessControl(_ kind: AccessEntry.Kind, _ call: ObjectCall, _ entity: String?) async throws
    -> TransportStreamingResponse
  {
    let members = try await call.members()
    let change = try Self.change(kind, call, entity, .object(members))
    guard kind == .object else { return try await accessControl(ofBucket: kind, call, entity, change) }
    let (bucket, name, generation, now) = (call.bucket, call.name ?? "", try call.generation(), now())
    let (entries, record) = try await database.transaction { database in
      guard var object = try database.object(name, in: bucket, generation: generation) else {
        throw Refusal.noSuchObject
      }
      let created = try database.createdBucket(bucket) ?? StoredBucket(name: bucket)
      var entries = object.record.entries
      try created.check([])
      guard let change else { return (entries, object.record) }
      try change(&entries)
      try created.check(entries)
      object.record.attributes = object.record.attributes ?? ObjectAttributes()
      object.record.attributes?.acl = entries
      object.record.noteChange(at: now)
      try database.save(object)
      try database.record(.objectMetadataUpdated, object.record)
      return (entries, object.record)
    }
    return try Self.answer(entries, kind, call, entity ?? members["entity"]?.string, record)
  }

  /// Handles the methods of a list of a bucket.
  private func accessControl(
    ofBucket kind: AccessEntry.Kind, _ call: ObjectCall, _ entity: String?,
    _ change: (@Sendable (inout [AccessEntry]) throws -> Void)?
  ) async throws -> TransportStreamingResponse {
    guard let change else {
      let bucket = try await existingBucket(call)
      try bucket.check([])
      return try Self.answer(bucket.entries(kind), kind, call, entity, nil)
    }
    let members = try await call.members()
    let bucket = try await changedBucket(call) { bucket in
      var entries = bucket.entries(kind)
      try change(&entries)
      try bucket.check(entries)
      bucket.properties[kind.property] = .array(entries.map(\.json))
    }
    return try Self.answer(bucket.entries(kind), kind, call, entity ?? members["entity"]?.string, nil)
  }

  /// Returns what a request changes; `nil` if it only reads.
  ///
  /// - Throws: ``Refusal`` with status 400 for an entry that isn't valid, with status 404 for other methods.
  private static func change(_ kind: AccessEntry.Kind, _ call: ObjectCall, _ entity: String?, _ body: JSON)
    throws
    -> (@Sendable (inout [AccessEntry]) throws -> Void)?
  {
    switch (call.method, entity) {
    case (.get, _): return nil
    case (.post, nil), (.put, _?), (.patch, _?):
      let entry = try AccessEntry(body, kind, entity: entity)
      return { entries in
        entries.removeAll { $0.entity == entry.entity }
        guard entries.count < AccessEntry.limit else {
          throw Refusal.badObjectRequest("An access control list has at most \(AccessEntry.limit) entries.")
        }
        entries.append(entry)
      }
    case (.delete, let entity?):
      return { entries in
        guard entries.contains(where: { $0.entity == entity }) else { throw noSuchEntry }
        entries.removeAll { $0.entity == entity }
      }
    default: throw Refusal.notFound
    }
  }

  /// The error for an entry that doesn't exist.
  private static let noSuchEntry = Refusal(
    404, "There is no access control for the entity.", reason: "notFound")

  /// Returns the response with a list, or with one entry of it.
  private static func answer(
    _ entries: [AccessEntry], _ kind: AccessEntry.Kind, _ call: ObjectCall, _ entity: String?,
    _ record: ObjectRecord?
  ) throws -> TransportStreamingResponse {
    if call.method == .delete { return TransportStreamingResponse(TransportResponse(status: 204)) }
    let resource = { (entry: AccessEntry) in
      entry.resource(kind, of: call.bucket, record, origin: call.linkOrigin)
    }
    guard let entity else {
      return try answer(
        200, json: ["kind": .string("\(kind.name)s"), "items": .array(entries.map(resource))])
    }
    guard let entry = entries.first(where: { $0.entity == entity }) else { throw noSuchEntry }
    return try answer(200, json: resource(entry))
  }
}

extension ObjectRecord {
  /// The access control list: the one that the object was given, or that of the project's teams.
  var entries: [AccessEntry] { attributes?.acl ?? AccessEntry.projectPrivate }
}
