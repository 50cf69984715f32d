import Foundation
import TenonAdmin
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonTestSupport
import Testing

/// Values of configurations of providers.
enum ProviderExamples {
  /// A self-signed certificate for tests.
  static let certificate = """
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
}

/// The identity providers that TenonAdmin configures are those with which users sign in, on the embedded backend.
@Suite(.limited) struct AdminProviderTests {
  private func withAdmin(_ body: (Admin, Auth) async throws -> Void) async throws {
    let app = try App.configure(
      name: "admin-providers-\(UUID())",
      options: AppOptions(projectID: "demo-admin", backend: .embedded(directory: nil), data: .memory))
    do { try await body(try Admin.admin(app: app), try Auth.auth(app: app)) } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  private func code(_ call: () async throws -> Void) async -> AdminError.Code? {
    await #expect(throws: AdminError.self) { try await call() }?.code
  }

  private static let oidc = OIDCAuthProviderConfig(
    providerID: "oidc.acme", displayName: "Acme", isEnabled: true, clientID: "client",
    issuer: "https://acme.example.com", clientSecret: "hush", responseType: .code)
  private static let saml = SAMLAuthProviderConfig(
    providerID: "saml.acme", isEnabled: true, idpEntityID: "idp", ssoURL: "https://acme.example.com/sso",
    x509Certificates: [ProviderExamples.certificate], rpEntityID: "rp",
    callbackURL: "https://app.example.com/__/auth/handler")

  @Test(arguments: [AuthProviderConfig.oidc(oidc), .saml(saml)])
  func aProviderIsConfiguredReadAndDeleted(config: AuthProviderConfig) async throws {
    try await withAdmin { admin, _ in
      let created = try await admin.createProviderConfig(config)
      #expect(created == config)
      let read = try await admin.getProviderConfig(withID: config.providerID)
      #expect(read == config && read.isEnabled && read.displayName == config.displayName)
      #expect(await code { try await admin.createProviderConfig(config) } == .configurationExists)
      try await admin.deleteProviderConfig(withID: config.id)
      let gone = await #expect(throws: AdminError.self) {
        try await admin.getProviderConfig(withID: config.providerID)
      }
      #expect(gone?.code == .configurationNotFound && gone?.message.contains(config.providerID) == true)
      #expect(await code { try await admin.updateProviderConfig(config) } == .configurationNotFound)
      #expect(
        await code { try await admin.deleteProviderConfig(withID: config.providerID) }
          == .configurationNotFound)
    }
  }

  @Test func aProviderThatIsDisabledSignsNobodyIn() async throws {
    try await withAdmin { admin, auth in
      let credential = OAuthProvider.credential(
        providerID: AuthProviderID.custom("oidc.acme"), idToken: #"{"sub": "ada"}"#)
      var config = Self.oidc
      try await admin.createProviderConfig(.oidc(config))
      let uid = try await auth.signIn(with: credential).user.uid
      config.isEnabled = false
      config.displayName = nil
      config.responseType = .idToken
      config.clientSecret = nil
      let changed = try await admin.updateProviderConfig(.oidc(config))
      #expect(changed == .oidc(config))
      let refused = await #expect(throws: AuthError.self) { try await auth.signIn(with: credential) }
      #expect(refused?.code == .operationNotAllowed)
      try await admin.deleteProviderConfig(withID: "oidc.acme")
      #expect(try await auth.signIn(with: credential).user.uid == uid)
    }
  }

  @Test func aTenantHasItsOwnProviders() async throws {
    try await withAdmin { project, _ in
      let tenant = try await project.tenantManager.createTenant()
      let admin = try project.tenantManager.auth(forTenant: tenant.tenantID)
      try await admin.createProviderConfig(.oidc(Self.oidc))
      #expect(
        await code { _ = try await project.getProviderConfig(withID: "oidc.acme") } == .configurationNotFound)
      #expect(try await admin.getProviderConfig(withID: "oidc.acme") == .oidc(Self.oidc))
      let stranger = try project.tenantManager.auth(forTenant: "none")
      #expect(await code { try await stranger.createProviderConfig(.oidc(Self.oidc)) } == .tenantNotFound)
    }
  }

  @Test func providersAreListedByTheirKind() async throws {
    try await withAdmin { admin, _ in
      try await admin.createProviderConfig(.saml(Self.saml))
      var ids: [String] = []
      for number in 0..<5 {
        let config = OIDCAuthProviderConfig(
          providerID: "oidc.p\(number)", clientID: "client", issuer: "https://example.com")
        try await admin.createProviderConfig(.oidc(config))
        ids.append(config.providerID)
      }
      var found: [String] = []
      for try await config in admin.listProviderConfigs(.oidc, maxResults: 2) { found.append(config.id) }
      #expect(found == ids)
      found = []
      for try await config in admin.listProviderConfigs(.saml) { found.append(config.id) }
      #expect(found == ["saml.acme"])
      for size in [0, -1, 101, .max] {
        #expect(
          await code { for try await _ in admin.listProviderConfigs(.oidc, maxResults: size) {} }
            == .argumentError)
      }
    }
  }

  @Test func whatIsNotValidIsRefused() async throws {
    try await withAdmin { admin, _ in
      for id in ["", "acme", "google.com", "oidc.", "oidc." + String(repeating: "x", count: 200), "oidc.Ä"] {
        let config = OIDCAuthProviderConfig(
          providerID: id, clientID: "client", issuer: "https://example.com")
        #expect(
          await code { try await admin.createProviderConfig(.oidc(config)) } == .invalidProviderID, "\(id)")
      }
      var config = Self.oidc
      config.issuer = "http://example.com"
      #expect(await code { try await admin.createProviderConfig(.oidc(config)) } == .invalidConfig)
      config = Self.oidc
      config.clientSecret = nil
      #expect(await code { try await admin.createProviderConfig(.oidc(config)) } == .invalidConfig)
      var saml = Self.saml
      saml.x509Certificates = ["no certificate"]
      #expect(await code { try await admin.createProviderConfig(.saml(saml)) } == .invalidConfig)
    }
  }

  @Test func aDumpDoesNotShowTheSecret() {
    var text = "\(Self.oidc)"
    dump(AuthProviderConfig.oidc(Self.oidc), to: &text)
    #expect(!text.contains("hush") && text.contains("oidc.acme"))
  }
}
