import TenonAdminInterop
import TenonAppCheckInterop
import TenonAuthInterop
import TenonCore
import TenonFoundation
import TenonStoreInterop
import TenonTransport
import TenonTransportInterop

/// The way of one app to Firestore: the address of the service, the names of its databases, and the header
/// fields and tokens of requests. It can be used concurrently.
final class FirestoreClient: Sendable {
  /// Sends the requests.
  let http: HTTPClient
  /// The app's settings.
  let settings = Lock(StoreSyncSettings())
  /// The service as text: `https://firestore.googleapis.com`, or `http://HOST:PORT` of the emulator.
  let service: String
  /// The origin of ``service``, to which alone tokens are sent; `nil` if the emulator's host is malformed.
  let origin: Origin?
  /// The ID of the project.
  let project: String
  /// The app's ID for `X-Firebase-GMPID`; `nil` if the options have none.
  private let appID: String?
  /// The API key for `X-Goog-Api-Key`; `nil` if the options have none.
  private let apiKey: String?
  /// The source of ID tokens; `nil` if Auth isn't linked.
  let auth: (any AuthInterop)?
  /// The source of App Check tokens; `nil` if App Check isn't linked.
  let appCheck: (any AppCheckInterop)?
  /// Adds the tokens of the linked products.
  private let signer: RequestSigner
  /// Returns what has the credential of administrators; `nil` if Admin isn't linked.
  private let admin: @Sendable () throws -> (any AdminInterop)?

  /// The clock of deadlines and delays.
  var time: TimeSource { http.time }

  /// Creates the client of an app.
  ///
  /// - Parameters:
  ///   - http: sends the requests.
  ///   - auth: the source of ID tokens; `nil` if Auth isn't linked.
  ///   - appCheck: the source of App Check tokens; `nil` if App Check isn't linked.
  ///   - admin: returns what has the credential of administrators; `nil`, the default, if Admin isn't linked.
  ///   - options: the app's options, which select the emulator or production.
  init(
    http: HTTPClient, auth: (any AuthInterop)?, appCheck: (any AppCheckInterop)?,
    admin: @escaping @Sendable () throws -> (any AdminInterop)? = { nil }, options: AppOptions
  ) {
    self.http = http
    self.auth = auth
    self.appCheck = appCheck
    self.admin = admin
    signer = RequestSigner(auth: auth, appCheck: appCheck, scheme: .bearer, time: http.time)
    if case .emulator(let hosts) = options.backend, let host = hosts.firestore {
      service = "http://\(host)"
    } else {
      service = "https://firestore.googleapis.com"
    }
    origin = URL(string: service).flatMap(Origin.init)
    // ``StoreSync`` isn't created without one.
    project = options.projectID ?? ""
    appID = options.appID
    apiKey = options.apiKey
  }

  // MARK: - Names

  /// The value of `X-Goog-API-Client`: the language and the library, as Google's servers count them.
  static let clientName = "gl-swift/ tenon/\(Release.version)"

  /// Returns the full name of a database, `projects/P/databases/D`.
  func name(of database: String) -> String { "projects/\(project)/databases/\(database)" }

  /// Returns a URL of the service.
  ///
  /// - Parameter target: the path and the query, percent-encoded, beginning with a slash.
  /// - Throws: `StoreRemoteError` with `unavailable` if the emulator's host is malformed: a permanent code
  ///   would have Store discard writes.
  func url(_ target: String) throws(StoreRemoteError) -> URL {
    guard origin != nil, let url = URL(string: service + target) else {
      throw StoreRemoteError(
        .unavailable,
        "\(service) can't be the address of Firestore. Check the emulator's host in AppOptions.backend.")
    }
    return url
  }

  // MARK: - Signing

  /// Returns a request with the fields of the database and of the app, and with the tokens of the context's
  /// user, or with those of an administrator.
  ///
  /// Without Auth, or if no user is signed in, the request has no `Authorization`, also on the emulator: its
  /// `Bearer owner` would bypass the rules, which apply to an app. Only administrators have it.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - context: the database and the user.
  ///   - refreshing: whether to request a new ID token even if the current one seems valid.
  ///   - refused: the token of an administrator that the server has refused; `nil` if none was.
  ///   - deadline: when to stop waiting for the tokens.
  /// - Throws: `StoreRemoteError` with `unauthenticated` if the context's user is no longer signed in or its
  ///   token isn't available, and with `deadlineExceeded` if a token didn't arrive in time;
  ///   `CancellationError`.
  func signed(
    _ request: TransportRequest, in context: RemoteContext, refreshing: Bool = false,
    replacing refused: String? = nil, by deadline: ContinuousClock.Instant
  ) async throws -> TransportRequest {
    var request = request
    request.headers["Google-Cloud-Resource-Prefix"] = name(of: context.database)
    request.headers["X-Goog-Request-Params"] =
      "project_id=\(PercentEncoding.queryValue(project))&database_id=\(PercentEncoding.queryValue(context.database))"
    request.headers["X-Goog-API-Client"] = Self.clientName
    do {
      if context.isAdministrator {
        let signer = RequestSigner(.admin(try administrator()), appCheck: nil, time: time)
        return try await signer.sign(request, for: origin, replacing: refused, by: deadline)
      }
      // These say which app asks; for an administrator, the token does.
      if let appID { request.headers["X-Firebase-GMPID"] = appID }
      if let apiKey { request.headers["X-Goog-Api-Key"] = apiKey }
      try await checkUser(of: context)
      if refreshing, let auth {
        _ = try await time.value(by: deadline) { try await auth.token(forcingRefresh: true) }
      }
      request = try await signer.sign(request, for: origin, by: deadline)
      // The user may have changed while the token was obtained.
      try await checkUser(of: context)
      return request
    } catch let error as RequestSigner.TokenTimeout {
      throw StoreRemoteError(
        .deadlineExceeded, "Nothing was sent, because \(error.product) gave no token in time.",
        underlying: error)
    } catch let error as CancellationError {
      throw error
    } catch let error as StoreRemoteError {
      throw error
    } catch {
      let token = context.isAdministrator ? "administrator's access token" : "user's ID token"
      throw StoreRemoteError(
        .unauthenticated, "The \(token) isn't available: \(error)", underlying: error)
    }
  }

  /// Returns where the tokens of administrators come from.
  ///
  /// - Throws: `StoreRemoteError` with `failedPrecondition` if Admin isn't linked; the error of the container.
  func administrator() throws -> RequestSigner.AdminSource {
    guard let admin = try admin() else {
      throw StoreRemoteError(
        .failedPrecondition,
        "No linked library has an administrator's credential. Link the product TenonAdmin.")
    }
    return RequestSigner.AdminSource(admin, isEmbedded: false)
  }

  /// Checks that the user of a context is signed in; no effect for administrators.
  ///
  /// - Throws: `StoreRemoteError` with `unauthenticated`; Auth's error if the stored session can't be read.
  func checkUser(of context: RemoteContext) async throws {
    guard !context.isAdministrator else { return }
    let user = try await auth?.currentUserID
    guard user != context.user else { return }
    func name(_ user: String?) -> String { user.map { "the user \($0)" } ?? "no user" }
    throw StoreRemoteError(
      .unauthenticated,
      "The request was made for \(name(context.user)), but now \(name(user)) is signed in. Repeat the request."
    )
  }
}
