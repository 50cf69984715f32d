import Foundation
import TenonSQLite
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Configurations of identity providers, as administrators manage them with version 2 of Identity Toolkit.
@Suite(.limited) struct ProviderConfigurationTests {
  private let backend: Backend
  private let tenants: TenantClient

  init() {
    backend = Backend()
    tenants = TenantClient(backend)
  }

  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBcTCCARegAwIBAgIUcbX5PmCzbBrekx1QRl1WpPU1erYwCgYIKoZIzj0EAwIw
    DjEMMAoGA1UEAwwDaWRwMB4XDTI2MTEyOTE5NDcxM1oXDTM2MTEyNjE5NDcxM1ow
    DjEMMAoGA1UEAwwDaWRwMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEbvF4Z1ZH
    4FDi/MVF6t8H7YiB9QrSPBToGaRz6VGQmUP+WQJ8J+8uuZs3tqACHixSNbb8M4sq
    S6CRu2wRfzlj+aNTMFEwHQYDVR0OBBYEFBEGEj6UUEt9BksTgGlzIFGoYhZaMB8G
    A1UdIwQYMBaAFBEGEj6UUEt9BksTgGlzIFGoYhZaMA8GA1UdEwEB/wQFMAMBAf8w
    CgYIKoZIzj0EAwIDSAAwRQIgGexxdk4bXIfvnWb/LiDLPuJn5QBcdOwd4m14KBxk
    Z7QCIQDvuBet00HyR8nm0FWiqkZX/7CQRQB0eNWaNhA/GhLpbA==
    -----END CERTIFICATE-----
    """
  private static let oidc: JSON = [
    "displayName": "Acme", "enabled": true, "clientId": "client", "issuer": "https://acme.example.com/oidc",
  ]
  private static let saml: JSON = [
    "displayName": "Acme", "enabled": true,
    "idpConfig": [
      "idpEntityId": "acme", "ssoUrl": "https://acme.example.com/sso",
      "idpCertificates": [["x509Certificate": .string(certificate)]], "signRequest": true,
    ],
    "spConfig": ["spEntityId": "app", "callbackUri": "https://app.example.com/__/auth/handler"],
  ]
  private static let google: JSON = ["enabled": true, "clientId": "client", "clientSecret": "secret"]

  /// Sends a request to version 2 of Identity Toolkit.
  private func manage(
    _ method: HTTPMethod, _ path: String, _ body: JSON? = nil, tenant: String? = nil,
    on other: Backend? = nil, asAdministrator: Bool = true
  ) async throws -> (status: Int, json: JSON) {
    let parent = "projects/demo" + (tenant.map { "/tenants/\($0)" } ?? "")
    let url =
      "https://identitytoolkit.googleapis.com/v2/\(parent)/\(path)\(path.contains("?") ? "&" : "?")key=a"
    var headers = ["Content-Type": "application/json"]
    if asAdministrator { headers["Authorization"] = "Bearer owner" }
    let response = try await (other ?? backend).send(
      method, url, body: try body?.serialized, headers: headers)
    return (response.status, try JSON(parsing: response.body))
  }

  private func create(_ id: String, _ body: JSON, tenant: String? = nil) async throws -> (
    status: Int, json: JSON
  ) {
    let kind = ProviderConfiguration.Kind(ofProvider: id)
    return try await manage(.post, "\(kind.rawValue)?\(kind.parameter)=\(id)", body, tenant: tenant)
  }

  private func signIn(_ provider: String, tenant: String? = nil, on other: Backend? = nil) async throws
    -> JSON
  {
    let fields =
      provider.hasPrefix("saml.")
      ? "SAMLResponse=%7B%22assertion%22:%7B%22subject%22:%7B%22nameId%22:%22ada%22%7D%7D%7D"
      : "id_token=%7B%22sub%22:%22ada%22%7D"
    let body = JSON.members([
      "requestUri": "http://localhost", "postBody": .string("providerId=\(provider)&\(fields)"),
      "tenantId": tenant.map(JSON.string),
    ])
    return try await (other ?? backend).call("accounts:signInWithIdp", body).json
  }

  @Test(
    arguments: [
      ("oauthIdpConfigs", "oidc.acme", oidc, ["responseType": ["idToken": true]]),
      ("inboundSamlConfigs", "saml.acme", saml, [:]),
      ("defaultSupportedIdpConfigs", "google.com", google, [:]),
    ] as [(String, String, JSON, [String: JSON])])
  func aConfigurationIsWhatItWasCreatedWith(
    kind: String, id: String, body: JSON, more: [String: JSON]
  ) async throws {
    let created = try await create(id, body)
    #expect(created.status == 200, "\(created.json)")
    var expected = (body.object ?? [:]).merging(more) { $1 }
    expected["name"] = .string("projects/demo/\(kind)/\(id)")
    #expect(created.json == .object(expected))
    #expect(try await manage(.get, "\(kind)/\(id)").json == created.json)
    #expect(try await manage(.get, kind).json == [kind: [created.json]])
    let again = try await create(id, body)
    #expect(again.status == 409 && again.json.errorMessage?.hasPrefix("CONFIGURATION_EXISTS") == true)
    let deleted = try await manage(.delete, "\(kind)/\(id)")
    #expect(deleted.status == 200 && deleted.json == [:])
    for (method, body) in [(HTTPMethod.get, nil), (.patch, [:]), (.delete, nil)] as [(HTTPMethod, JSON?)] {
      let gone = try await manage(method, "\(kind)/\(id)", body)
      #expect(gone.status == 404 && gone.json.errorMessage == "CONFIGURATION_NOT_FOUND")
    }
    #expect(try await manage(.get, kind).json == [kind: []])
  }

  @Test func aMaskChangesOnlyItsPaths() async throws {
    _ = try await create("oidc.acme", Self.oidc)
    let path = "oauthIdpConfigs/oidc.acme"
    let change: JSON = [
      "displayName": "New", "enabled": false, "clientId": "ignored", "clientSecret": "secret",
      "response_type": ["code": true, "idToken": false],
    ]
    let mask = "displayName,enabled,client_secret,responseType.code,response_type.idToken"
    let changed = try await manage(.patch, "\(path)?updateMask=\(mask)", change)
    #expect(
      changed.json == [
        "name": "projects/demo/oauthIdpConfigs/oidc.acme", "displayName": "New", "enabled": false,
        "clientId": "client", "clientSecret": "secret", "issuer": "https://acme.example.com/oidc",
        "responseType": ["code": true],
      ], "\(changed.json)")
    #expect(try await manage(.get, path).json == changed.json)
    // What the mask names and the body doesn't have is removed.
    let removed = try await manage(.patch, "\(path)?updateMask=displayName", ["displayName": .null])
    #expect(
      removed.status == 200 && removed.json["displayName"] == nil && removed.json["clientId"] == "client")
    // A change that isn't valid changes nothing.
    let refused = try await manage(.patch, "\(path)?updateMask=issuer,enabled", ["enabled": true])
    #expect(refused.json.errorMessage?.hasPrefix("MISSING_ISSUER") == true)
    #expect(try await manage(.get, path).json == removed.json)
    // Without a mask, everything is replaced.
    let replaced = try await manage(.patch, path, ["clientId": "c", "issuer": "https://example.com"])
    #expect(replaced.json["enabled"] == false && replaced.json["clientSecret"] == nil)
    #expect(replaced.json["responseType"] == ["idToken": true])
  }

  @Test func theCertificatesOfSAMLAreReplacedTogether() async throws {
    _ = try await create("saml.acme", Self.saml)
    let two: JSON = ["x509Certificate": .string(Self.certificate)]
    let change: JSON = ["idpConfig": ["idpCertificates": [two, two], "ssoUrl": "ignored"]]
    let changed = try await manage(
      .patch, "inboundSamlConfigs/saml.acme?updateMask=idpConfig.idpCertificates", change)
    #expect(changed.json["idpConfig"]?["idpCertificates"]?.array?.count == 2)
    #expect(changed.json["idpConfig"]?["ssoUrl"] == "https://acme.example.com/sso")
    #expect(changed.json["spConfig"] == Self.saml["spConfig"])
  }

  @Test func configurationsAreListedInPages() async throws {
    for number in 0..<5 { #expect(try await create("oidc.p\(number)", Self.oidc).status == 200) }
    _ = try await create("saml.acme", Self.saml)
    var (found, token): ([String], String?) = ([], nil)
    repeat {
      let query = "pageSize=2\(token.map { "&pageToken=\($0)" } ?? "")"
      let page = try await manage(.get, "oauthIdpConfigs?\(query)").json
      found += (page["oauthIdpConfigs"]?.array ?? []).compactMap { $0["name"]?.string }
      token = page["nextPageToken"]?.string
    } while token != nil
    #expect(found == (0..<5).map { "projects/demo/oauthIdpConfigs/oidc.p\($0)" })
    for size in ["-1", "x", "1.5", "9223372036854775808"] {
      #expect(try await manage(.get, "oauthIdpConfigs?pageSize=\(size)").status == 400)
    }
  }

  private static func changed(_ body: JSON, _ path: String, _ value: JSON?) -> JSON {
    var members = body.object ?? [:]
    let names = path.split(separator: ".", maxSplits: 1).map(String.init)
    members[names[0]] = names.count == 1 ? value : changed(members[names[0]] ?? [:], names[1], value)
    return .object(members)
  }

  private static let long = JSON.string(String(repeating: "x", count: 2_049))

  @Test(
    arguments: [
      ("oidc.acme", changed(oidc, "clientId", nil), "MISSING_OAUTH_CLIENT_ID"),
      ("oidc.acme", changed(oidc, "issuer", ""), "MISSING_ISSUER"),
      ("oidc.acme", changed(oidc, "issuer", "http://acme.example.com"), "INVALID_CONFIG"),
      ("oidc.acme", changed(oidc, "issuer", "https://"), "INVALID_CONFIG"),
      ("oidc.acme", changed(oidc, "issuer", "https://acme.example.com?a=b"), "INVALID_CONFIG"),
      ("oidc.acme", changed(oidc, "displayName", long), "INVALID_CONFIG"),
      ("oidc.acme", changed(oidc, "responseType", ["code": true]), "MISSING_OAUTH_CLIENT_SECRET"),
      (
        "oidc.acme", changed(oidc, "responseType", ["code": true, "idToken": true]),
        "INVALID_OAUTH_RESPONSETYPE"
      ),
      ("oidc.acme", changed(oidc, "responseType", ["token": true]), "INVALID_OAUTH_RESPONSETYPE"),
      (
        "oidc.acme", changed(oidc, "clientId", ["a"]),
        "Invalid JSON payload received. /clientId must be string"
      ),
      (
        "oidc.acme", changed(oidc, "enabled", "yes"),
        "Invalid JSON payload received. /enabled must be boolean"
      ),
      ("google.com", changed(google, "clientId", nil), "MISSING_OAUTH_CLIENT_ID"),
      ("google.com", changed(google, "clientSecret", nil), "MISSING_OAUTH_CLIENT_SECRET"),
      ("example.com", google, "INVALID_CONFIG_ID"),
      ("saml.acme", changed(saml, "idpConfig", nil), "INVALID_CONFIG"),
      ("saml.acme", changed(saml, "idpConfig.idpEntityId", nil), "INVALID_CONFIG"),
      ("saml.acme", changed(saml, "idpConfig.ssoUrl", "/sso"), "INVALID_CONFIG"),
      ("saml.acme", changed(saml, "idpConfig.idpCertificates", []), "INVALID_CONFIG"),
      (
        "saml.acme",
        changed(
          saml, "idpConfig.idpCertificates", .array(Array(repeating: ["x509Certificate": "c"], count: 11))),
        "INVALID_CONFIG"
      ),
      (
        "saml.acme", changed(saml, "idpConfig.idpCertificates", [["x509Certificate": "CERT"]]),
        "INVALID_CONFIG"
      ),
      (
        "saml.acme",
        changed(
          saml, "idpConfig.idpCertificates",
          [["x509Certificate": .string(certificate.replacing("MIIBcTCC", with: "MIIBdTCC"))]]),
        "INVALID_CONFIG"
      ),
      ("saml.acme", changed(saml, "spConfig", nil), "MISSING_SAML_RELYING_PARTY_CONFIG"),
      ("saml.acme", changed(saml, "spConfig.callbackUri", nil), "MISSING_SAML_RELYING_PARTY_CONFIG"),
      ("saml.acme", changed(saml, "spConfig.callbackUri", "ftp://app.example.com"), "INVALID_CONFIG"),
    ] as [(String, JSON, String)])
  func whatIsNotValidIsRefusedByName(id: String, body: JSON, code: String) async throws {
    let refused = try await create(id, body)
    #expect(refused.status == 400 && refused.json.errorMessage?.hasPrefix(code) == true, "\(refused.json)")
    for kind in ProviderConfiguration.Kind.allCases {
      #expect(try await manage(.get, kind.rawValue).json == [kind.rawValue: []])
    }
  }

  @Test(arguments: [
    "", "acme", "oidc.", "saml.acme", "oidc.ACME", "oidc.a%2Fb", "oidc.%C3%A4",
    "oidc." + String(repeating: "x", count: 65),
  ])
  func anIDHasItsPrefix(id: String) async throws {
    let refused = try await manage(.post, "oauthIdpConfigs?oauthIdpConfigId=\(id)", Self.oidc)
    let code = id.isEmpty ? "MISSING_CONFIG_ID" : "INVALID_CONFIG_ID"
    #expect(refused.status == 400 && refused.json.errorMessage?.hasPrefix(code) == true, "\(refused.json)")
  }

  @Test func whatIsNotSupportedIsRefusedByName() async throws {
    let refused = try await create(
      "apple.com", Self.changed(Self.google, "appleSignInConfig", ["bundleIds": ["com.example"]]))
    #expect(refused.status == 501 && refused.json.errorMessage?.contains("appleSignInConfig") == true)
    #expect(try await manage(.put, "oauthIdpConfigs/oidc.acme", Self.oidc).status == 404)
    #expect(try await manage(.delete, "oauthIdpConfigs").status == 404)
  }

  @Test(
    arguments: [
      ("oauthIdpConfigs", "oidc.acme", oidc), ("inboundSamlConfigs", "saml.acme", saml),
      ("defaultSupportedIdpConfigs", "google.com", google),
    ] as [(String, String, JSON)])
  func aDisabledProviderSignsNobodyIn(kind: String, id: String, body: JSON) async throws {
    // Without a configuration, any provider can be used.
    let user = try await signIn(id)["localId"]
    #expect(user != nil)
    #expect(try await create(id, body).status == 200)
    #expect(try await signIn(id)["localId"] == user)
    _ = try await manage(.patch, "\(kind)/\(id)?updateMask=enabled", ["enabled": false])
    let refused = try await signIn(id)
    #expect(
      refused.errorMessage == "OPERATION_NOT_ALLOWED : The identity provider configuration is disabled.")
    // Neither can it be linked.
    let token = try #require(try await backend.call("accounts:signUp").json["idToken"])
    let link: JSON = [
      "requestUri": "http://localhost", "idToken": token,
      "postBody": .string("providerId=\(id)&id_token=%7B%22sub%22:%22eve%22%7D"),
    ]
    #expect(
      try await backend.call("accounts:signInWithIdp", link).json.errorMessage?.hasPrefix(
        "OPERATION_NOT_ALLOWED") == true)
    #expect(try await signIn("other.com")["localId"] != nil)
    _ = try await manage(.delete, "\(kind)/\(id)")
    #expect(try await signIn(id)["localId"] == user)
  }

  @Test func tenantsHaveTheirOwnAndTakeThemWithThem() async throws {
    let (acme, other) = (try await tenants.created(), try await tenants.created())
    let disabled = Self.changed(Self.oidc, "enabled", false)
    let created = try await create("oidc.acme", disabled, tenant: acme)
    #expect(created.json["name"] == .string("projects/demo/tenants/\(acme)/oauthIdpConfigs/oidc.acme"))
    #expect(try await create("oidc.acme", Self.oidc, tenant: other).status == 200)
    #expect(try await manage(.get, "oauthIdpConfigs/oidc.acme").status == 404)
    #expect(
      try await signIn("oidc.acme", tenant: acme).errorMessage?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
    #expect(try await signIn("oidc.acme", tenant: other)["localId"] != nil)
    #expect(try await signIn("oidc.acme")["localId"] != nil)
    #expect(try await manage(.get, "oauthIdpConfigs", tenant: "none").json.errorMessage == "TENANT_NOT_FOUND")
    #expect(try await tenants.manage(.delete, "/\(acme)").status == 200)
    let rows = try await backend.embedded.database.read { database in
      try database.opened().first(
        "SELECT count(*) FROM providers WHERE project LIKE '%' || ?", [.text(acme)]
      ) { $0.integer(0) }
    }
    #expect(rows == 0)
    #expect(try await manage(.get, "oauthIdpConfigs/oidc.acme", tenant: other).status == 200)
  }

  @Test func onlyAdministratorsManageProviders() async throws {
    _ = try await create("oidc.acme", Self.oidc)
    for (method, path) in [
      (HTTPMethod.get, "oauthIdpConfigs"), (.post, "oauthIdpConfigs?oauthIdpConfigId=oidc.b"),
      (.get, "oauthIdpConfigs/oidc.acme"), (.patch, "oauthIdpConfigs/oidc.acme"),
      (.delete, "oauthIdpConfigs/oidc.acme"),
    ] {
      let body: JSON? = method == .post || method == .patch ? Self.oidc : nil
      let refused = try await manage(method, path, body, asAdministrator: false)
      #expect(refused.status == 401, "\(method) \(path)")
    }
    #expect(try await manage(.get, "oauthIdpConfigs").json["oauthIdpConfigs"]?.array?.count == 1)
  }

  @Test func theNumberOfConfigurationsIsLimited() async throws {
    try await backend.embedded.accounts.database.transaction { database in
      for number in 0..<ProviderConfiguration.most {
        try database.save(ProviderConfiguration(.oidc, id: "oidc.p\(number)"))
      }
    }
    #expect(try await create("oidc.acme", Self.oidc).json.errorMessage?.hasPrefix("QUOTA_EXCEEDED") == true)
    _ = try await manage(.delete, "oauthIdpConfigs/oidc.p0")
    #expect(try await create("oidc.acme", Self.oidc).status == 200)
  }

  @Test func configurationsSurviveARestart() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let first = Backend(directory: directory.path)
    let body = Self.changed(Self.saml, "enabled", false)
    let created = try await manage(
      .post, "inboundSamlConfigs?inboundSamlConfigId=saml.acme", body, on: first)
    #expect(created.status == 200)
    await first.embedded.close()
    let second = Backend(directory: directory.path)
    #expect(try await manage(.get, "inboundSamlConfigs/saml.acme", on: second).json == created.json)
    #expect(
      try await signIn("saml.acme", on: second).errorMessage?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
    await second.embedded.close()
  }
}
