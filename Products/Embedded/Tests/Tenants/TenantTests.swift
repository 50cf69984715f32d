import Foundation
import TenonSQLite
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Managing tenants, as administrators do it with version 2 of Identity Toolkit.
@Suite(.limited) struct TenantTests {
  private let client = TenantClient()

  @Test func aNewTenantEnablesNothingThatWasNotAskedFor() async throws {
    let (status, tenant) = try await client.manage(.post, "", ["displayName": "Acme"])
    let id = try #require(tenant["tenantId"]?.string)
    #expect(status == 200)
    #expect(
      tenant == [
        "name": .string("projects/demo/tenants/\(id)"), "tenantId": .string(id), "displayName": "Acme",
        "allowPasswordSignup": false, "enableEmailLinkSignin": false, "enableAnonymousUser": false,
        "disableAuth": false, "mfaConfig": ["state": "DISABLED", "enabledProviders": []],
      ])
    #expect(try await client.manage(.get, "/\(id)").json == tenant)
    let password: [String: JSON] = ["email": "ada@example.com", "password": "lovelace"]
    #expect(try await client.call("signUp", id).errorMessage == "ADMIN_ONLY_OPERATION")
    #expect(try await client.call("signUp", id, password).errorMessage == "OPERATION_NOT_ALLOWED")
    #expect(
      try await client.call("signInWithPassword", id, password).errorMessage == "PASSWORD_LOGIN_DISABLED")
    let link: [String: JSON] = [
      "requestType": "EMAIL_SIGNIN", "email": "ada@example.com", "continueUrl": "http://localhost",
    ]
    #expect(try await client.call("sendOobCode", id, link).errorMessage == "OPERATION_NOT_ALLOWED")
    #expect(
      try await client.call("signInWithEmailLink", id, ["email": "ada@example.com", "oobCode": "c"])
        .errorMessage
        == "OPERATION_NOT_ALLOWED")
    #expect(
      try await client.call("resetPassword", id, ["oobCode": "c", "newPassword": "lovelace"]).errorMessage
        == "PASSWORD_LOGIN_DISABLED")
  }

  @Test func aTenantHasWhatItsCreationEnables() async throws {
    let id = try await client.created()
    let tenant = try await client.manage(.get, "/\(id)").json
    #expect(tenant["allowPasswordSignup"] == true && tenant["enableAnonymousUser"] == true)
    #expect(tenant["mfaConfig"] == ["state": "ENABLED", "enabledProviders": ["PHONE_SMS"]])
    _ = try await client.signedUp(id)
    #expect(try await client.call("signUp", id)["idToken"] != nil)
  }

  @Test func aMaskChangesOnlyItsPaths() async throws {
    let id = try await client.created()
    let change: JSON = [
      "displayName": "New", "allowPasswordSignup": false, "mfa_config": ["state": "DISABLED"],
    ]
    let changed = try await client.manage(.patch, "/\(id)?updateMask=displayName,mfa_config.state", change)
    #expect(changed.status == 200)
    #expect(changed.json["displayName"] == "New" && changed.json["allowPasswordSignup"] == true)
    #expect(changed.json["mfaConfig"]?["state"] == "DISABLED")
    #expect(changed.json["enableEmailLinkSignin"] == true)
    #expect(try await client.manage(.get, "/\(id)").json == changed.json)
    // A path without a value is ignored.
    let ignored = try await client.manage(.patch, "/\(id)?updateMask=disableAuth,unknown", [:])
    #expect(ignored.json == changed.json)
    // Without a mask, everything is replaced.
    let replaced = try await client.manage(.patch, "/\(id)", ["enableAnonymousUser": true]).json
    #expect(replaced["displayName"] == nil && replaced["allowPasswordSignup"] == false)
    #expect(replaced["enableAnonymousUser"] == true && replaced["tenantId"] == .string(id))
  }

  @Test func tenantsAreListedInPages() async throws {
    var ids: [String] = []
    for _ in 0..<5 { ids.append(try await client.created()) }
    var (found, token): ([String], String?) = ([], nil)
    repeat {
      let page = try await client.manage(.get, "?pageSize=2\(token.map { "&pageToken=\($0)" } ?? "")").json
      found += (page["tenants"]?.array ?? []).compactMap { $0["tenantId"]?.string }
      token = page["nextPageToken"]?.string
    } while token != nil
    #expect(found == ids.sorted())
    #expect(try await client.manage(.get).json["tenants"]?.array?.count == 5)
    #expect(try await client.manage(.get, "?pageSize=-1").status == 400)
  }

  @Test func onlyAdministratorsManageTenants() async throws {
    let id = try await client.created()
    for (method, suffix) in [
      (HTTPMethod.get, ""), (.post, ""), (.get, "/\(id)"), (.patch, "/\(id)"), (.delete, "/\(id)"),
    ] {
      let body: JSON? = method == .get ? nil : [:]
      let refused = try await client.manage(method, suffix, body, asAdministrator: false)
      #expect(refused.status == 401, "\(method) \(suffix)")
    }
    #expect(try await client.manage(.get, "/\(id)").status == 200)
  }

  @Test func anUnknownTenantIsAnErrorOfEveryMethod() async throws {
    for (method, body) in [(HTTPMethod.get, nil), (.patch, [:]), (.delete, nil)] as [(HTTPMethod, JSON?)] {
      let answer = try await client.manage(method, "/none", body)
      #expect(answer.status == 404 && answer.json.errorMessage == "TENANT_NOT_FOUND")
    }
    for method in ["signUp", "signInWithPassword", "signInWithCustomToken", "sendOobCode", "createAuthUri"] {
      #expect(try await client.call(method, "none").errorMessage == "TENANT_NOT_FOUND")
    }
    #expect(
      try await client.administrate("none", "accounts:lookup", ["localId": ["ada"]]).json.errorMessage
        == "TENANT_NOT_FOUND")
    // A null or an empty tenant is none.
    #expect(try await client.backend.call("accounts:signUp", ["tenantId": .null]).status == 200)
    #expect(try await client.backend.call("accounts:signUp", ["tenantId": ""]).status == 200)
  }

  @Test func aDeletedTenantTakesItsUsersWithIt() async throws {
    let (id, other) = (try await client.created(), try await client.created())
    let user = try await client.signedUp(id)
    let (kept, own) = (try await client.signedUp(other), try await client.signedUp(nil))
    _ = try await client.call(
      "sendOobCode", id, ["requestType": "PASSWORD_RESET", "email": "ada@example.com"])
    #expect(try await client.backend.embedded.accountCodes().map(\.tenantID) == [id])
    let deleted = try await client.manage(.delete, "/\(id)")
    #expect(deleted.status == 200 && deleted.json == [:])
    #expect(try await client.manage(.get, "/\(id)").status == 404)
    #expect(try await client.backend.embedded.accountCodes().isEmpty)
    // Tokens that only say themselves to which tenant they belong are those of users who don't exist.
    let token = try #require(user["idToken"])
    #expect(try await client.call("lookup", nil, ["idToken": token]).errorMessage == "USER_NOT_FOUND")
    #expect(try await client.call("lookup", id, ["idToken": token]).errorMessage == "TENANT_NOT_FOUND")
    #expect(
      try await client.backend.refresh(user["refreshToken"]).json.errorMessage == "INVALID_REFRESH_TOKEN")
    for session in [kept, own] {
      #expect(try await client.backend.refresh(session["refreshToken"]).status == 200)
    }
    let rows = try await client.backend.embedded.database.read { database in
      try ["accounts", "identities", "sessions", "codes"].map { table in
        try database.opened().first(
          "SELECT count(*) FROM \(table) WHERE project LIKE '%' || ?", [.text(id)]
        ) { $0.integer(0) }
      }
    }
    #expect(rows == [0, 0, 0, 0])
  }

  @Test func nothingCanBeDoneWithTheUsersOfADisabledTenant() async throws {
    let id = try await client.created()
    let user = try await client.signedUp(id)
    #expect(
      try await client.manage(.patch, "/\(id)?updateMask=disableAuth", ["disableAuth": true]).status == 200)
    for method in ["signUp", "signInWithPassword", "signInWithCustomToken", "sendOobCode", "createAuthUri"] {
      #expect(try await client.call(method, id).errorMessage == "PROJECT_DISABLED")
    }
    let token = try #require(user["idToken"])
    for method in ["lookup", "update", "delete"] {
      #expect(try await client.call(method, nil, ["idToken": token]).errorMessage == "PROJECT_DISABLED")
    }
    #expect(try await client.backend.refresh(user["refreshToken"]).json.errorMessage == "PROJECT_DISABLED")
    #expect(
      try await client.administrate(id, "accounts:query", [:]).json.errorMessage == "PROJECT_DISABLED")
    #expect(try await client.call("signUp", nil)["idToken"] != nil)
    _ = try await client.manage(.patch, "/\(id)?updateMask=disableAuth", ["disableAuth": false])
    #expect(try await client.backend.refresh(user["refreshToken"]).status == 200)
  }

  /// What an administrator writes is what the administrator reads, and users with a factor have to prove it whichever
  /// kinds are enabled.
  @Test func theStateAndTheProvidersOfSecondFactorsAreKept() async throws {
    let providers: JSON = ["PROVIDER_UNSPECIFIED", "PHONE_SMS"]
    let factors: JSON = ["state": "MANDATORY", "enabledProviders": providers]
    let everything = TenantClient.everything.object ?? [:]
    let id = try await client.created(.object(everything.merging(["mfaConfig": factors]) { $1 }))
    #expect(try await client.manage(.get, "/\(id)").json["mfaConfig"] == factors)
    let user: [String: JSON] = [
      "email": "ada@example.com", "password": "lovelace", "mfaInfo": [["phoneInfo": "+15550100"]],
    ]
    #expect(try await client.call("signUp", id, user)["idToken"] != nil)
    let none: JSON = ["mfaConfig": ["state": "ENABLED", "enabledProviders": ["PROVIDER_UNSPECIFIED"]]]
    _ = try await client.manage(.patch, "/\(id)?updateMask=mfaConfig", none)
    let credentials: [String: JSON] = ["email": "ada@example.com", "password": "lovelace"]
    #expect(try await client.call("signInWithPassword", id, credentials)["mfaPendingCredential"] != nil)
    let off: JSON = ["mfaConfig": ["state": "DISABLED"]]
    _ = try await client.manage(.patch, "/\(id)?updateMask=mfaConfig", off)
    #expect(try await client.call("signInWithPassword", id, credentials)["idToken"] != nil)
    for method in ["start", "finalize"] {
      let (_, json) = try await FactorClient(client.backend).call(
        "mfaEnrollment:\(method)", ["tenantId": .string(id)])
      #expect(json.errorMessage?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
    }
  }

  @Test(
    arguments: [
      (["mfaConfig": ["state": "MAYBE"]], "the state MAYBE of second factors"),
      (["mfaConfig": ["enabledProviders": ["EMAIL"]]], "the second factor EMAIL"),
      (["smsRegionConfig": ["allowByDefault": [:]]], "tenants with smsRegionConfig"),
      (["recaptchaConfig": ["emailPasswordEnforcementState": "AUDIT"]], "tenants with recaptchaConfig"),
    ] as [(JSON, String)]
  )
  func whatIsNotSupportedIsRefusedByName(body: JSON, what: String) async throws {
    let answer = try await client.manage(.post, "", body)
    #expect(answer.status == 501)
    #expect(answer.json.errorMessage == "The embedded backend doesn't support \(what).")
    #expect(try await client.manage(.get).json["tenants"] == [])
  }

  @Test(
    arguments: [
      (["displayName": .string(String(repeating: "é", count: 129))], "INVALID_DISPLAY_NAME"),
      (["testPhoneNumbers": ["0": "123456"]], "INVALID_PHONE_NUMBER"),
      (["testPhoneNumbers": ["+15555550100": "1"]], "INVALID_CODE"),
      (["testPhoneNumbers": .object(numbers(11))], "MAXIMUM_TEST_PHONE_NUMBER_EXCEEDED"),
      (["allowPasswordSignup": "yes"], "Invalid JSON payload"), (["mfaConfig": 1], "Invalid JSON payload"),
      (["testPhoneNumbers": [1]], "Invalid JSON payload"),
    ] as [(JSON, String)]
  )
  func whatIsNotValidIsRefused(body: JSON, code: String) async throws {
    let id = try await client.created(["displayName": "Acme"])
    for (method, suffix) in [(HTTPMethod.post, ""), (.patch, "/\(id)")] {
      let answer = try await client.manage(method, suffix, body)
      #expect(answer.status == 400 && answer.json.errorMessage?.hasPrefix(code) == true)
    }
    #expect(try await client.manage(.get, "/\(id)").json["displayName"] == "Acme")
  }

  private static func numbers(_ count: Int) -> [String: JSON] {
    Dictionary(uniqueKeysWithValues: (10..<(10 + count)).map { ("+155555501\($0)", "123456") })
  }

  @Test(arguments: ["/T/recaptchaConfigs", "/T:getIamPolicy"])
  func otherMethodsOfTenantsAreRefusedByName(suffix: String) async throws {
    #expect(try await client.manage(.get, suffix).status == 501)
  }

  @Test func tenantsSurviveARestart() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let first = TenantClient(Backend(directory: directory.path))
    let id = try await first.created()
    let tenant = try await first.manage(.get, "/\(id)").json
    let user = try await first.signedUp(id)
    await first.backend.embedded.close()
    let second = TenantClient(Backend(directory: directory.path))
    #expect(try await second.manage(.get, "/\(id)").json == tenant)
    #expect(try await second.backend.refresh(user["refreshToken"]).status == 200)
    await second.backend.embedded.close()
  }
}
