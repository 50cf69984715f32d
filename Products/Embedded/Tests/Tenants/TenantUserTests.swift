import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// The users of a tenant are wholly apart from those of the project and of other tenants.
@Suite(.limited) struct TenantUserTests {
  private let client = TenantClient()

  @Test func theSameAddressIsADifferentUserInEachTenant() async throws {
    let tenants: [String?] = [try await client.created(), try await client.created(), nil]
    var ids: Set<String> = []
    for (index, tenant) in tenants.enumerated() {
      let user = try await client.signedUp(tenant, password: "password-\(index)")
      ids.insert(try #require(user["localId"]?.string))
      #expect(try user.token("idToken").tenantID == tenant)
      let found = try await client.call("lookup", nil, ["idToken": try #require(user["idToken"])])
      #expect(found["users"]?.array?.first?["tenantId"]?.string == tenant)
    }
    #expect(ids.count == 3)
    for (index, tenant) in tenants.enumerated() {
      for password in 0..<3 {
        let answer = try await client.call(
          "signInWithPassword", tenant,
          ["email": "ada@example.com", "password": .string("password-\(password)")])
        #expect((answer["idToken"] != nil) == (index == password))
        #expect(index == password || answer.errorMessage == "INVALID_PASSWORD")
      }
    }
  }

  /// A token of one tenant is never accepted for another one, and one of the project for none.
  @Test func tokensBelongToTheirTenant() async throws {
    let (id, other) = (try await client.created(), try await client.created())
    let users = [id: try await client.signedUp(id), other: try await client.signedUp(other)]
    let own = try await client.signedUp(nil)
    let methods: [String: [String: JSON]] = [
      "lookup": [:], "update": ["displayName": "Ada"], "delete": [:],
      "signUp": ["email": "new@example.com", "password": "lovelace"],
      "sendOobCode": ["requestType": "VERIFY_EMAIL"],
      "signInWithIdp": [
        "requestUri": "http://localhost", "postBody": #"providerId=google.com&id_token={"sub":"1"}"#,
      ],
    ]
    for (method, body) in methods {
      for (token, tenant) in [(users[id], other), (users[other], id), (own, id)] {
        let body = body.merging(["idToken": try #require(token?["idToken"])]) { $1 }
        #expect(try await client.call(method, tenant, body).errorMessage == "TENANT_ID_MISMATCH", "\(method)")
        // Administrators name the user whom they change or delete.
        guard !["update", "delete"].contains(method) else { continue }
        let byPath = try await client.administrate(tenant, "accounts:\(method)", .object(body))
        #expect(byPath.json.errorMessage == "TENANT_ID_MISMATCH", "\(method)")
      }
    }
    // Second factors are methods of version 2.
    for method in ["mfaEnrollment:start", "mfaEnrollment:withdraw"] {
      let body: JSON = [
        "idToken": try #require(users[id]?["idToken"]), "tenantId": .string(other), "mfaEnrollmentId": "f",
        "phoneEnrollmentInfo": ["phoneNumber": "+15555550100"],
      ]
      let answer = try await FactorClient(client.backend).call(method, body)
      #expect(answer.json.errorMessage == "TENANT_ID_MISMATCH")
    }
    let refused: JSON = [
      "grantType": "refresh_token", "tenantId": .string(other),
      "refreshToken": try #require(users[id]?["refreshToken"]),
    ]
    let refresh = try await client.backend.post(
      "https://securetoken.googleapis.com/v1/token?key=any", body: refused.serialized)
    #expect(refresh.json.errorMessage == "TENANT_ID_MISMATCH")
    let paths = try await client.administrate(id, "accounts:lookup", ["tenantId": .string(other)])
    #expect(paths.json.errorMessage == "TENANT_ID_MISMATCH")
    for user in [users[id], users[other], own] {
      let found = try await client.call("lookup", nil, ["idToken": try #require(user?["idToken"])])
      #expect(found["users"]?.array?.first?["displayName"] == nil)
    }
  }

  @Test func aChangedTenantInARefreshTokenFindsNoSession() async throws {
    let (id, other) = (try await client.created(), try await client.created())
    let token = try #require(try await client.signedUp(id)["refreshToken"]?.string)
    for changed in [
      token.replacing(id, with: other), token.replacing(".\(id)", with: ""),
      token.replacing(id, with: "none"),
      token + ".", token.replacing(".", with: ".."), ".\(id)", ".",
    ] {
      let answer = try await client.backend.refresh(.string(changed))
      #expect(answer.json.errorMessage == "INVALID_REFRESH_TOKEN", "\(changed)")
    }
    let refreshed = try await client.backend.refresh(.string(token)).json
    #expect(try refreshed.token("id_token").tenantID == id)
    #expect(refreshed["refresh_token"]?.string == token)
  }

  @Test func customTokensNameTheirTenant() async throws {
    let id = try await client.created()
    let embedded = client.backend.embedded
    let tokens: [String?: String] = [
      id: try embedded.customToken(for: "ada", tenantID: id), nil: try embedded.customToken(for: "ada"),
    ]
    for (tenant, token) in tokens {
      for target in [id, nil] {
        let answer = try await client.call("signInWithCustomToken", target, ["token": .string(token)])
        guard target == tenant else {
          #expect(answer.errorMessage == "TENANT_ID_MISMATCH")
          continue
        }
        // Each tenant has its own user with this ID.
        #expect(answer["isNewUser"] == true)
        #expect(try answer.token("idToken").tenantID == tenant)
      }
    }
  }

  @Test func emailedCodesBelongToTheirTenant() async throws {
    let (id, other) = (try await client.created(), try await client.created())
    for tenant in [id, other, nil] { _ = try await client.signedUp(tenant) }
    let reset: [String: JSON] = ["requestType": "PASSWORD_RESET", "email": "ada@example.com"]
    _ = try await client.call("sendOobCode", id, reset)
    let code = try #require(try await client.backend.embedded.accountCodes().first)
    #expect(code.tenantID == id && code.link.absoluteString.hasSuffix("&tenantId=\(id)"))
    let use: [String: JSON] = ["oobCode": .string(code.code), "newPassword": "new-password"]
    for tenant in [other, nil] {
      #expect(try await client.call("resetPassword", tenant, use).errorMessage == "INVALID_OOB_CODE")
      let path = tenant.map { "projects/demo/tenants/\($0)" } ?? "projects/demo"
      let listed = try await client.backend.send(
        .get, "http://127.0.0.1/emulator/v1/\(path)/oobCodes", headers: ["Authorization": "Bearer owner"])
      #expect(try JSON(parsing: listed.body)["oobCodes"] == [])
    }
    // The link names the tenant.
    let opened = try await client.backend.send(.get, "\(code.link.absoluteString)&newPassword=new-password")
    #expect(opened.status == 200)
    let signIn: [String: JSON] = ["email": "ada@example.com", "password": "new-password"]
    #expect(try await client.call("signInWithPassword", id, signIn)["idToken"] != nil)
    #expect(try await client.call("signInWithPassword", other, signIn).errorMessage == "INVALID_PASSWORD")
    #expect(try await client.call("signInWithPassword", nil, signIn).errorMessage == "INVALID_PASSWORD")
  }

  @Test func aLinkSignsInToItsTenant() async throws {
    let id = try await client.created()
    let send: [String: JSON] = ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com"]
    _ = try await client.call("sendOobCode", id, send)
    let code = try #require(try await client.backend.embedded.accountCodes().first).code
    let use: [String: JSON] = ["email": "ada@example.com", "oobCode": .string(code)]
    #expect(try await client.call("signInWithEmailLink", nil, use).errorMessage == "INVALID_OOB_CODE")
    #expect(try await client.call("signInWithEmailLink", id, use).token("idToken").tenantID == id)
  }

  @Test func identitiesAtProvidersBelongToTheirTenant() async throws {
    let id = try await client.created()
    let body: [String: JSON] = [
      "requestUri": "http://localhost", "postBody": #"providerId=google.com&id_token={"sub":"g1"}"#,
    ]
    let (inTenant, own) = (
      try await client.call("signInWithIdp", id, body), try await client.call("signInWithIdp", nil, body)
    )
    #expect(inTenant["isNewUser"] == true && own["isNewUser"] == true)
    #expect(inTenant["tenantId"] == .string(id) && own["tenantId"] == nil)
    #expect(inTenant["localId"] != own["localId"])
    #expect(try await client.call("signInWithIdp", id, body)["localId"] == inTenant["localId"])
  }

  @Test func phoneNumbersAreNoFirstFactorInTenants() async throws {
    let id = try await client.created()
    for method in ["sendVerificationCode", "signInWithPhoneNumber"] {
      let answer = try await client.call(method, id, ["phoneNumber": "+15555550100"])
      #expect(answer.errorMessage == "UNSUPPORTED_TENANT_OPERATION")
    }
  }

  @Test func secondFactorsAreThoseOfTheTenant() async throws {
    let numbers: JSON = ["+15555550100": "654321"]
    let id = try await client.created(
      .object(
        try #require(TenantClient.everything.object).merging(["testPhoneNumbers": numbers]) { $1 }))
    let other = try await client.created()
    let user = try await client.signedUp(id)
    let factors = FactorClient(client.backend)
    #expect(
      try await client.administrate(
        id, "accounts:update", ["localId": try #require(user["localId"]), "emailVerified": true]
      ).status == 200)
    let enrolled = try await factors.enrolledPhone("+15555550100", of: try #require(user["idToken"]))
    #expect(client.backend.embedded.phoneCodes().isEmpty)
    #expect(try enrolled.token("idToken").tenantID == id)
    // An authenticator app isn't enabled.
    let app = try await factors.call(
      "mfaEnrollment:start", ["idToken": try #require(enrolled["idToken"]), "totpEnrollmentInfo": [:]])
    #expect(app.json.errorMessage?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
    let pending = try await client.call(
      "signInWithPassword", id, ["email": "ada@example.com", "password": "lovelace"])
    let start: [String: JSON] = [
      "mfaPendingCredential": try #require(pending["mfaPendingCredential"]),
      "mfaEnrollmentId": try #require(pending["mfaInfo"]?.array?.first?["mfaEnrollmentId"]),
      "phoneSignInInfo": [:],
    ]
    for tenant in [other, ""] {
      let refused = try await factors.call(
        "mfaSignIn:start", .object(start.merging(["tenantId": .string(tenant)]) { $1 }))
      #expect(refused.json.errorMessage == "INVALID_MFA_PENDING_CREDENTIAL")
    }
    let begun = try await factors.call(
      "mfaSignIn:start", .object(start.merging(["tenantId": .string(id)]) { $1 }))
    let code = try #require(client.backend.embedded.phoneCodes().last)
    #expect(code.tenantID == id && code.code == "654321")
    let finish: [String: JSON] = [
      "mfaPendingCredential": try #require(pending["mfaPendingCredential"]),
      "phoneVerificationInfo": [
        "sessionInfo": try #require(begun.json["phoneResponseInfo"]?["sessionInfo"]), "code": "654321",
      ],
    ]
    #expect(
      try await factors.call("mfaSignIn:finalize", .object(finish)).json.errorMessage
        == "INVALID_MFA_PENDING_CREDENTIAL")
    let done = try await factors.call(
      "mfaSignIn:finalize", .object(finish.merging(["tenantId": .string(id)]) { $1 }))
    #expect(try done.json.token("idToken").tenantID == id)
    // The project and a tenant that enables none have other settings.
    _ = try await client.manage(.patch, "/\(id)?updateMask=mfaConfig", ["mfaConfig": ["state": "DISABLED"]])
    let single = try await client.call(
      "signInWithPassword", id, ["email": "ada@example.com", "password": "lovelace"])
    #expect(single["idToken"] != nil)
  }

  @Test func administratorsManageTheUsersOfATenantByItsPath() async throws {
    let id = try await client.created(["displayName": "Closed"])
    let body: JSON = ["localId": "ann", "email": "ann@example.com", "password": "lovelace"]
    #expect(try await client.administrate(id, "accounts", body).status == 200)
    #expect(try await client.backend.administrate("accounts", body).status == 200)
    let import1: JSON = [
      "users": [["localId": "u1", "tenantId": .string(id)], ["localId": "u2", "tenantId": "x"]]
    ]
    let imported = try await client.administrate(id, "accounts:batchCreate", import1).json
    #expect(imported["error"]?.array?.compactMap { $0["index"] } == [1])
    #expect(
      imported["error"]?.array?.first?["message"]
        == "Tenant id in userInfo does not match the tenant id in request.")
    let found = try await client.administrate(id, "accounts:query", [:]).json
    #expect(found["recordsCount"] == "2")
    #expect(found["userInfo"]?.array?.allSatisfy { $0["tenantId"] == .string(id) } == true)
    #expect(try await client.backend.administrate("accounts:query", [:]).json["recordsCount"] == "1")
    let listed = try await client.backend.send(
      .get, "https://identitytoolkit.googleapis.com/v1/projects/demo/tenants/\(id)/accounts:batchGet?key=a",
      headers: ["Authorization": "Bearer owner"])
    #expect(try JSON(parsing: listed.body)["users"]?.array?.count == 2)
    #expect(try await client.administrate(id, "accounts:delete", ["localId": "ann"]).status == 200)
    let kept = try await client.backend.administrate("accounts:lookup", ["localId": ["ann"]]).json
    #expect(kept["users"]?.array?.count == 1)
    // Only administrators may name a tenant in the path.
    let path = "projects/demo/tenants/\(id)/accounts:lookup"
    #expect(try await client.backend.call(path, ["localId": ["u1"]]).status == 401)
    let cleared = try await client.backend.send(
      .delete, "http://127.0.0.1/emulator/v1/projects/demo/tenants/\(id)/accounts",
      headers: ["Authorization": "Bearer owner"])
    #expect(cleared.status == 200)
    #expect(try await client.administrate(id, "accounts:query", [:]).json["recordsCount"] == "0")
    #expect(try await client.backend.administrate("accounts:query", [:]).json["recordsCount"] == "1")
  }

  @Test func aSessionCookieKeepsTheTenant() async throws {
    let id = try await client.created()
    let token = try #require(try await client.signedUp(id)["idToken"])
    let path = "projects/demo/tenants/\(id):createSessionCookie"
    let headers = ["Authorization": "Bearer owner"]
    let cookie = try await client.backend.call(path, ["idToken": token], headers: headers)
    #expect(try cookie.json.token("sessionCookie").tenantID == id)
    let own = try #require(try await client.signedUp(nil)["idToken"])
    let refused = try await client.backend.call(path, ["idToken": own], headers: headers)
    #expect(refused.json.errorMessage == "TENANT_ID_MISMATCH")
  }

  @Test func blockingFunctionsAndEventsSeeTheTenant() async throws {
    let id = try await client.created()
    let seen = Lock<[String?]>([])
    client.backend.embedded.beforeCreate { event in
      seen.withLock { $0.append(event.user.tenantID) }
      return nil
    }
    _ = try await client.signedUp(id)
    _ = try await client.signedUp(nil)
    #expect(seen.withLock { $0 } == [id, nil])
  }

  @Test func theConfigurationOfTheProjectIsNotThatOfATenant() async throws {
    let id = try await client.created(["displayName": "Closed"])
    let url = "https://identitytoolkit.googleapis.com/v2/projects/demo/config?key=a&tenantId=\(id)"
    let answer = try await client.backend.send(.get, url, headers: ["Authorization": "Bearer owner"])
    #expect(try JSON(parsing: answer.body)["signIn"]?["anonymous"]?["enabled"] == true)
  }
}
