public import TenonFoundation
import TenonTransport

/// An ID token and its claims (RFC 7519). The claims are read without verifying the signature, which only
/// servers can do.
///
/// The description shows the times and the provider, and not the token.
public struct AuthTokenResult: Sendable, Hashable {
  /// The token, in the form in which servers accept it.
  public let token: String
  /// The user's identifier (`sub`).
  public let userID: String
  /// The time at which the server issued the token, by the server's clock (`iat`).
  public let issuedAtDate: Date
  /// The time at which the token expires, by the server's clock (`exp`).
  public let expirationDate: Date
  /// The time at which the user signed in, by the server's clock; a refresh keeps it (`auth_time`).
  public let authDate: Date
  /// The provider of the sign-in (`firebase.sign_in_provider`): a provider's identifier, `anonymous` or
  /// `custom`.
  public let signInProvider: String
  /// The second factor of the sign-in, for example `phone`; empty if there was none
  /// (`firebase.sign_in_second_factor`).
  public let signInSecondFactor: String
  /// The token's payload, an object of the claims.
  private let payload: JSON

  /// The claims that every ID token of Firebase has.
  private struct Payload: Decodable {
    struct Firebase: Decodable {
      var signInProvider: String
      var secondFactor: String?

      private enum CodingKeys: String, CodingKey {
        case signInProvider = "sign_in_provider"
        case secondFactor = "sign_in_second_factor"
      }
    }

    var sub: String
    var iat: Double
    var exp: Double
    var authTime: Double
    var firebase: Firebase

    private enum CodingKeys: String, CodingKey {
      case sub, iat, exp, firebase
      case authTime = "auth_time"
    }
  }

  /// Parses an ID token.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/malformedJWT`` if the text isn't a JWT, or lacks a claim
  ///   of Firebase's ID tokens. The error doesn't quote the token.
  init(_ token: String) throws(AuthError) {
    guard let payload = IDTokenClaims.payload(of: token),
      let claims = try? payload.decode(Payload.self)
    else {
      throw AuthError(
        .malformedJWT,
        "The server's ID token isn't a JWT with Firebase's claims. Check that the app uses the intended backend."
      )
    }
    self.token = token
    self.payload = payload
    userID = claims.sub
    issuedAtDate = Date(timeIntervalSince1970: claims.iat)
    expirationDate = Date(timeIntervalSince1970: claims.exp)
    authDate = Date(timeIntervalSince1970: claims.authTime)
    signInProvider = claims.firebase.signInProvider
    signInSecondFactor = claims.firebase.secondFactor ?? ""
  }

  /// All claims of the token: the standard ones, and those of an administrator or a custom token, for example
  /// `claims["role"] as? String`.
  ///
  /// Values are `String`, `Bool`, `Int` (whole numbers), `Double`, `[any Sendable]`, `[String: any Sendable]`
  /// and `NSNull`, as in the results of functions and in documents. Each access creates the dictionary, in
  /// time linear in its size.
  public var claims: [String: any Sendable] { payload.object?.mapValues(\.plainValue) ?? [:] }

  /// Returns the claims as a value of a `Decodable` type.
  ///
  /// ```swift
  /// struct Roles: Decodable { var role: String? }
  /// let role = try await user.getIDTokenResult().claims(as: Roles.self).role
  /// ```
  ///
  /// - Parameter type: the type of the value, whose keys are the names of claims.
  /// - Throws: `DecodingError` if the claims don't match the type.
  public func claims<Claims: Decodable>(as type: Claims.Type) throws -> Claims {
    try payload.decode(type)
  }
}

extension AuthTokenResult: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The user, the provider and the times, without the token.
  public var description: String {
    "ID token of \(userID), who signed in with \(signInProvider) at \(authDate); valid from \(issuedAtDate) to "
      + "\(expirationDate)"
  }

  /// The same text as ``description``.
  public var debugDescription: String { description }

  /// The properties without the token and its claims.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "userID": userID, "issuedAtDate": issuedAtDate, "expirationDate": expirationDate,
        "authDate": authDate,
      ])
  }
}
