public import TenonCore
import TenonFoundation
import TenonTelemetry
import TenonTransport
import TenonTransportInterop

/// Firebase for servers: admits the users of a project, and acts for them.
///
/// ```swift
/// let admin = try Admin.admin()
/// let user = try await admin.verifyIDToken(token)
/// print(user.uid, user.claims["role"] as? String ?? "no role")
/// ```
///
/// The keys with which tokens are verified are loaded when the first token is, and kept as long as Google
/// allows. A verification without a revocation check therefore needs no network, and no credential.
///
/// With the embedded backend or the Auth emulator (`AppOptions.backend`), ID tokens and session cookies are
/// those of the emulator, which have no signature; their claims are checked as in production. App Check tokens of
/// the embedded backend are signed, and verified with the key that it publishes. In production, tokens without a
/// signature and of any algorithm but RS256 are refused.
///
/// What needs a credential, such as creating a custom token, managing users and checking a revocation, uses
/// ``credential``, or that of the environment (``AdminCredential/applicationDefault``). Emulators need none.
///
/// Operations throw ``AdminError``, or `CancellationError` when their task is cancelled. All of them may be called
/// from any thread.
public final class Admin: Sendable {
  /// The tenant whose users this object manages and admits, from ``TenantManager/auth(forTenant:)``; `nil` for
  /// the users of the project itself.
  public let tenantID: String?
  /// The project's ID.
  let projectID: String
  /// Whether ID tokens are those of an emulator or of the embedded backend, which have no signature.
  let hasUnsignedTokens: Bool
  /// Whether App Check tokens are those of the embedded backend.
  let usesEmbeddedBackend: Bool
  /// The URL of the project, or of the tenant, in Identity Toolkit.
  let accounts: String
  /// The URL of the project's tenants.
  let tenants: String
  let client: HTTPClient
  /// The clock of tokens and of keys.
  let time: TimeSource
  /// The keys of ID tokens.
  let idTokenKeys: KeySet
  /// The keys of session cookies.
  let sessionCookieKeys: KeySet
  /// The keys of App Check tokens.
  let appCheckKeys: KeySet
  /// The credential and its access tokens.
  let credentialInUse: CredentialInUse

  /// Returns the `Admin` of an app.
  ///
  /// - Parameter app: the app; the default app if `nil`.
  /// - Throws: the error of the app's container.
  public static func admin(app: App? = nil) throws -> Admin {
    try (app ?? App.default).resolve(Admin.self, from: AdminLibrary.self)
  }

  /// - Parameters:
  ///   - app: the app, whose options select the project and the backend.
  ///   - transport: sends requests; the platform's HTTP client if `nil`.
  ///   - environment: the environment in which a credential is named; that of the process if `nil`.
  ///   - telemetry: the log, the metrics and the spans; none by default.
  ///   - time: the clock of tokens and of keys.
  /// - Throws: the error of options without a project.
  init(
    app: AppContext, transport: (any TransportInterop)?, environment: [String: String]? = nil,
    telemetry: Telemetry = .silent, time: TimeSource = .system
  ) throws {
    projectID = try app.options.required(.projectID)
    var client = try HTTPClient(app: app, transport: transport, telemetry: telemetry)
    client.time = time
    self.client = client
    self.time = time
    let origin: String
    switch app.options.backend {
    case .emulator(let hosts): origin = hosts.auth.map { "http://\($0)/" } ?? "https://"
    case .production, .embedded: origin = "https://"
    }
    usesEmbeddedBackend = app.options.backend.kind == .embedded
    hasUnsignedTokens = usesEmbeddedBackend || origin != "https://"
    tenantID = nil
    accounts = "\(origin)identitytoolkit.googleapis.com/v1/projects/\(projectID)"
    tenants = "\(origin)identitytoolkit.googleapis.com/v2/projects/\(projectID)/tenants"
    idTokenKeys = KeySet(.idToken, client: client, time: time)
    sessionCookieKeys = KeySet(.sessionCookie, client: client, time: time)
    appCheckKeys = KeySet(.appCheck, client: client, time: time)
    credentialInUse = CredentialInUse(environment: environment, client: client, time: time)
  }

  /// Creates the object for the users of a tenant, with the keys and the credential of the project's.
  init(_ project: Admin, forTenant tenantID: String) {
    self.tenantID = tenantID
    projectID = project.projectID
    hasUnsignedTokens = project.hasUnsignedTokens
    usesEmbeddedBackend = project.usesEmbeddedBackend
    accounts = project.tenants.replacing("/v2/", with: "/v1/") + "/\(PercentEncoding.queryValue(tenantID))"
    tenants = project.tenants
    client = project.client
    time = project.time
    idTokenKeys = project.idTokenKeys
    sessionCookieKeys = project.sessionCookieKeys
    appCheckKeys = project.appCheckKeys
    credentialInUse = project.credentialInUse
  }

  /// The credential for what needs one; `nil`, the default, for ``AdminCredential/applicationDefault``. Any
  /// thread may set it. Access tokens of an earlier credential aren't used any more.
  public var credential: AdminCredential? {
    get { credentialInUse.chosen }
    set { credentialInUse.choose(newValue) }
  }
}
