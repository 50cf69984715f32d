import TenonFoundation
import TenonJSON

/// What a kind of token must be: who issues it, who signs it, and what its claims say.
struct TokenKind: Sendable {
  /// The name in error messages.
  let name: String
  /// The issuer without the project (`iss`).
  let issuer: String
  /// Where Google publishes the keys, as a JWK set (RFC 7517, section 5).
  let keys: String
  /// The code of a token that isn't of this kind.
  let invalid: AdminError.Code
  /// The code of a token whose time is over.
  let expired: AdminError.Code
  /// Whether the token is of a user, whose ID is the subject.
  var isOfUser = true

  /// ID tokens (https://firebase.google.com/docs/auth/admin/verify-id-tokens).
  static let idToken = TokenKind(
    name: "ID token", issuer: "https://securetoken.google.com/",
    keys: "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
    invalid: .invalidIDToken, expired: .idTokenExpired)

  /// Session cookies (https://firebase.google.com/docs/auth/admin/manage-cookies).
  static let sessionCookie = TokenKind(
    name: "session cookie", issuer: "https://session.firebase.google.com/",
    keys: "https://identitytoolkit.googleapis.com/v1/sessionCookiePublicKeys",
    invalid: .invalidSessionCookie, expired: .sessionCookieExpired)

  /// App Check tokens (https://firebase.google.com/docs/app-check/custom-resource-backend).
  static let appCheck = TokenKind(
    name: "App Check token", issuer: "https://firebaseappcheck.googleapis.com/",
    keys: "https://firebaseappcheck.googleapis.com/v1/jwks",
    invalid: .invalidAppCheckToken, expired: .appCheckTokenExpired, isOfUser: false)

  /// How much later than this machine's clock a token may have been issued, in seconds. Clocks differ.
  static let clockTolerance: Double = 60
  /// The greatest length of a user's ID, in characters.
  private static let longestID = 128

  /// Creates the error of a token that isn't of this kind.
  func error(_ problem: String, claim: String? = nil) -> AdminError {
    AdminError(invalid, "The \(name) isn't valid: \(problem).", claim: claim)
  }

  /// Creates the error of a text that isn't a token.
  func error(_ problem: CompactToken.Problem) -> AdminError {
    switch problem {
    case .tooLong: error("it has more than \(CompactToken.longest) bytes")
    case .notThreeParts: error("it doesn't consist of three parts. Pass the whole token, without \"Bearer\"")
    case .notBase64URL: error("a part of it isn't base64url")
    case .notJSON: error("its header or its payload isn't a JSON object")
    case .critical: error("its header has critical parameters, which aren't supported", claim: "crit")
    case .noAlgorithm: error("its header names no algorithm", claim: "alg")
    }
  }

  /// Checks the claims of a token whose signature is valid.
  ///
  /// - Parameters:
  ///   - claims: the claims.
  ///   - project: the project's ID.
  ///   - now: the current time, in seconds since 1970.
  /// - Throws: ``AdminError`` with the claim that isn't as it should be.
  func check(_ claims: JSON, project: String, now: Double) throws(AdminError) {
    try checkAudience(claims, project: project)
    guard let subject = claims["sub"]?.string, !subject.isEmpty else {
      throw error("it has no subject", claim: "sub")
    }
    guard !isOfUser || subject.unicodeScalars.count <= Self.longestID else {
      throw error("its subject is longer than \(Self.longestID) characters", claim: "sub")
    }
    guard let expires = Self.time(claims["exp"]) else {
      throw error("it has no time of expiry", claim: "exp")
    }
    guard let issued = Self.time(claims["iat"]) else { throw error("it has no time of issue", claim: "iat") }
    guard issued <= now + Self.clockTolerance else {
      throw error("it was issued in the future. Compare this machine's clock", claim: "iat")
    }
    if isOfUser {
      guard let signIn = Self.time(claims["auth_time"]) else {
        throw error("it has no time of sign-in", claim: "auth_time")
      }
      guard signIn <= now + Self.clockTolerance else {
        throw error("its user signed in in the future. Compare this machine's clock", claim: "auth_time")
      }
    }
    if let begin = claims["nbf"] {
      guard let begin = Self.time(begin), begin <= now + Self.clockTolerance else {
        throw error("its time hasn't begun", claim: "nbf")
      }
    }
    guard expires > now else {
      throw AdminError(
        expired, "The \(name) has expired. The client must get another one and send that.", claim: "exp")
    }
  }

  /// Checks for whom the token is, and by whom it was issued.
  private func checkAudience(_ claims: JSON, project: String) throws(AdminError) {
    if isOfUser {
      guard claims["aud"]?.string == project else {
        throw error(
          "it is for \(Self.quoted(claims["aud"])) and not for the project \(project)", claim: "aud")
      }
      guard claims["iss"]?.string == issuer + project else {
        throw error("its issuer isn't \(issuer)\(project). Pass a token of this kind", claim: "iss")
      }
    } else {
      guard claims["aud"]?.array?.contains(.string("projects/\(project)")) == true else {
        throw error("it isn't for the project \(project)", claim: "aud")
      }
      guard claims["iss"]?.string?.hasPrefix(issuer) == true else {
        throw error("its issuer isn't App Check", claim: "iss")
      }
    }
  }

  /// A short audience of another project; the user of a token isn't in it.
  private static func quoted(_ audience: JSON?) -> String {
    guard let text = audience?.string else { return "no single audience" }
    return "\"\(text.prefix(64))\""
  }

  /// Returns a time in seconds since 1970 (`NumericDate` of RFC 7519); `nil` if it isn't a number.
  static func time(_ value: JSON?) -> Double? {
    switch value {
    case .int(let seconds)?: Double(seconds)
    case .unsigned(let seconds)?: Double(seconds)
    case .double(let seconds)? where seconds.isFinite: seconds
    default: nil
    }
  }
}
