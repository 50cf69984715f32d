import TenonFoundation
import TenonTransport
import TenonValues

/// An ID token in the form of the Auth emulator's: an unsigned JWT (RFC 7519, section 6).
///
/// The claims are those of Firebase's ID tokens
/// (https://firebase.google.com/docs/auth/admin/verify-id-tokens).
struct IDToken: Sendable, Hashable {
  /// The time for which a token is valid, in seconds.
  static let lifetime: Int64 = 3_600

  /// The claims of the token's payload.
  let claims: [String: JSON]

  /// Creates a token with the given claims.
  init(claims: [String: JSON]) { self.claims = claims }

  /// Parses a token. Neither the signature nor the claims are checked.
  ///
  /// - Returns: `nil` if the text isn't a JWT with a JSON object as its payload.
  init?(_ text: some StringProtocol) {
    guard let payload = TokenParts(text)?.payload, let claims = try? JSON(parsing: payload).object else {
      return nil
    }
    self.claims = claims
  }

  /// Creates the token of a user.
  ///
  /// The claims that the issuer sets take precedence over those of a custom token, and these over those that
  /// an administrator set.
  ///
  /// - Parameters:
  ///   - account: the user's account.
  ///   - provider: the sign-in method, for example `password` or `anonymous`.
  ///   - extraClaims: the claims of a custom token, or those of ``AccountService/sessionClaims(_:_:)``.
  ///   - secondFactor: the second factor of the sign-in; `nil` if there was none.
  ///   - tenantID: the tenant of the user; `nil` for users of the project itself.
  ///   - projectID: the ID of the project.
  ///   - now: the time at which the token is issued.
  /// - Throws: `JSONError` if the account's custom claims are damaged.
  init(
    account: Account,
    provider: String,
    extraClaims: [String: JSON] = [:],
    secondFactor: ProvenFactor? = nil,
    tenantID: String? = nil,
    projectID: String,
    now: Timestamp
  ) throws {
    var claims: [String: JSON] = [:]
    claims["name"] = account.displayName.map(JSON.string)
    claims["picture"] = account.photoUrl.map(JSON.string)
    if let text = account.customAttributes, let custom = try JSON(parsing: Data(text.utf8)).object {
      claims.merge(custom) { $1 }
    }
    claims.merge(extraClaims) { $1 }
    claims["email"] = account.email.map(JSON.string)
    // A blocking function can set it for a user without an address.
    claims["email_verified"] =
      account.email == nil && !account.emailVerified ? nil : .bool(account.emailVerified)
    claims["phone_number"] = account.phoneNumber.map(JSON.string)
    claims["provider_id"] = provider == "anonymous" ? "anonymous" : nil
    claims["auth_time"] = .int((account.lastLoginAt ?? account.createdAt) / 1_000)
    claims["user_id"] = .string(account.localId)
    claims["sub"] = .string(account.localId)
    claims["iat"] = .int(now.seconds)
    claims["exp"] = .int(now.seconds + Self.lifetime)
    claims["aud"] = .string(projectID)
    claims["iss"] = .string(Self.issuer + projectID)
    var identities: [String: JSON] = [:]
    identities["email"] = account.email.map { [.string($0)] }
    for provider in account.federated { identities[provider.providerId] = [.string(provider.rawId)] }
    claims["firebase"] = .members([
      "identities": .object(identities), "sign_in_provider": .string(provider),
      "sign_in_second_factor": (secondFactor?.kind).map(JSON.string),
      "second_factor_identifier": (secondFactor?.id).map(JSON.string),
      "sign_in_attributes": extraClaims["firebase"]?["sign_in_attributes"],
      "tenant": tenantID.map(JSON.string),
    ])
    self.claims = claims
  }

  /// The token in its compact form: header, payload and an empty signature, separated by dots.
  var text: String {
    get throws { TokenParts.unsigned(try JSON.object(claims).serialized) }
  }

  /// The prefix of the issuer of ID tokens, which the project's ID follows.
  private static let issuer = "https://securetoken.google.com/"
  /// The greatest length of a user's ID, in characters, as for Firebase.
  private static let longestUserID = 128
  /// How much later than this machine's clock a token may have been issued, in seconds. Clocks differ.
  private static let clockTolerance: Int64 = 60

  /// Why a token isn't a valid ID token.
  enum Problem: Sendable, Hashable {
    /// The token isn't an ID token of the project, for example a session cookie.
    case invalid
    /// The token's time is over.
    case expired
  }

  /// Returns why the token isn't a valid ID token of a project, by the checks of Firebase's servers
  /// (https://firebase.google.com/docs/auth/admin/verify-id-tokens)
  /// except that of the signature, which tokens of an emulator don't have.
  ///
  /// - Parameters:
  ///   - projectID: the ID of the project.
  ///   - now: the current time.
  /// - Returns: `nil` if the token is valid.
  func problem(projectID: String, now: Timestamp) -> Problem? {
    guard claims["iss"]?.string == Self.issuer + projectID, claims["aud"]?.string == projectID,
      let id = userID, !id.isEmpty, id.unicodeScalars.count <= Self.longestUserID
    else { return .invalid }
    for name in ["iat", "auth_time"] {
      switch claims[name] {
      case nil: break
      case .int(let seconds)? where seconds <= now.seconds + Self.clockTolerance: break
      default: return .invalid
      }
    }
    return expires > now.seconds ? nil : .expired
  }

  /// The user's ID, the claim `sub`.
  var userID: String? { claims["sub"]?.string }
  /// The sign-in method, for example `password`.
  var provider: String? { claims["firebase"]?["sign_in_provider"]?.string }

  /// The tenant of the user; `nil` for users of the project itself.
  var tenantID: String? { claims["firebase"]?["tenant"]?.string }

  /// The second factor of the sign-in; `nil` if there was none.
  var secondFactor: ProvenFactor? { ProvenFactor(claims: claims) }

  /// The time at which the token was issued, in seconds since 1970; 0 if the claim is missing.
  var issuedAt: Int64 {
    guard case .int(let seconds)? = claims["iat"] else { return 0 }
    return seconds
  }

  /// The time at which the token expires, in seconds since 1970; 0 if the claim is missing.
  var expires: Int64 {
    guard case .int(let seconds)? = claims["exp"] else { return 0 }
    return seconds
  }
}
