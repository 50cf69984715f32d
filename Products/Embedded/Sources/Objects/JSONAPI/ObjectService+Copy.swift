import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// Copies and compositions of objects.
extension ObjectService {
  /// The greatest number of objects that can be composed in one request, as on Cloud Storage.
  private static let mostSources = 32

  /// Handles `POST` of `copyTo` or `rewriteTo`. The copy shares the stored content, so it takes no time in
  /// proportion to its size.
  ///
  /// - Parameters:
  ///   - name: the name of the source.
  ///   - target: the name of the copy.
  ///   - bucket: the bucket of the copy.
  ///   - call: the request, whose body may replace the metadata.
  ///   - rewrites: whether the method is `rewriteTo`.
  func copy(
    _ name: String, to target: String, in bucket: String, _ call: ObjectCall, rewrites: Bool
  ) async throws -> TransportStreamingResponse {
    try ObjectName.check(target)
    try ObjectName.check(bucket: bucket)
    let members = try await call.objectMembers()
    let names = ObjectMetadata.names + ObjectAttributes.names
    let hasMetadata = names.contains { members[$0] != nil }
    let changed = hasMetadata ? try ObjectMetadata(uploaded: members) : nil
    let attributes = try ObjectAttributes(uploaded: members)
    let keepsContexts = members["contexts"] == nil
    let (conditions, sourceBucket) = (try call.conditions, call.bucket)
    let sourceConditions = try ObjectConditions(call.query, prefix: "ifSource")
    let generation = try call.generation("sourceGeneration")
    let now = now()
    let record = try await checking { check in
      try await database.transaction { database in
        guard let source = try database.object(name, in: sourceBucket, generation: generation) else {
          throw Refusal.noSuchObject
        }
        try sourceConditions.check(source.record)
        var publication = source.publication(as: target, in: bucket, conditions, call.caller)
        if var changed {
          changed.contentType = changed.contentType ?? source.record.metadata.contentType
          publication.metadata = changed
          publication.attributes = attributes
        }
        publication.attributes.acl = attributes.acl
        publication.attributes.contexts =
          keepsContexts ? source.record.attributes?.contexts : attributes.contexts
        return try publication.publish(
          source.content, StoredDigest(source.record), check, now: now, in: database)
      }
    }
    let resource = call.resource(record)
    guard rewrites else { return try Self.answer(200, json: resource) }
    let size = JSON.string(String(record.size))
    return try Self.answer(
      200,
      json: [
        "kind": "storage#rewriteResponse", "totalBytesRewritten": size, "objectSize": size, "done": true,
        "resource": resource,
      ])
  }

  /// Handles `POST` of `moveTo`: gives an object another name in its bucket, in one transaction. The source
  /// is removed as by a deletion: it becomes noncurrent or soft-deleted if the bucket says so.
  ///
  /// - Parameters:
  ///   - name: the name of the source.
  ///   - target: the new name.
  ///   - call: the request.
  func move(_ name: String, to target: String, _ call: ObjectCall) async throws -> TransportStreamingResponse
  {
    try ObjectName.check(target)
    guard name != target else { throw Refusal.badObjectRequest("The object has this name already.") }
    let (bucket, conditions, now) = (call.bucket, try call.conditions, now())
    let conditionsOfSource = try ObjectConditions(call.query, prefix: "ifSource")
    let record = try await checking { check in
      try await database.transaction { database in
        guard let source = try database.object(name, in: bucket) else { throw Refusal.noSuchObject }
        try conditionsOfSource.check(source.record)
        var publication = source.publication(as: target, in: bucket, conditions, call.caller)
        publication.attributes.acl = source.record.attributes?.acl
        let record = try publication.publish(
          source.content, StoredDigest(source.record), check, now: now, in: database)
        try database.remove(source, now: now)
        return record
      }
    }
    return try Self.answer(200, json: call.resource(record))
  }

  /// Handles `POST` of `compose`: creates an object of the contents of up to 32 others in a row.
  ///
  /// - Parameters:
  ///   - name: the name of the new object.
  ///   - call: the request, whose body has the sources and the metadata.
  func compose(_ name: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    try ObjectName.check(name)
    let members = try await call.members()
    let sources = members["sourceObjects"]?.array ?? []
    guard !sources.isEmpty, sources.count <= Self.mostSources else {
      throw Refusal.badObjectRequest("The number of source components must be from 1 to \(Self.mostSources).")
    }
    var objects: [StoredObject] = []
    var named: Set<Int64> = []
    for source in sources {
      let name = source["name"]?.string ?? ""
      let generation = try source["generation"].flatMap { $0 == .null ? nil : try Self.generation($0) }
      let wanted = try source["objectPreconditions"]?["ifGenerationMatch"].map(Self.generation)
      guard let object = try await database.object(name, in: call.bucket, generation: generation) else {
        throw Refusal.noSuchObject
      }
      if let generation { named.insert(generation) }
      guard wanted == nil || wanted == object.record.generation else { throw Refusal.failedCondition }
      objects.append(object)
    }
    let deletesSources = members["deleteSourceObjects"]?.bool == true
    if deletesSources {
      for object in objects {
        let isPermanent = named.contains(object.record.generation)
        try await database.checkRemoval(of: object.record, isPermanent: isPermanent, now: now())
      }
    }
    let destination = try call.objectMembers(members["destination"]?.object ?? [:])
    let metadata = try ObjectMetadata(uploaded: destination)
    let publication = ObjectPublication(
      name: name, bucket: call.bucket, metadata: metadata,
      attributes: try ObjectAttributes(uploaded: destination),
      componentCount: objects.reduce(0) { $0 &+ ($1.record.componentCount ?? 1) },
      // Clients that have loaded the object send all of its metadata, with the checksums that it had.
      expected: ExpectedDigest([:]), conditions: try call.conditions, caller: call.caller, hasToken: false)
    let composition = Composition(objects.map(pieces))
    let body = AsyncThrowingStream { try await composition.next() }
    let record = try await store(
      BodyReader(.stream(body, length: nil)), size: nil, as: publication)
    if deletesSources { try await deleteSources(objects, named: named, of: record) }
    return try Self.answer(200, json: call.resource(record))
  }

  /// Deletes the sources of a composition, as far as they are still there: those that were named with their
  /// generation for good, as by any deletion. The object that was composed has replaced a source of its name.
  private func deleteSources(
    _ sources: [StoredObject], named: Set<Int64>, of composed: ObjectRecord
  ) async throws {
    let now = now()
    try await database.transaction { database in
      for source in sources where source.record.name != composed.name {
        let generation = source.record.generation
        guard
          let present = try database.object(
            source.record.name, in: composed.bucket, generation: generation)
        else { continue }
        let isPermanent = named.contains(generation)
        guard present.record.isLive || isPermanent else { continue }
        try database.remove(present, isPermanent: isPermanent, now: now)
        try database.deleteContent(present.content)
      }
    }
  }

  /// Returns the generation of a source of a composition.
  private static func generation(_ value: JSON) throws -> Int64 {
    guard let text = value.text, let number = Int64(decimal: text), number >= 0 else {
      throw Refusal.badObjectRequest("The generation of a source must be a whole number.")
    }
    return number
  }
}

/// Reads the contents of several objects, one after another. Calls must not overlap.
actor Composition {
  /// The contents that haven't been read, the first of them possibly in part.
  private var contents: [AsyncThrowingStream<Data, any Error>]

  /// Creates a reader.
  init(_ contents: [AsyncThrowingStream<Data, any Error>]) { self.contents = contents }

  /// Returns the next chunk; `nil` at the end of the last content.
  func next() async throws -> Data? {
    while let content = contents.first {
      // Each iterator continues where the one before it ended.
      var iterator = content.makeAsyncIterator()
      if let piece = try await iterator.next(isolation: self) { return piece }
      contents.removeFirst()
    }
    return nil
  }
}
