import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// The paths under `/emulator` of the Auth emulator
/// (https://firebase.google.com/docs/reference/rest/auth#section-auth-emulator).
extension AccountService {
  /// Responds to a request to a path of the emulator: lists the codes, deletes all accounts, reads or changes
  /// the configuration, or opens a link.
  ///
  /// - Throws: ``Refusal`` with status 404 for other paths and projects.
  func answerEmulator(_ request: TransportRequest, route: Route) async throws -> TransportResponse {
    if route.path.isEmpty, request.method == .get {
      return try TransportResponse(status: 200, json: ["authEmulator": ["ready": true]])
    }
    if route.path == ["emulator", "action"], request.method == .get {
      return try await openLink(route.query)
    }
    guard route.path.count > 4, route.path.starts(with: ["emulator", "v1", "projects"]) else {
      throw Refusal.notFound
    }
    let project = try service(ofProject: route.path[3])
    if route.path.count == 7, route.path[4] == "tenants", route.path[6] != "config" {
      let tenant = try await project.service(ofTenant: route.path[5], isCreated: true)
      return try await tenant.answerEmulator(route.path[6], request)
    }
    guard route.path.count == 5 else { throw Refusal.notFound }
    return try await project.answerEmulator(route.path[4], request)
  }

  /// Responds to a request about the project or the tenant of this service.
  private func answerEmulator(_ name: String, _ request: TransportRequest) async throws -> TransportResponse {
    switch (request.method, name) {
    case (.get, "oobCodes"):
      let codes = try await database.read { try $0.codes() }
      return try TransportResponse(status: 200, json: ["oobCodes": .array(codes.map(\.wire))])
    case (.get, "verificationCodes"):
      let codes = verifications.codes.filter { $0.tenantID == tenantID }.map { code -> JSON in
        [
          "phoneNumber": .string(code.phoneNumber), "sessionInfo": .string(code.sessionInfo),
          "code": .string(code.code),
        ]
      }
      return try TransportResponse(status: 200, json: ["verificationCodes": .array(codes)])
    case (.delete, "accounts"):
      try await database.transaction { try $0.deleteAllAccounts() }
      return try TransportResponse(status: 200, json: [:])
    case (.get, "config"):
      return try TransportResponse(status: 200, json: settings().wire)
    case (.patch, "config"):
      let change = try AccountCall.members(of: request)
      try FieldType.check(change, against: ProjectConfiguration.fields)
      changeSettings { $0.apply(change) }
      return try TransportResponse(status: 200, json: settings().wire)
    default:
      throw Refusal.notFound
    }
  }

  /// Opens the link of an email: performs the action of its code, and redirects to its `continueUrl`.
  ///
  /// Errors are responses with an explanation, because links are opened in a browser.
  ///
  /// - Parameter query: the items of the link's query: `mode`, `oobCode`, `continueUrl`, and for a password
  ///   reset also `newPassword`.
  private func openLink(_ query: [String: String]) async throws -> TransportResponse {
    do {
      let code = query["oobCode"] ?? ""
      guard !code.isEmpty else { throw Self.refusal("MISSING_OOB_CODE") }
      let tenantID = query["tenantId"].flatMap { $0.isEmpty ? nil : $0 }
      let email: JSON?
      switch query["mode"] {
      case "signIn":
        return try Self.redirection(to: query["continueUrl"] ?? "", query)
      case "resetPassword":
        guard let password = query["newPassword"] else {
          throw Self.refusal("MISSING_PASSWORD", "Add &newPassword=... to the link.")
        }
        email = try await service(ofTenant: tenantID).resetPassword(code, newPassword: password)["email"]
      case "verifyEmail", "verifyAndChangeEmail", "recoverEmail", "revertSecondFactorAddition":
        email = try await service(ofTenant: tenantID).applyCode(code)["email"]
      default:
        throw Self.refusal("INVALID_MODE", "The link has no valid mode=.")
      }
      if let target = query["continueUrl"], Self.isAbsolute(target) {
        return try Self.redirection(to: target, [:])
      }
      return try TransportResponse(
        status: 200,
        json: ["authEmulator": .members(["success": "The link has been used.", "email": email])]
      )
    } catch let refusal as Refusal {
      let instructions: JSON = "Request another email, and open its link."
      return try TransportResponse(
        status: refusal.status,
        json: ["authEmulator": ["error": .string(refusal.message), "instructions": instructions]]
      )
    }
  }

  /// Returns a redirection (status 303) to a URL with further items in its query.
  ///
  /// - Throws: ``Refusal`` with `MISSING_CONTINUE_URI` if the URL isn't absolute.
  ///
  /// - Parameters:
  ///   - target: the URL.
  ///   - query: the items to add; `continueUrl` is left out.
  private static func redirection(to target: String, _ query: [String: String]) throws -> TransportResponse {
    guard isAbsolute(target), var components = URLComponents(string: target) else {
      throw refusal("MISSING_CONTINUE_URI", "The link has no continueUrl= to redirect to.")
    }
    let added = query.filter { $0.key != "continueUrl" }.sorted { $0.key < $1.key }
    if !added.isEmpty {
      components.queryItems =
        (components.queryItems ?? []) + added.map { URLQueryItem(name: $0.key, value: $0.value) }
    }
    let headers = HTTPHeaders([HTTPHeader(name: "Location", value: components.string ?? target)])
    return TransportResponse(status: 303, headers: headers, body: Data())
  }
}

extension AccountCode {
  /// The code as an item of `oobCodes`.
  var wire: JSON {
    .members([
      "email": .string(email), "requestType": .string(kind.rawValue), "oobCode": .string(code),
      "oobLink": .string(link.absoluteString), "newEmail": newEmail.map(JSON.string),
    ])
  }
}

extension EmbeddedSettings {
  /// Applies the values of a configuration, and keeps the settings for which it has none.
  mutating func apply(_ configuration: [String: JSON]) {
    if let allows = configuration["signIn"]?["allowDuplicateEmails"]?.bool { duplicateEmails = allows }
    if let hides = configuration["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool {
      emailPrivacy = hides
    }
  }

  /// The project's configuration in the emulator's form.
  var wire: JSON {
    [
      "signIn": ["allowDuplicateEmails": .bool(duplicateEmails)],
      "emailPrivacyConfig": ["enableImprovedEmailPrivacy": .bool(emailPrivacy)],
    ]
  }
}
