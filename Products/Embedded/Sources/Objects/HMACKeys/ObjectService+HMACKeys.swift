import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// The keys of service accounts for the XML API
/// (https://cloud.google.com/storage/docs/json_api/v1/projects/hmacKeys).
extension ObjectService {
  /// The greatest number of keys of an account, as on Cloud Storage, and of all, in which deleted ones count.
  private static let (mostOfAccount, mostKeys) = (10, 1_000)
  /// How long deleted keys are listed, in milliseconds: 30 days.
  private static let deletedLifetime: Int64 = 30 * 86_400_000

  /// Responds to a request for the keys of the project.
  ///
  /// - Parameters:
  ///   - id: the access ID of a key; `nil` for all of them.
  ///   - project: the ID of the project in the URL.
  ///   - call: the request.
  func hmacKeyMethod(_ id: String?, of project: String, _ call: ObjectCall) async throws
    -> TransportStreamingResponse
  {
    guard project == projectID else { throw Refusal.otherProject(project, served: projectID) }
    switch (call.method, id) {
    case (.post, nil): return try await createHMACKey(call)
    case (.get, nil): return try await listHMACKeys(call)
    case (.get, let id?):
      guard let key = try await database.hmacKey(id) else { throw Self.noSuchKey }
      return try answer(key, call)
    case (.put, let id?): return try await changeHMACKey(id, call)
    case (.delete, let id?):
      _ = try await changedHMACKey(id) { key in
        guard key.state == .inactive else {
          throw Refusal.badObjectRequest("Cannot delete keys in 'ACTIVE' state. Make the key INACTIVE first.")
        }
        return .deleted
      }
      return TransportStreamingResponse(TransportResponse(status: 204))
    default: throw Refusal.notFound
    }
  }

  private static let noSuchKey = Refusal(404, "Access ID not found in project.", reason: "notFound")

  private func answer(_ key: HMACKey, _ call: ObjectCall) throws -> TransportStreamingResponse {
    try Self.answer(200, json: key.resource(project: projectID, origin: call.linkOrigin))
  }

  /// Handles `POST` of all keys: creates one. Only this response has its secret.
  private func createHMACKey(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    let email = call.query["serviceAccountEmail"] ?? ""
    guard email.contains("@"), email.utf8.count <= 254, !email.hasControlCharacters else {
      throw Refusal.badObjectRequest("serviceAccountEmail must be the address of a service account.")
    }
    let now = now().millisecondsSince1970
    let key = HMACKey(email: email, now: now)
    try await database.transaction { database in
      let keys = try database.hmacKeys()
      let old = keys.filter { $0.state == .deleted && $0.updated < now - Self.deletedLifetime }
      try database.removeHMACKeys(old.map(\.id))
      let ofAccount = keys.count { $0.email == email && $0.state != .deleted }
      guard ofAccount < Self.mostOfAccount, keys.count - old.count < Self.mostKeys else {
        throw Refusal.badObjectRequest(
          "A service account can have \(Self.mostOfAccount) keys, and a project \(Self.mostKeys). Delete one."
        )
      }
      try database.save(key)
    }
    return try Self.answer(
      200,
      json: [
        "kind": "storage#hmacKey", "secret": .string(key.secret),
        "metadata": key.resource(project: projectID, origin: call.linkOrigin),
      ])
  }

  /// Handles `GET` of all keys: returns a page of them in the order of their IDs.
  private func listHMACKeys(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    let (limit, start, email) = (
      try call.pageLimit, try call.pageStart?.name ?? "", call.query["serviceAccountEmail"]
    )
    let showsDeleted = call.isTrue("showDeletedKeys")
    let keys = try await database.hmacKeys().filter { key in
      key.id >= start && (email == nil || key.email == email) && (showsDeleted || key.state != .deleted)
    }
    // Checked: at least 1.
    let page = keys.prefix(limit).map { $0.resource(project: projectID, origin: call.linkOrigin) }
    return try Self.answer(
      200,
      json: .members([
        "kind": "storage#hmacKeysMetadata",
        // Checked: at least 1.
        "nextPageToken": keys.dropFirst(limit).first.map { ObjectCall.pageToken($0.id) },
        "items": page.isEmpty ? nil : .array(page),
      ]))
  }

  /// Handles `PUT` of a key: makes it active or inactive.
  private func changeHMACKey(_ id: String, _ call: ObjectCall) async throws -> TransportStreamingResponse {
    let members = try await call.members()
    guard let state = members["state"]?.string.flatMap(HMACKey.State.init), state != .deleted else {
      throw Refusal.badObjectRequest("The state of a key must be ACTIVE or INACTIVE.")
    }
    let key = try await changedHMACKey(id) { key in
      if let tag = members["etag"]?.string, tag != key.tag { throw Refusal.failedCondition }
      return state
    }
    return try answer(key, call)
  }

  /// Changes the state of a key that isn't deleted.
  private func changedHMACKey(
    _ id: String, _ state: @Sendable (HMACKey) throws -> HMACKey.State
  ) async throws -> HMACKey {
    let now = now().millisecondsSince1970
    return try await database.transaction { database in
      guard var key = try database.hmacKey(id), key.state != .deleted else { throw Self.noSuchKey }
      key.set(try state(key), now: now)
      try database.save(key)
      return key
    }
  }

  /// Returns the key with which a URL or a form is signed; `nil` if that isn't a key of an account, or if there is
  /// no active one.
  ///
  /// - Parameter parameters: the items of the query, or the fields of the form.
  func signingKey(_ parameters: [String: String]) async throws -> HMACKey? {
    guard let id = SignedURL(query: parameters)?.accessID else { return nil }
    return try await database.hmacKey(id).flatMap { $0.state == .active ? $0 : nil }
  }
}
