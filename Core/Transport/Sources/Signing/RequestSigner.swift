package import TenonAppCheckInterop
package import TenonAuthInterop
import TenonCore
package import TenonFoundation
package import TenonTransportInterop

/// Adds the tokens of the linked products to requests: the user's ID token if Auth is linked, and the app's
/// token if App Check is linked.
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
    /// The name of the product, `Auth` or `App Check`.
    package let product: String
  }

  /// The source of ID tokens; `nil` if Auth isn't linked.
  private let auth: (any AuthInterop)?
  /// The source of App Check tokens; `nil` if App Check isn't linked.
  private let appCheck: (any AppCheckInterop)?
  /// The scheme of the field `Authorization`.
  private let scheme: Scheme
  /// The clock of the deadlines.
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

  /// Creates a signer that adds only App Check tokens, for a service that doesn't expect an ID token in
  /// `Authorization`.
  ///
  /// - Parameters:
  ///   - appCheck: the source of App Check tokens; `nil` if App Check isn't linked.
  ///   - time: the clock of the deadlines.
  package init(appCheck: (any AppCheckInterop)?, time: TimeSource) {
    self.init(auth: nil, appCheck: appCheck, scheme: .bearer, time: time)
  }

  /// Returns a request with the tokens that it may carry: the ID token in `Authorization`, and the App Check
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
  ///   - deadline: when to stop waiting for the tokens, on the clock of the signer.
  /// - Returns: the request with the tokens.
  /// - Throws: ``TokenTimeout`` if the deadline passes; Auth's error if a user is signed in and no valid
  ///   token is available; `CancellationError`.
  package func sign(
    _ request: TransportRequest, for service: Origin?, limitedUse: Bool = false,
    by deadline: ContinuousClock.Instant
  ) async throws -> TransportRequest {
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
