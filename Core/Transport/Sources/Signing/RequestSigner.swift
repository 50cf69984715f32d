package import TenonAdminInterop
package import TenonAppCheckInterop
package import TenonAuthInterop
import TenonCore
package import TenonFoundation
package import TenonTransportInterop

/// Adds the tokens of the linked products to requests: the user's ID token if Auth is linked, or that of an
/// administrator, which Admin has, and the app's token if App Check is linked.
///
/// Tokens are added only to requests that go to the service's own origin, over an encrypted connection or to
/// a loopback address. Every other request is sent without them.
///
/// A signer keeps no tokens; Auth and App Check cache them. Its functions can be called concurrently. It
/// doesn't follow redirects: transports remove these fields from a redirect to another origin (see
/// `TransportInterop`).
///
/// ```swift
/// let signer = RequestSigner(auth: auth, appCheck: appCheck, scheme: .bearer, time: .system)
/// let signed = try await signer.sign(request, for: Origin(serviceURL), by: .now + .seconds(30))
/// ```
package struct RequestSigner: Sendable {
  /// The authentication scheme with which a service expects the user's ID token in the field `Authorization`
  /// (RFC 9110, section 11.6.2).
  package struct Scheme: Sendable, Hashable {
    /// The name of the scheme, which precedes the token, for example `Bearer`.
    package let name: String

    /// `Authorization: Bearer TOKEN` (RFC 6750), as Cloud Functions expects.
    package static let bearer = Scheme(name: "Bearer")
    /// `Authorization: Firebase TOKEN`, as Cloud Storage for Firebase expects.
    package static let firebase = Scheme(name: "Firebase")
  }

  /// An error: a product returned no token before the deadline. The request wasn't sent, so it can safely be
  /// repeated.
  package struct TokenTimeout: Error, Sendable, Hashable {
    /// The name of the product, `Auth`, `Admin` or `App Check`.
    package let product: String
  }

  /// Whose tokens requests carry.
  package enum Identity: Sendable {
    /// The user's ID token with a scheme; without a token if Auth isn't linked or no user is signed in.
    case user((any AuthInterop)?, Scheme)
    /// An administrator of Google's APIs.
    case admin(AdminSource)
    /// A service account that calls services which only it may call, for example private functions.
    case serviceAccount(AdminSource)

    /// Whether requests carry the tokens of an administrator.
    package var isAdministrator: Bool { if case .user = self { false } else { true } }
  }

  /// Where the tokens of administrators come from.
  package struct AdminSource: Sendable {
    /// Has the credential.
    package let admin: any AdminInterop
    /// Whether the service is in this process.
    private let isEmbedded: Bool

    /// - Parameters:
    ///   - admin: has the credential.
    ///   - isEmbedded: whether the service is the embedded backend.
    package init(_ admin: any AdminInterop, isEmbedded: Bool) {
      (self.admin, self.isEmbedded) = (admin, isEmbedded)
    }

    /// Returns whether a service is an emulator or the embedded backend, to which no credential is sent.
    package func isEmulated(_ service: Origin) -> Bool { isEmbedded || service.scheme == "http" }
  }

  /// Whose tokens requests carry.
  package let identity: Identity
  /// The source of App Check tokens; `nil` if App Check isn't linked.
  private let appCheck: (any AppCheckInterop)?
  /// The clock of the deadlines.
  private let time: TimeSource

  /// Creates a signer.
  ///
  /// - Parameters:
  ///   - identity: whose tokens requests carry.
  ///   - appCheck: the source of App Check tokens; `nil` if App Check isn't linked, and for administrators of
  ///     services that don't ask them for one.
  ///   - time: the clock of the deadlines.
  package init(_ identity: Identity, appCheck: (any AppCheckInterop)?, time: TimeSource) {
    self.identity = identity
    self.appCheck = appCheck
    self.time = time
  }

  /// Creates a signer of users' requests.
  ///
  /// - Parameters:
  ///   - auth: the source of ID tokens; `nil` if Auth isn't linked.
  ///   - appCheck: the source of App Check tokens; `nil` if App Check isn't linked.
  ///   - scheme: how the service expects the ID token.
  ///   - time: the clock of the deadlines.
  package init(
    auth: (any AuthInterop)?, appCheck: (any AppCheckInterop)?, scheme: Scheme, time: TimeSource
  ) {
    self.init(.user(auth, scheme), appCheck: appCheck, time: time)
  }

  /// Creates a signer that adds only App Check tokens, for a service that doesn't expect an ID token in
  /// `Authorization`.
  ///
  /// - Parameters:
  ///   - appCheck: the source of App Check tokens; `nil` if App Check isn't linked.
  ///   - time: the clock of the deadlines.
  package init(appCheck: (any AppCheckInterop)?, time: TimeSource) {
    self.init(auth: nil, appCheck: appCheck, scheme: .bearer, time: time)
  }

  /// Returns a request with the tokens that it may carry: the ID token or an administrator's access token in
  /// `Authorization`, or a service account's identity token in `X-Serverless-Authorization`, and the App Check
  /// token in `X-Firebase-AppCheck`.
  ///
  /// If no user is signed in, only the App Check token is added. If App Check can't obtain a token, its
  /// placeholder is sent, and the server decides whether to accept the request.
  ///
  /// The tokens are obtained one after another, Auth's first, and only if the request may carry them. A field
  /// that the request sets itself is replaced by a token, and otherwise kept. When the deadline passes or the
  /// task is cancelled, this returns immediately, even if the product ignores its cancellation.
  ///
  /// - Parameters:
  ///   - request: the request to sign.
  ///   - service: the origin that the tokens are intended for. A request to another origin is returned
  ///     unchanged, and so is every request if this is `nil`.
  ///   - limitedUse: whether to add a new limited-use App Check token, which the server may accept only once.
  ///   - refused: the token of an administrator that the server has refused; `nil` if none was.
  ///   - deadline: when to stop waiting for the tokens, on the clock of the signer.
  /// - Returns: the request with the tokens.
  /// - Throws: ``TokenTimeout`` if the deadline passes; Auth's error if a user is signed in and no valid
  ///   token is available; Admin's error if an administrator's isn't; `CancellationError`.
  package func sign(
    _ request: TransportRequest, for service: Origin?, limitedUse: Bool = false,
    replacing refused: String? = nil, by deadline: ContinuousClock.Instant
  ) async throws -> TransportRequest {
    guard let service, let target = Origin(request.url), target.isSame(as: service) else { return request }
    var request = request
    // The administrator of an emulator is no secret, and one in another container isn't at a loopback address.
    if case .admin(let source) = identity, source.isEmulated(service) {
      request.headers["Authorization"] = "Bearer owner"
    }
    guard target.isTrustworthy else { return request }
    switch identity {
    case .user(let auth?, let scheme):
      let answer = try await time.value(by: deadline) { try await auth.token(forcingRefresh: false) }
      guard let answer else { throw TokenTimeout(product: "Auth") }
      if let token = answer { request.headers["Authorization"] = "\(scheme.name) \(token)" }
    case .admin(let source) where !source.isEmulated(service):
      let token = try await adminToken(by: deadline) {
        try await source.admin.accessToken(replacing: refused)
      }
      request.headers["Authorization"] = "Bearer \(token.value)"
      if let project = token.quotaProject { request.headers["X-Goog-User-Project"] = project }
    case .serviceAccount(let source) where !source.isEmulated(service):
      let audience = Self.audience(request.url)
      let token = try await adminToken(by: deadline) {
        try await source.admin.identityToken(for: audience, replacing: refused)
      }
      request.headers["X-Serverless-Authorization"] = "Bearer \(token.value)"
    case .user, .admin, .serviceAccount: break
    }
    if let appCheck {
      let result = try await time.value(by: deadline) {
        limitedUse ? await appCheck.limitedUseToken() : await appCheck.token(forcingRefresh: false)
      }
      guard let result else { throw TokenTimeout(product: "App Check") }
      request.headers["X-Firebase-AppCheck"] = result.token
    }
    return request
  }

  /// Signs a request and sends it. If the server doesn't accept an administrator's token (status 401), the
  /// request is sent once more, with another one: what isn't admitted has had no effect.
  ///
  /// - Parameters:
  ///   - request: the request to sign. One whose body is a stream isn't sent again.
  ///   - service: the origin that the tokens are intended for.
  ///   - limitedUse: as for ``sign(_:for:limitedUse:replacing:by:)``.
  ///   - deadline: when to stop waiting for tokens.
  ///   - status: returns the status of a response.
  ///   - send: sends the signed request.
  /// - Returns: the last request that was sent, and its response.
  /// - Throws: as ``sign(_:for:limitedUse:replacing:by:)``; what `send` throws.
  package nonisolated(nonsending) func exchange<Response>(
    _ request: TransportRequest, for service: Origin?, limitedUse: Bool = false,
    by deadline: ContinuousClock.Instant, status: (Response) -> Int,
    _ send: nonisolated(nonsending) (TransportRequest) async throws -> Response
  ) async throws -> (request: TransportRequest, response: Response) {
    let signed = try await sign(request, for: service, limitedUse: limitedUse, by: deadline)
    let response = try await send(signed)
    guard
      let other = try await signAgain(
        request, refused: signed, status: status(response), for: service, limitedUse: limitedUse, by: deadline
      )
    else { return (signed, response) }
    return (other, try await send(other))
  }

  /// Returns a request with another token if the server doesn't accept that of an administrator; `nil` if the
  /// request isn't to be sent again.
  ///
  /// - Parameters:
  ///   - request: the request to sign.
  ///   - signed: the signed request that was answered.
  ///   - status: the status of the answer.
  ///   - service: the origin that the tokens are intended for.
  ///   - limitedUse: as for ``sign(_:for:limitedUse:replacing:by:)``.
  ///   - deadline: when to stop waiting for tokens.
  /// - Throws: as ``sign(_:for:limitedUse:replacing:by:)``.
  package func signAgain(
    _ request: TransportRequest, refused signed: TransportRequest, status: Int, for service: Origin?,
    limitedUse: Bool = false, by deadline: ContinuousClock.Instant
  ) async throws -> TransportRequest? {
    guard status == 401, identity.isAdministrator, request.body.isRepeatable,
      let refused = signed.bearerToken
    else { return nil }
    return try await sign(
      request, for: service, limitedUse: limitedUse, replacing: refused, by: deadline)
  }

  /// Returns a signature of the administrator's service account.
  ///
  /// - Parameters:
  ///   - message: returns the bytes to sign, for the address of the account.
  ///   - service: the origin of the service for which the signature is made.
  ///   - deadline: when to stop waiting for the signature, on the clock of the signer.
  /// - Returns: `nil` if the requests aren't an administrator's, or if the service is an emulator or the
  ///   embedded backend, for which nothing is signed.
  /// - Throws: ``TokenTimeout`` if the deadline passes; Admin's error; `CancellationError`.
  package func signature(
    of message: @escaping @Sendable (_ account: String) -> [UInt8], for service: Origin?,
    by deadline: ContinuousClock.Instant
  ) async throws -> AdminSignature? {
    guard case .admin(let source) = identity, let service, !source.isEmulated(service) else { return nil }
    let signature = try await time.value(by: deadline) { try await source.admin.signature(of: message) }
    guard let signature else { throw TokenTimeout(product: "Admin") }
    return signature
  }

  /// Returns a token of an administrator.
  ///
  /// - Throws: ``TokenTimeout`` if the deadline passes.
  private func adminToken(
    by deadline: ContinuousClock.Instant, _ request: @escaping @Sendable () async throws -> AdminToken
  ) async throws -> AdminToken {
    guard let token = try await time.value(by: deadline, of: request) else {
      throw TokenTimeout(product: "Admin")
    }
    return token
  }

  /// Returns the audience of a service's identity token: its URL without the query.
  private static func audience(_ url: URL) -> String {
    var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    parts?.query = nil
    parts?.fragment = nil
    return parts?.string ?? url.absoluteString
  }
}

extension TransportRequest {
  /// The token with the scheme `Bearer` that the request carries; `nil` if it carries none, or that of an
  /// emulator's administrator.
  package var bearerToken: String? {
    (headers["X-Serverless-Authorization"] ?? headers["Authorization"]).flatMap { value in
      value.hasPrefix("Bearer ") && value != "Bearer owner" ? String(value.dropFirst(7)) : nil
    }
  }
}
