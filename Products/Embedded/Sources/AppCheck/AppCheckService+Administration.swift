import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// What administrators do: they register debug tokens, and learn whether a token was used before.
extension AppCheckService {
  /// Checks that the caller is an administrator.
  ///
  /// - Throws: ``Refusal`` with status 401.
  private func checkAdministrator(_ caller: Caller) throws {
    guard caller.isAdministrator else {
      throw Refusal(
        401, "Request is missing required authentication credential.", reason: "required",
        statusName: "UNAUTHENTICATED")
    }
  }

  // MARK: - Replay protection

  /// Responds to `projects.verifyAppCheckToken` of version 1beta, which consumes a token
  /// (https://firebase.google.com/docs/reference/appcheck/rest/v1beta/projects/verifyAppCheckToken).
  ///
  /// - Parameter project: the project in the path.
  /// - Returns: the response with `alreadyConsumed`.
  /// - Throws: ``Refusal`` with status 401 unless the caller is an administrator, with status 403 if the token
  ///   isn't valid; the errors of ``consume(_:)``.
  func verifyOnce(
    _ request: TransportRequest, by caller: Caller, of project: String
  ) async throws -> TransportResponse {
    try checkAdministrator(caller)
    guard request.method == .post, project == projectID else { throw Refusal.notFound }
    let body = try AccountCall.members(of: request)
    try FieldType.check(body, against: ["appCheckToken": .text])
    guard let text = body["appCheckToken"]?.text, !text.isEmpty else {
      throw Self.badRequest("The App Check token is missing.")
    }
    try await keys.prepare(for: text)
    guard let token = token(text) else {
      throw Refusal(
        403, "App Check token is invalid.", reason: "forbidden", statusName: "PERMISSION_DENIED")
    }
    return try TransportResponse(status: 200, json: ["alreadyConsumed": .bool(try await consume(token))])
  }

  // MARK: - Debug tokens

  /// Responds to the methods of `projects.apps.debugTokens`
  /// (https://firebase.google.com/docs/reference/appcheck/rest/v1/projects.apps.debugTokens).
  ///
  /// - Throws: ``Refusal`` with status 401 unless the caller is an administrator, 400 for what isn't a debug
  ///   token, 404 if there is none, 409 if it exists or was changed by someone else, and 429 beyond
  ///   ``DebugTokenRecord/most``.
  func administrateDebugTokens(
    _ request: TransportRequest, route: Route, by caller: Caller
  ) async throws -> TransportResponse {
    try checkAdministrator(caller)
    // {version}/projects/{project}/apps/{app}/debugTokens[/{id}]
    let (project, app) = (route.path[2], route.path[4])
    let number = AttestationToken.projectNumber(ofApp: app)
    guard project == projectID || project == number else { throw Refusal.notFound }
    guard !app.isEmpty, app.utf8.count <= Self.longestAppID else {
      throw Self.badRequest("The ID of an app has between 1 and \(Self.longestAppID) bytes.")
    }
    // Google's resource names have the number. Clients use the name of a response as a path.
    let name = "projects/\(number ?? projectID)/apps/\(app)"
    let id = route.path.dropFirst(6).first
    switch (request.method, id) {
    case (.post, nil): return try await createDebugToken(request, app).response(of: name)
    case (.get, nil):
      let records = try await database.read { try $0.debugTokens(of: app) }
      return try TransportResponse(
        status: 200, json: records.isEmpty ? [:] : ["debugTokens": .array(records.map { $0.wire(of: name) })])
    case (.get, let id?):
      return try await database.read { try $0.existingDebugToken(id, of: app) }.response(of: name)
    case (.patch, let id?): return try await changeDebugToken(request, route, id, app).response(of: name)
    case (.delete, let id?):
      let etag = route.query["etag"]
      try await database.transaction { database in
        try database.existingDebugToken(id, of: app).check(etag: etag)
        try database.deleteDebugToken(id, of: app)
      }
      return try TransportResponse(status: 200, json: [:])
    default: throw Refusal.notFound
    }
  }

  /// The types of the members of a debug token.
  private static let fields: [String: FieldType] = [
    "name": .text, "displayName": .text, "token": .text, "updateTime": .text, "etag": .text,
  ]

  private func createDebugToken(_ request: TransportRequest, _ app: String) async throws -> DebugTokenRecord {
    let body = try AccountCall.members(of: request)
    try FieldType.check(body, against: Self.fields)
    guard let token = body["token"]?.text, DebugTokenRecord.isUUID4(token) else {
      throw Self.badRequest("token must be a UUID of version 4, for example that of uuidgen.")
    }
    let record = DebugTokenRecord(
      id: RandomText.uuid(), displayName: try Self.displayName(body), updated: now().millisecondsSince1970)
    let digest = DebugTokenRecord.digest(token)
    return try await database.transaction { database in
      guard try !database.isRegistered(debugToken: digest, of: app) else {
        throw Refusal(
          409, "The app has this debug token already.", reason: "alreadyExists", statusName: "ALREADY_EXISTS")
      }
      guard try database.debugTokens(of: app).count < DebugTokenRecord.most else {
        throw Refusal(
          429, "An app has at most \(DebugTokenRecord.most) debug tokens. Delete one that isn't needed.",
          reason: "rateLimitExceeded", statusName: "RESOURCE_EXHAUSTED")
      }
      try database.insert(record, digest: digest, of: app)
      return record
    }
  }

  private func changeDebugToken(
    _ request: TransportRequest, _ route: Route, _ id: String, _ app: String
  ) async throws -> DebugTokenRecord {
    let body = try AccountCall.members(of: request)
    try FieldType.check(body, against: Self.fields)
    guard let mask = route.query["updateMask"] ?? route.query["update_mask"],
      ["displayName", "display_name"].contains(mask)
    else { throw Self.badRequest("updateMask must be displayName, the only field that can be changed.") }
    guard body["token"] == nil else {
      throw Self.badRequest("token can't be changed. Delete the debug token and create another one.")
    }
    let (displayName, etag, time) = (try Self.displayName(body), body["etag"]?.text, now())
    return try await database.transaction { database in
      var record = try database.existingDebugToken(id, of: app)
      try record.check(etag: etag)
      (record.displayName, record.updated) = (displayName, time.millisecondsSince1970)
      try database.update(record, of: app)
      return record
    }
  }

  private static func displayName(_ body: [String: JSON]) throws -> String {
    guard let name = body["displayName"]?.text, !name.isEmpty,
      name.utf8.count <= DebugTokenRecord.longestName
    else {
      throw badRequest("displayName must have between 1 and \(DebugTokenRecord.longestName) bytes of UTF-8.")
    }
    return name
  }
}

extension DebugTokenRecord {
  /// Checks that a client knows this version of the record.
  ///
  /// - Parameter etag: the version that the client knows; `nil` for any.
  /// - Throws: ``Refusal`` with status 409.
  fileprivate func check(etag: String?) throws {
    guard let etag, !etag.isEmpty, etag != self.etag else { return }
    throw Refusal(
      409, "The debug token was changed. Read it again.", reason: "aborted", statusName: "ABORTED")
  }

  /// The response with the record.
  fileprivate func response(of app: String) throws -> TransportResponse {
    try TransportResponse(status: 200, json: wire(of: app))
  }
}

extension EmbeddedDatabase {
  /// Returns a debug token.
  ///
  /// - Throws: ``Refusal`` with status 404 if the app has none with the ID.
  fileprivate func existingDebugToken(_ id: String, of app: String) throws -> DebugTokenRecord {
    guard let record = try debugToken(id, of: app) else {
      throw Refusal(
        404, "The app has no debug token with this ID.", reason: "notFound", statusName: "NOT_FOUND")
    }
    return record
  }
}
