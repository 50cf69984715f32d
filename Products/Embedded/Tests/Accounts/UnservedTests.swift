import Foundation
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// What the backend doesn't serve is refused with status 501 and its name, never passed over.
struct UnservedTests {
  private let backend = Backend()
  private let owner = ["Authorization": "Bearer owner"]

  @Test(arguments: [
    "v1/accounts:sendVerificationCode", "v1/accounts:signInWithPhoneNumber",
    "v1/accounts:signInWithGameCenter",
    "v1/recaptchaParams", "v2/accounts/mfaEnrollment:start", "v2/accounts/mfaSignIn:finalize",
    "v2/accounts/passkeyEnrollment:start", "v2/projects/demo/tenants", "v2/projects/demo/config",
    "v1/projects/demo/tenants/t/accounts:lookup",
  ])
  func aMethodIsRefusedByName(path: String) async throws {
    let url = "https://identitytoolkit.googleapis.com/\(path)?key=any"
    let (status, json) = try await backend.post(url, body: Data("{}".utf8), headers: owner)
    #expect(status == 501)
    #expect(json["error"]?["status"] == "NOT_IMPLEMENTED")
    #expect(json.errorMessage?.hasPrefix("The embedded backend does not serve ") == true)
  }

  @Test(arguments: [
    "sendVerificationCode", "verifyPhoneNumber", "getRecaptchaParam", "publicKeys", "setProjectConfig",
    "signOutUser",
  ])
  func aMethodIsRefusedByItsOlderName(name: String) async throws {
    let url = "https://www.googleapis.com/identitytoolkit/v3/relyingparty/\(name)?key=any"
    #expect(try await backend.post(url, body: Data("{}".utf8)).status == 501)
  }

  @Test(arguments: ["signUp", "signInWithPassword", "signInWithCustomToken", "sendOobCode", "createAuthUri"])
  func aTenantIsRefused(method: String) async throws {
    let (status, json) = try await backend.call("accounts:\(method)", ["tenantId": "t"])
    #expect(status == 501)
    #expect(json.errorMessage == "The embedded backend does not serve tenants.")
    #expect(try await backend.call("accounts:\(method)", ["tenantId": .null]).status != 501)
  }

  @Test(arguments: ["phoneNumber": "+15550100", "mfaInfo": [["phoneInfo": "+15550100"]]] as [String: JSON])
  func aUserWithWhatIsNotKeptIsNotMade(name: String, value: JSON) async throws {
    let (status, json) = try await backend.administrate("accounts", .object(["localId": "ada", name: value]))
    #expect(status == 501 && json.errorMessage == "The embedded backend does not serve users with \(name).")
    let (_, found) = try await backend.administrate("accounts:lookup", ["localId": ["ada"]])
    #expect(found["users"] == nil)
  }

  @Test(arguments: [
    ("providerId=saml.idp&id_token=%7B%22sub%22:%22s%22%7D", "SAML providers"),
    ("providerId=facebook.com&access_token=opaque", "access tokens that are no JWT"),
  ])
  func anAssertionThatCanNotBeReadIsRefused(fields: String, what: String) async throws {
    let body: JSON = ["requestUri": "http://localhost", "postBody": .string(fields)]
    let (status, json) = try await backend.call("accounts:signInWithIdp", body)
    #expect(status == 501 && json.errorMessage == "The embedded backend does not serve \(what).")
  }
}
