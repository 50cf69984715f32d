package import TenonAppCheckInterop
package import TenonAuthInterop
package import TenonCore
package import TenonTransportInterop

/// Adds the tokens of the linked products to requests: the user's ID token where Auth is linked, and the app's token
/// where App Check is linked.
///
/// Tokens are added only to requests that go to the service's own origin, over an encrypted connection or to a loopback
/// address. Every other request is sent without them.
package struct RequestSigner: Sendable {
  /// How a service expects the user's ID token in the field `Authorization`.
  package struct Scheme: Sendable, Hashable {
    /// The word before the token, for example `Bearer`.
    package let name: String

    /// `Authorization: Bearer TOKEN` (RFC 6750), as Cloud Functions expects.
    package static let bearer = Scheme(name: "Bearer")
    /// `Authorization: Firebase TOKEN`, as Cloud Storage for Firebase expects.
    package static let firebase = Scheme(name: "Firebase")
  }

  /// A product gave no token before the deadline. Nothing was sent.
  package struct TokenTimeout: Error, Sendable, Hashable {
    /// The name of the product, `Auth` or `App Check`.
    package let product: String
  }

  private let auth: (any AuthInterop)?
  private let appCheck: (any AppCheckInterop)?
  private let scheme: Scheme
  private let time: TimeSource

  /// Creates a signer.
  ///
  /// - Parameters:
  ///   - auth: the source of ID tokens; `nil` if Auth isn't linked.
  ///   - appCheck: the source of App Check tokens; `nil` if App Check isn't linked.
  ///   - scheme: how the service expects the ID token.
  ///   - time: the clock of the deadlines.
  package init(
    auth: (any AuthInterop)?, appCheck: (any AppCheckInterop)?, scheme: Scheme, time: TimeSource
  ) {
    self.auth = auth
    self.appCheck = appCheck
    self.scheme = scheme
    self.time = time
  }

  /// Returns a request with the tokens that it may carry.
  ///
  /// While no user is signed in, only the App Check token is added. Where App Check can't get a token, its placeholder is
  /// sent, and the server decides.
  ///
  /// - Parameters:
  ///   - request: the request to sign.
  ///   - service: a URL of the service that the tokens are meant for. A request to another origin gets none.
  ///   - limitedUse: whether to add an App Check token of the request's own, which the server may accept only once.
  ///   - deadline: when to stop waiting for the tokens.
  /// - Throws: ``TokenTimeout`` if the deadline passes; Auth's error if a user is signed in and no valid token is
  ///   available; `CancellationError`.
  package func sign(
    _ request: HTTPRequest, for service: Origin?, limitedUse: Bool = false,
    by deadline: ContinuousClock.Instant
  ) async throws -> HTTPRequest {
    guard let service, let target = Origin(request.url), target.isTrustworthy, target.isSame(as: service)
    else { return request }
    var request = request
    if let auth {
      let answer = try await time.value(by: deadline) { try await auth.token(forcingRefresh: false) }
      guard let answer else { throw TokenTimeout(product: "Auth") }
      if let token = answer { request.headers["Authorization"] = "\(scheme.name) \(token)" }
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
}
