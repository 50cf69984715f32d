import Foundation
import TenonCore
import TenonFoundation
import TenonJSON
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAdmin

/// What is sent to the server for configurations of identity providers.
@Suite(.limited) struct ProviderRequestTests {
  private static let origin = "http://127.0.0.1:9099/identitytoolkit.googleapis.com/v2/projects/demo"
  private static let oidc = OIDCAuthProviderConfig(
    providerID: "oidc.acme", clientID: "client", issuer: "https://acme.example.com", clientSecret: "hush-hush"
  )

  /// Returns an administrator of a server that answers every request alike.
  private func admin(_ status: Int, _ answer: JSON) throws -> (Admin, FakeTransport) {
    let app = AppContext(
      name: "tests",
      options: AppOptions(projectID: "demo", backend: .emulator(EmulatorHosts(auth: "127.0.0.1:9099"))),
      userAgent: "tenon-tests/1")
    let body = try answer.serialized
    let transport = FakeTransport { _ in TransportResponse(status: status, body: body) }
    let time = TestTime(advancesItself: true).source
    return (try Admin(app: app, transport: transport, environment: [:], time: time), transport)
  }

  @Test func theRequestsAreThoseOfVersionTwo() async throws {
    let (project, transport) = try admin(200, ["name": "projects/demo/oauthIdpConfigs/oidc.acme"])
    for admin in [project, try project.tenantManager.auth(forTenant: "acme")] {
      try await admin.createProviderConfig(.oidc(Self.oidc))
      try await admin.updateProviderConfig(.oidc(Self.oidc))
      _ = try await admin.getProviderConfig(withID: "saml.a/b")
      try await admin.deleteProviderConfig(withID: "oidc.acme")
      for try await _ in admin.listProviderConfigs(.saml, maxResults: 7) {}
    }
    let mask = "displayName,enabled,clientId,clientSecret,issuer,responseType.idToken,responseType.code"
    let expected = [
      "POST /oauthIdpConfigs?oauthIdpConfigId=oidc.acme",
      "PATCH /oauthIdpConfigs/oidc.acme?updateMask=\(mask)",
      "GET /inboundSamlConfigs/saml.a%2Fb", "DELETE /oauthIdpConfigs/oidc.acme",
      "GET /inboundSamlConfigs?pageSize=7",
    ]
    let requests = transport.requests.map { request in
      let url = request.url.absoluteString.replacing("%2C", with: ",").replacing(Self.origin, with: "")
      return "\(request.method.rawValue) \(url)"
    }
    #expect(requests == expected + expected.map { $0.replacing(" /", with: " /tenants/acme/") })
    guard case .data(let body) = transport.requests[0].body else { throw CancellationError() }
    #expect(
      try JSON(parsing: body) == [
        "enabled": false, "clientId": "client", "clientSecret": "hush-hush",
        "issuer": "https://acme.example.com", "responseType": ["idToken": true, "code": false],
      ])
  }

  @Test(
    arguments: [
      (400, "INVALID_CONFIG : issuer hush-hush", .invalidConfig), (400, "MISSING_ISSUER", .invalidConfig),
      (400, "INVALID_CONFIG_ID", .invalidProviderID), (409, "CONFIGURATION_EXISTS", .configurationExists),
      (404, "CONFIGURATION_NOT_FOUND", .configurationNotFound), (400, "TENANT_NOT_FOUND", .tenantNotFound),
    ] as [(Int, String, AdminError.Code)])
  func aRefusalHasACodeAndHidesTheSecret(status: Int, message: String, code: AdminError.Code) async throws {
    let (admin, _) = try admin(status, ["error": ["message": .string(message)]])
    let error = await #expect(throws: AdminError.self) {
      try await admin.updateProviderConfig(.oidc(Self.oidc))
    }
    #expect(error?.code == code && error?.message.contains("hush") == false, "\(error?.message ?? "")")
  }

  @Test(arguments: [[:], ["name": 5], ["name": ""]] as [JSON])
  func anAnswerWithoutANameIsAnError(answer: JSON) async throws {
    let (admin, _) = try admin(200, answer)
    let error = await #expect(throws: AdminError.self) {
      try await admin.getProviderConfig(withID: "oidc.acme")
    }
    #expect(error?.code == .internalError)
  }
}
