import Foundation
import TenonSQLite
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

/// Servers that are killed while clients enroll second factors, and while administrators change tenants and configure
/// their providers.
/// `TENON_KILLS` sets the number of kills per case, 1 by default and 5 in a deep run.
@Suite(.limited, .serialized) struct AccountKillTests {
  private static let kills =
    Int(ProcessInfo.processInfo.environment["TENON_KILLS"] ?? "").map { $0 / 8 }
    ?? DeepTests.count(1, deep: 5)
  private static let toolkit = "/identitytoolkit.googleapis.com"
  private static let project = "projects/\(ServedBackend.project)"

  /// A user who enrolls a phone number.
  private struct Enrolling: Sendable {
    var tenantID: String?
    var email: String
    /// Whether the server acknowledged the enrollment.
    var isEnrolled = false
  }

  /// A tenant with a user.
  private struct Changing: Sendable {
    var names: Set<String>
    var userID: String?
    /// Whether the server acknowledged the configuration of a provider.
    var hasProvider = false
    /// What is known about the deletion: `nil` before it is asked for.
    var isDeleted: Bool?
  }

  /// What the server acknowledged, and what it was asked for.
  private actor Journal {
    private(set) var users: [String: Enrolling] = [:]
    private(set) var tenants: [String: Changing] = [:]
    private(set) var count = 0
    func note(_ user: Enrolling) {
      users[user.email] = user
      if user.isEnrolled { count += 1 }
    }
    func note(_ id: String, _ tenant: Changing) {
      tenants[id] = tenant
      if tenant.isDeleted != false { count += 1 }
    }
  }

  @Test(arguments: 0..<DeepTests.count(1, deep: 3))
  func everyAcknowledgedChangeSurvivesAsAWhole(seed: Int) async throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    try await withTemporaryDirectory { directory in
      let journal = Journal()
      for round in 0..<Self.kills {
        let server = try await ServedBackend(directory: directory, arguments: ["--fast-passwords"])
        try await audit(server, directory, journal)
        let goal = await journal.count + Int.random(in: 2...8, using: &generator)
        let pause = Duration.microseconds(Int.random(in: 0...20_000, using: &generator))
        try await withThrowingTaskGroup(of: Void.self) { group in
          for client in 0..<2 {
            group.addTask { try? await Self.enroll(at: server, "\(round)-\(client)", journal) }
            group.addTask { try? await Self.changeTenants(at: server, journal) }
          }
          try await eventually { await journal.count >= goal }
          try? await Task.sleep(for: pause)
          let end = await server.stop(by: SIGKILL)
          #expect(end.status == -SIGKILL, "\(end.errors)")
        }
      }
      let server = try await ServedBackend(directory: directory, arguments: ["--fast-passwords"])
      try await audit(server, directory, journal)
      #expect(await server.stop().status == 0)
      #expect(await journal.count > 0, "the servers were killed before they could store anything")
    }
  }

  /// Sends a request, which must succeed.
  private static func call(
    _ server: ServedBackend, _ method: HTTPMethod, _ path: String, _ body: JSON? = nil,
    asAdministrator: Bool = false
  ) async throws -> JSON {
    let response = try await server.send(
      method, "\(toolkit)/\(path)\(path.contains("?") ? "&" : "?")key=a", body,
      headers: asAdministrator ? ["Authorization": "Bearer owner"] : [:])
    let json = try JSON(parsing: response.body)
    try #require(response.isSuccess, "\(path): \(json)")
    return json
  }

  /// Creates a tenant in which everything that the test does is enabled.
  private static func createdTenant(_ server: ServedBackend) async throws -> String {
    let body: JSON = [
      "displayName": "new", "allowPasswordSignup": true, "enableAnonymousUser": true,
      "mfaConfig": ["state": "ENABLED", "enabledProviders": ["PHONE_SMS"]],
    ]
    let tenant = try await call(server, .post, "v2/\(project)/tenants", body, asAdministrator: true)
    return try #require(tenant["tenantId"]?.string)
  }

  /// Enrolls a phone number of one user after the other, in the project and in a tenant, until the server ends.
  private static func enroll(at server: ServedBackend, _ client: String, _ journal: Journal) async throws {
    let tenants: [String?] = [nil, try await createdTenant(server)]
    for number in 0... {
      let tenant = tenants[number % tenants.count]
      var user = Enrolling(tenantID: tenant, email: "u-\(client)-\(number)@example.com")
      let named: JSON? = tenant.map(JSON.string)
      let path = tenant.map { "\(project)/tenants/\($0)" } ?? project
      let created: JSON = [
        "email": .string(user.email), "password": "lovelace", "emailVerified": true, "disabled": false,
      ]
      _ = try await call(server, .post, "v1/\(path)/accounts", created, asAdministrator: true)
      let signIn = try await signIn(server, user)
      let token = try #require(signIn["idToken"])
      let start = try await call(
        server, .post, "v2/accounts/mfaEnrollment:start",
        .members([
          "idToken": token, "tenantId": named, "phoneEnrollmentInfo": ["phoneNumber": "+15555550100"],
        ]))
      let info = try #require(start["phoneSessionInfo"]?["sessionInfo"])
      let emulator = try await server.send(.get, "/emulator/v1/\(path)/verificationCodes")
      let codes = try JSON(parsing: emulator.body)["verificationCodes"]?.array ?? []
      let code = try #require(codes.first { $0["sessionInfo"] == info }?["code"])
      await journal.note(user)
      _ = try await call(
        server, .post, "v2/accounts/mfaEnrollment:finalize",
        .members([
          "idToken": token, "tenantId": named, "phoneVerificationInfo": ["sessionInfo": info, "code": code],
        ]))
      user.isEnrolled = true
      await journal.note(user)
    }
  }

  private static func signIn(_ server: ServedBackend, _ user: Enrolling) async throws -> JSON {
    try await call(
      server, .post, "v1/accounts:signInWithPassword",
      .members([
        "email": .string(user.email), "password": "lovelace", "tenantId": user.tenantID.map(JSON.string),
      ]))
  }

  /// Creates tenants with a user, changes and deletes them, until the server ends.
  private static func changeTenants(at server: ServedBackend, _ journal: Journal) async throws {
    for number in 0... {
      let id = try await createdTenant(server)
      var tenant = Changing(names: ["new"])
      await journal.note(id, tenant)
      let user = try await call(server, .post, "v1/accounts:signUp", ["tenantId": .string(id)])
      tenant.userID = user["localId"]?.string
      let provider: JSON = ["clientId": "client", "issuer": "https://example.com"]
      _ = try await call(
        server, .post, "v2/\(project)/tenants/\(id)/oauthIdpConfigs?oauthIdpConfigId=oidc.acme", provider,
        asAdministrator: true)
      tenant.hasProvider = true
      tenant.names.insert("changed")
      await journal.note(id, tenant)
      let path = "v2/\(project)/tenants/\(id)"
      _ = try await call(
        server, .patch, "\(path)?updateMask=displayName", ["displayName": "changed"], asAdministrator: true)
      tenant.names = ["changed"]
      await journal.note(id, tenant)
      guard number.isMultiple(of: 2) else { continue }
      tenant.isDeleted = false
      await journal.note(id, tenant)
      _ = try await call(server, .delete, path, asAdministrator: true)
      tenant.isDeleted = true
      await journal.note(id, tenant)
    }
  }

  /// Checks that the server has everything that was acknowledged, and nothing in part.
  private func audit(_ server: ServedBackend, _ directory: URL, _ journal: Journal) async throws {
    let list = try await Self.call(
      server, .get, "v2/\(Self.project)/tenants?pageSize=1000", asAdministrator: true)
    let names = Dictionary(
      uniqueKeysWithValues: (list["tenants"]?.array ?? []).map {
        ($0["tenantId"]?.string ?? "", $0["displayName"]?.string ?? "")
      })
    for (id, tenant) in await journal.tenants {
      guard let name = names[id] else {
        #expect(tenant.isDeleted != nil, "the tenant \(id) is lost")
        continue
      }
      #expect(tenant.isDeleted != true && tenant.names.contains(name), "\(id)")
      let providers = try await Self.call(
        server, .get, "v2/\(Self.project)/tenants/\(id)/oauthIdpConfigs", asAdministrator: true)
      #expect(!tenant.hasProvider || providers["oauthIdpConfigs"]?.array?.count == 1, "\(id)")
      guard let user = tenant.userID else { continue }
      let found = try await Self.call(
        server, .post, "v1/\(Self.project)/tenants/\(id)/accounts:lookup", ["localId": [.string(user)]],
        asAdministrator: true)
      #expect(found["users"]?.array?.count == 1, "\(id)")
    }
    let connection = try Connection.open(directory.appending(path: "backend/backend.sqlite").path)
    for table in ["accounts", "identities", "sessions", "codes", "providers"] {
      let orphans = try connection.first(
        """
        SELECT count(*) FROM \(table) AS rows WHERE instr(project, '/tenants/') AND NOT EXISTS (
          SELECT 1 FROM tenants WHERE rows.project = tenants.project || '/tenants/' || tenants.id)
        """
      ) { $0.integer(0) }
      #expect(orphans == 0, "\(table)")
    }
    for user in await journal.users.values {
      let signIn = try await Self.signIn(server, user)
      let factors = signIn["mfaInfo"]?.array ?? []
      #expect(factors.count == 1 || (!user.isEnrolled && signIn["idToken"] != nil), "\(user.email)")
      guard let factor = factors.first?["mfaEnrollmentId"]?.string else { continue }
      // The code that can undo the enrollment is stored with it.
      let codes = try connection.first(
        "SELECT count(*) FROM codes WHERE instr(CAST(record AS TEXT), ?)", [.text(factor)]
      ) { $0.integer(0) }
      #expect(codes == 1, "\(user.email)")
    }
  }
}
