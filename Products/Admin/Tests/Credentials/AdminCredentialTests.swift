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

/// Where credentials are found, and how they become access tokens.
@Suite(.limited) struct AdminCredentialTests {
  private static let metadata = "metadata.google.internal"

  /// Runs a closure with a folder, which contains files.
  private func withFolder(_ files: [String: JSON], _ body: (String) async throws -> Void) async throws {
    let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appending(path: "credentials-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (path, file) in files {
      let url = folder.appending(path: path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try file.serialized.write(to: url)
    }
    try await body(folder.path)
  }

  // MARK: - Users of gcloud

  @Test func theUserOfGcloudIsFoundInTheEnvironment() async throws {
    let name = "application_default_credentials.json"
    let files = [".config/gcloud/\(name)": CredentialFixture.user, "other/\(name)": CredentialFixture.user]
    try await withFolder(files) { folder in
      for environment in [
        ["HOME": folder], ["CLOUDSDK_CONFIG": "\(folder)/other", "HOME": "/nowhere"],
        ["GOOGLE_APPLICATION_CREDENTIALS": "\(folder)/other/\(name)", "HOME": "/nowhere"],
        ["GOOGLE_APPLICATION_CREDENTIALS": "", "HOME": folder],
      ] {
        let fixture = try CredentialFixture(environment: environment)
        let request = try await fixture.lookup()
        #expect(request.headers["Authorization"] == "Bearer token-1")
        #expect(request.headers["X-Goog-User-Project"] == "demo")
        #expect(
          try fixture.form("oauth2.googleapis.com") == [
            "grant_type": "refresh_token", "client_id": "id", "client_secret": "secret-client",
            "refresh_token": "secret-refresh/+",
          ])
        #expect(fixture.requests(to: Self.metadata).isEmpty)
      }
    }
  }

  @Test func theProjectThatPaysIsThatOfTheEnvironmentOrOfTheFile() async throws {
    for (environment, file, project) in [
      (["GOOGLE_CLOUD_QUOTA_PROJECT": "payer"], "other", "payer"), ([:], "other", "other"),
      (["GOOGLE_CLOUD_QUOTA_PROJECT": ""], "other", "other"),
    ] {
      let fixture = try CredentialFixture(environment: environment)
      fixture.admin.credential = try CredentialFixture.credential(
        CredentialFixture.user, ["quota_project_id": .string(file)])
      #expect(try await fixture.lookup().headers["X-Goog-User-Project"] == project)
    }
  }

  @Test func aUserCanNotSignCustomTokens() async throws {
    let fixture = try CredentialFixture()
    fixture.admin.credential = try CredentialFixture.credential(CredentialFixture.user)
    let error = await #expect(throws: AdminError.self) {
      try await fixture.admin.createCustomToken(withUID: "ada")
    }
    #expect(error?.code == .invalidCredential && fixture.transport.requests.isEmpty)
  }

  // MARK: - The metadata server

  @Test func theMetadataServerIsTheLastOfTheEnvironment() async throws {
    let fixture = try CredentialFixture(environment: ["HOME": "/nowhere"])
    let request = try await fixture.lookup()
    #expect(request.headers["Authorization"] == "Bearer token-1")
    #expect(request.headers["X-Goog-User-Project"] == nil)
    let metadata = try #require(fixture.requests(to: Self.metadata).first)
    #expect(metadata.headers["Metadata-Flavor"] == "Google" && metadata.url.scheme == "http")
    #expect(
      metadata.url.absoluteString.hasPrefix(
        "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token?scopes="))
    try await fixture.lookup()
    #expect(fixture.requests(to: Self.metadata).count == 1)
  }

  @Test func anotherMetadataServerCanBeNamed() async throws {
    let fixture = try CredentialFixture(environment: ["GCE_METADATA_HOST": "metadata.test:8080"])
    try await fixture.lookup()
    #expect(fixture.requests(to: "metadata.test").first?.url.port == 8_080)
    let wrong = try CredentialFixture(environment: ["GCE_METADATA_HOST": "a b"])
    let error = await #expect(throws: AdminError.self) { try await wrong.lookup() }
    #expect(error?.code == .invalidCredential && wrong.transport.requests.isEmpty)
  }

  /// A hotel's network answers every name.
  @Test func aServerThatIsNoMetadataServerIsNoCredential() async throws {
    for answer in [
      TransportResponse(status: 200, body: Data(#"{"access_token": "t", "expires_in": 3600}"#.utf8)),
      TransportResponse(status: 302), TransportResponse(status: 404),
    ] {
      let fixture = try CredentialFixture { request, _ in request.url.host() == Self.metadata ? answer : nil }
      let error = await #expect(throws: AdminError.self) { try await fixture.lookup() }
      #expect(error?.code == .invalidCredential)
      #expect(error?.message.contains("GOOGLE_APPLICATION_CREDENTIALS") == true)
      fixture.admin.credential = .metadataServer
      let other = await #expect(throws: AdminError.self) { try await fixture.lookup() }
      #expect(other?.code == .invalidCredential && other?.message.contains("GCE_METADATA_HOST") == true)
    }
  }

  @Test func withoutAMetadataServerThereIsNoCredential() async throws {
    let fixture = try CredentialFixture { request, _ in
      guard request.url.host() == Self.metadata else { return nil }
      throw TransportError(.unreachable, "There is no such host.")
    }
    let error = await #expect(throws: AdminError.self) { try await fixture.lookup() }
    #expect(error?.code == .invalidCredential && error?.underlying is TransportError)
    // It is tried once, and briefly.
    #expect(fixture.transport.requests.map(\.deadline) == [.seconds(3)])
    let skipping = try CredentialFixture(environment: ["NO_GCE_CHECK": "True"])
    let other = await #expect(throws: AdminError.self) { try await skipping.lookup() }
    #expect(other?.code == .invalidCredential && skipping.transport.requests.isEmpty)
  }

  @Test(arguments: [(404, AdminError.Code.invalidCredential), (500, .networkError), (429, .networkError)])
  func aMachineWithoutAServiceAccountSaysSo(status: Int, code: AdminError.Code) async throws {
    let fixture = try CredentialFixture { request, _ in
      request.url.host() == Self.metadata ? CredentialFixture.metadata(Data(), status: status) : nil
    }
    let error = await #expect(throws: AdminError.self) { try await fixture.lookup() }
    #expect(error?.code == code)
  }

  @Test func aMachineSignsCustomTokensThroughGoogle() async throws {
    let fixture = try CredentialFixture()
    let text = try await fixture.admin.createCustomToken(withUID: "ada", claims: ["role": "editor"])
    let token = try CompactToken(text)
    #expect(token.algorithm == "RS256" && token.claims["iss"] == "machine@demo.iam.gserviceaccount.com")
    #expect(token.claims["uid"] == "ada" && token.signature == Array("signed".utf8))
    let request = try #require(fixture.requests(to: "iamcredentials.googleapis.com").first)
    #expect(
      request.url.path(percentEncoded: true)
        == "/v1/projects/-/serviceAccounts/machine%40demo.iam.gserviceaccount.com:signBlob")
    #expect(request.headers["Authorization"] == "Bearer token-1")
    guard case .data(let body) = request.body else {
      Issue.record("There is no body.")
      return
    }
    #expect(try JSON(parsing: body) == ["payload": .string(Data(token.signed).base64EncodedString())])
  }

  @Test(arguments: ["", "default", "a@b/../c", "a@b c"])
  func anAddressThatIsNotOneIsNotUsed(email: String) async throws {
    let fixture = try CredentialFixture { request, _ in
      guard request.url.lastPathComponent == "email" else { return nil }
      return CredentialFixture.metadata(Data(email.utf8))
    }
    let error = await #expect(throws: AdminError.self) {
      try await fixture.admin.createCustomToken(withUID: "ada")
    }
    #expect(error?.code == .invalidCredential)
  }

  @Test func theMetadataServerIsAskedOverTheNetwork() async throws {
    let server = try LoopbackServer { request in
      let isAsked = request.field("Metadata-Flavor") == "Google" && request.target.contains("/token?scopes=")
      let body = #"{"access_token": "machine-token", "expires_in": 3599, "token_type": "Bearer"}"#
      return [.answer(isAsked ? 200 : 403, ["Metadata-Flavor": "Google"], body)]
    }
    let host = try #require(server.url("/").port.map { "127.0.0.1:\($0)" })
    let app = AppContext(
      name: "tests", options: AppOptions(projectID: "demo", backend: .production), userAgent: "tenon-tests/1")
    let admin = try Admin(app: app, transport: nil, environment: ["GCE_METADATA_HOST": host])
    #expect(try await admin.credentialInUse.authorization(for: "demo").token.value == "machine-token")
    server.stop()
  }

  // MARK: - Workloads

  @Test func aWorkloadExchangesTheTokenOfItsProvider() async throws {
    let fixture = try CredentialFixture { request, number in
      guard request.url.host() == "provider.test" else { return nil }
      #expect(request.headers["X-Key"] == "secret-header")
      return TransportResponse(status: 200, body: Data("subject-\(number)\n".utf8))
    }
    fixture.admin.credential = try CredentialFixture.credential(CredentialFixture.workload)
    #expect(try await fixture.lookup().headers["Authorization"] == "Bearer token-1")
    let form = try fixture.form("sts.googleapis.com")
    #expect(
      form["subject_token"] == "subject-1"
        && form["audience"] == "//iam.googleapis.com/projects/1/providers/p")
    #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:token-exchange")
    #expect(form["subject_token_type"] == "urn:ietf:params:oauth:token-type:jwt")
    #expect(form["requested_token_type"] == "urn:ietf:params:oauth:token-type:access_token")
    // The provider's token is read again for the next access token.
    fixture.time.advance(by: 3_600)
    #expect(try await fixture.lookup().headers["Authorization"] == "Bearer token-2")
    #expect(try fixture.form("sts.googleapis.com")["subject_token"] == "subject-2")
  }

  @Test func aWorkloadStandsForAServiceAccount() async throws {
    try await withFolder(["token.json": ["id_token": "subject"]]) { folder in
      let fixture = try CredentialFixture()
      fixture.admin.credential = try CredentialFixture.credential(
        CredentialFixture.workload,
        [
          "service_account_impersonation_url":
            "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@demo.iam.gserviceaccount.com:generateAccessToken",
          "credential_source": [
            "file": .string("\(folder)/token.json"),
            "format": ["type": "json", "subject_token_field_name": "id_token"],
          ],
        ])
      #expect(try await fixture.lookup().headers["Authorization"] == "Bearer impersonated")
      #expect(try fixture.form("sts.googleapis.com")["subject_token"] == "subject")
      let request = try #require(fixture.requests(to: "iamcredentials.googleapis.com").first)
      #expect(request.headers["Authorization"] == "Bearer token-1")
      // It is valid for an hour from 22:13:20 on, of which 55 minutes are used.
      fixture.time.advance(by: 3_299)
      try await fixture.lookup()
      #expect(fixture.requests(to: "iamcredentials.googleapis.com").count == 1)
      fixture.time.advance(by: 1)
      _ = try? await fixture.lookup()
      #expect(fixture.requests(to: "iamcredentials.googleapis.com").count == 2)
      let token = try CompactToken(try await fixture.admin.createCustomToken(withUID: "ada"))
      #expect(token.claims["iss"] == "a@demo.iam.gserviceaccount.com")
    }
  }

  // MARK: - Files

  private static let unusable: [JSON] = [
    [], "text", ["type": "impersonated_service_account"], ["type": "authorized_user"],
    ["type": "authorized_user", "client_id": "secret-a", "client_secret": "", "refresh_token": "secret-b"],
    [
      "type": "authorized_user", "client_id": "secret-a", "client_secret": "secret-b",
      "refresh_token": "secret-c", "token_uri": "http://example.com/token",
    ],
    ["type": "external_account"], ["type": "service_account", "private_key": "secret-key"],
  ]

  private static let unusableChanges: [[String: JSON]] = [
    ["token_url": "http://sts.googleapis.com/v1/token"], ["token_url": "sts"],
    ["credential_source": ["environment_id": "aws1", "url": "https://provider.test"]],
    ["credential_source": ["executable": ["command": "rm"]]], ["credential_source": [:]],
    ["credential_source": ["url": "http://provider.test/token"]],
    ["credential_source": ["url": "http://169.254.169.254.provider.test/token"]],
    ["credential_source": ["url": "file:///etc/passwd"]],
    ["credential_source": ["file": "/a", "format": ["type": "json"]]],
    ["service_account_impersonation_url": "http://iamcredentials.googleapis.com/v1/a:generateAccessToken"],
  ]

  @Test func aFileThatCanNotBeUsedIsRefused() throws {
    for file in Self.unusable {
      let error = #expect(throws: AdminError.self) { try AdminCredential(json: file.serialized) }
      #expect(error?.code == .invalidCredential && error?.message.contains("secret-") == false)
    }
    for changes in Self.unusableChanges {
      let error = #expect(throws: AdminError.self) {
        try CredentialFixture.credential(CredentialFixture.workload, changes)
      }
      #expect(error?.code == .invalidCredential, "\(changes)")
    }
    let large = Data(repeating: UInt8(ascii: " "), count: 1 << 20)
    for json in [Data(), Data("{".utf8), large] {
      #expect(throws: AdminError.self) { try AdminCredential(json: json) }
    }
    for path in ["/nowhere/at-all", "/", "/dev/zero"] {
      let error = #expect(throws: AdminError.self) { try AdminCredential(contentsOfFile: path) }
      #expect(error?.code == .invalidCredential && error?.message.contains(path) == true)
    }
  }

  /// P6: a program that logs its credential logs no key.
  @Test func p6CredentialsShowWhoTheyAreAndNoKeys() throws {
    let credentials: [(AdminCredential, String)] = [
      (
        .serviceAccount(try ServiceAccount(json: AdminFixture.account.serialized)),
        "admin@demo.iam.gserviceaccount.com"
      ),
      (try AdminCredential(json: AdminFixture.account.serialized), "admin@demo.iam.gserviceaccount.com"),
      (try CredentialFixture.credential(CredentialFixture.user), "user of gcloud"),
      (
        try CredentialFixture.credential(CredentialFixture.workload),
        "//iam.googleapis.com/projects/1/providers/p"
      ),
      (.metadataServer, "metadata server"), (.applicationDefault, "environment"),
    ]
    for (credential, name) in credentials {
      #expect("\(credential)".contains(name))
      for text in disclosedTexts(of: credential) + disclosedTexts(of: credential.source) {
        #expect(!text.contains("secret-") && !text.contains(SampleKeys.privateKey.prefix(20)))
      }
    }
  }

  /// P6: what a server quotes of a request isn't shown.
  @Test(arguments: FakeTransport.EchoForm.allCases)
  func p6ErrorsOfCredentialsQuoteNoSecrets(form: FakeTransport.EchoForm) async throws {
    let echo = FakeTransport.echo(status: 400, form: form)
    let fixture = try CredentialFixture { request, _ in
      guard request.url.host() != "provider.test" else {
        return TransportResponse(status: 200, body: Data("secret-subject".utf8))
      }
      return try await echo.send(request)
    }
    for file in [CredentialFixture.user, CredentialFixture.workload] {
      fixture.admin.credential = try CredentialFixture.credential(file)
      let error = try #require(await #expect(throws: AdminError.self) { try await fixture.lookup() })
      for text in disclosedTexts(of: error) { #expect(!text.contains("secret-")) }
    }
  }
}
