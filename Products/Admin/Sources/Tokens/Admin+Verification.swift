import TenonFoundation
import TenonJSON
import TenonSignatures

/// Verifying the tokens that clients send.
extension Admin {
  /// Verifies the ID token of a user, as a client of the app sends it in `Authorization: Bearer`.
  ///
  /// The object of a tenant (``TenantManager/auth(forTenant:)``) admits the users of that tenant only. The object
  /// of the project admits users with and without a tenant, see ``DecodedIDToken/tenantID``.
  ///
  /// - Parameters:
  ///   - token: the token alone, without `Bearer`.
  ///   - checkRevoked: whether to also ask the server if the token was revoked or the user disabled, which
  ///     takes a request; `false` by default.
  /// - Returns: the claims.
  /// - Throws: ``AdminError``; with ``AdminError/Code/idTokenExpired``, with
  ///   ``AdminError/Code/invalidIDToken`` and the ``AdminError/claim`` that isn't as it should be, with
  ///   ``AdminError/Code/certificateFetchFailed`` if it can't be determined now whether the token is valid,
  ///   with ``AdminError/Code/mismatchingTenantID`` for a user of another tenant, and for `checkRevoked` with ``AdminError/Code/idTokenRevoked``, ``AdminError/Code/userDisabled`` or
  ///   ``AdminError/Code/userNotFound``.
  public func verifyIDToken(_ token: String, checkRevoked: Bool = false) async throws -> DecodedIDToken {
    let claims = try await verified(token, .idToken, idTokenKeys, isUnsigned: hasUnsignedTokens)
    let decoded = DecodedIDToken(claims)
    try checkTenant(of: decoded)
    if checkRevoked { try await check(decoded, revoked: .idTokenRevoked) }
    return decoded
  }

  /// Verifies a session cookie, which a server created from an ID token.
  ///
  /// - Parameters:
  ///   - cookie: the value of the cookie.
  ///   - checkRevoked: whether to also ask the server if it was revoked or the user disabled.
  /// - Returns: the claims.
  /// - Throws: ``AdminError``, as ``verifyIDToken(_:checkRevoked:)`` with the codes of session cookies.
  public func verifySessionCookie(_ cookie: String, checkRevoked: Bool = false) async throws -> DecodedIDToken
  {
    let claims = try await verified(
      cookie, .sessionCookie, sessionCookieKeys, isUnsigned: hasUnsignedTokens)
    let decoded = DecodedIDToken(claims)
    try checkTenant(of: decoded)
    if checkRevoked { try await check(decoded, revoked: .sessionCookieRevoked) }
    return decoded
  }

  /// Verifies the App Check token of an app, as it is in `X-Firebase-AppCheck`.
  ///
  /// For calls that must not be repeated with the same token, clients send tokens of limited use, and the server
  /// consumes them: it refuses a token whose ``DecodedAppCheckToken/alreadyConsumed`` is `true`. That takes a
  /// request to App Check, and a credential.
  ///
  /// - Parameters:
  ///   - token: the token.
  ///   - consume: whether to also consume the token, and to learn whether it had been consumed before; `false` by
  ///     default.
  /// - Returns: the app and the times. A token that was consumed before is returned, too.
  /// - Throws: ``AdminError``; with ``AdminError/Code/appCheckTokenExpired``,
  ///   ``AdminError/Code/invalidAppCheckToken`` or ``AdminError/Code/certificateFetchFailed``; if it is consumed,
  ///   also the errors of a request with a credential.
  public func verifyAppCheckToken(
    _ token: String, consume: Bool = false
  ) async throws -> DecodedAppCheckToken {
    var decoded = DecodedAppCheckToken(
      try await verified(token, .appCheck, appCheckKeys, isUnsigned: hasUnsignedAppCheckTokens))
    guard consume else { return decoded }
    // Sent once: after an answer that was lost, another request would find the token consumed.
    let answer = try await send(
      ServerRequest(
        suffix: ":verifyAppCheckToken", base: .appCheck, body: ["app_check_token": .string(token)],
        secrets: [token]))
    // As in JSON of protocol buffers, a missing member is false.
    switch answer["alreadyConsumed"] {
    case nil: decoded.alreadyConsumed = false
    case .bool(let isConsumed): decoded.alreadyConsumed = isConsumed
    default:
      throw AdminError(
        .internalError, "App Check's server says whether the token was consumed, but not as a boolean.")
    }
    return decoded
  }

  /// Whether App Check tokens have no signature: those of the embedded backend where there is no libcrypto, with
  /// which it would sign them.
  private var hasUnsignedAppCheckTokens: Bool {
    guard usesEmbeddedBackend else { return false }
    do throws(CryptographyUnavailable) { try CryptographyUnavailable.check() } catch { return true }
    return false
  }

  /// Checks that the user of a token belongs to the tenant of this object. The object of the project admits the
  /// users of all tenants; see ``DecodedIDToken/tenantID``.
  ///
  /// - Throws: ``AdminError`` with ``AdminError/Code/mismatchingTenantID``.
  private func checkTenant(of token: DecodedIDToken) throws(AdminError) {
    guard let tenantID, token.tenantID != tenantID else { return }
    throw AdminError(
      .mismatchingTenantID,
      "The user of the token belongs to \(token.tenantID == nil ? "no tenant" : "another tenant"). They must sign in "
        + "to this one.",
      claim: "firebase.tenant")
  }

  /// Verifies a token and returns its claims. The claims are checked only if the signature is valid, so that
  /// errors about them say nothing about forged tokens.
  ///
  /// - Parameter isUnsigned: whether tokens have no signature.
  private func verified(
    _ text: String, _ kind: TokenKind, _ keys: KeySet, isUnsigned: Bool
  ) async throws -> JSON {
    let token: CompactToken
    do throws(CompactToken.Problem) { token = try CompactToken(text) } catch { throw kind.error(error) }
    if isUnsigned {
      guard token.algorithm == "none", token.signature.isEmpty else {
        throw kind.error(
          "it is signed, and the emulator's tokens aren't. Use AppOptions.backend .production for tokens of Firebase",
          claim: "alg")
      }
    } else {
      try await checkSignature(of: token, kind, keys)
    }
    try kind.check(token.claims, project: projectID, now: time.date().timeIntervalSince1970)
    return token.claims
  }

  /// Checks that a token was signed with one of the issuer's keys.
  private func checkSignature(of token: CompactToken, _ kind: TokenKind, _ keys: KeySet) async throws {
    guard token.algorithm == "RS256" else {
      let reason =
        token.algorithm == "none"
        ? "it has no signature. Tokens of an emulator are accepted only with its AppOptions.backend"
        : "its algorithm isn't RS256"
      throw kind.error(reason, claim: "alg")
    }
    guard token.type == nil || token.type == "JWT" else {
      throw kind.error("its type isn't JWT", claim: "typ")
    }
    guard let id = token.keyID, !id.isEmpty else {
      throw kind.error("it names no key. Custom tokens are for signing in, and not for servers", claim: "kid")
    }
    guard let key = try await keys.key(id) else {
      throw kind.error("it was signed with a key that isn't one of Google's, or no longer", claim: "kid")
    }
    guard key.isValid(token.signature, of: Array(token.signed)) else {
      throw kind.error("its signature is wrong")
    }
  }
}
