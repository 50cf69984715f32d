public import Foundation

/// An ID token with what it says (RFC 7519). Only servers can check that it is genuine.
///
/// Its description shows the times and the provider, not the token.
public struct IDTokenResult: Sendable, Hashable {
  /// The token as servers take it.
  public let token: String
  /// The user's id (`sub`).
  public let userID: String
  /// When the server issued the token, by the server's clock (`iat`).
  public let issued: Date
  /// When the token expires, by the server's clock (`exp`).
  public let expires: Date
  /// When the user signed in; a refresh keeps it (`auth_time`).
  public let signedIn: Date
  /// How the user signed in (`firebase.sign_in_provider`).
  public let signInProvider: ProviderID
  /// The second factor that the user proved, for example `phone`; `nil` when there was none
  /// (`firebase.sign_in_second_factor`).
  public let secondFactor: String?
  private let payload: Data

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
    var signedIn: Double
    var firebase: Firebase

    private enum CodingKeys: String, CodingKey {
      case sub, iat, exp, firebase
      case signedIn = "auth_time"
    }
  }

  init(_ token: String) throws {
    guard let payload = IDTokenClaims.payload(of: token),
      let claims = try? JSONDecoder().decode(Payload.self, from: payload)
    else {
      throw AuthError(
        .malformedToken,
        "The server's ID token is no JWT with the claims of Firebase. Check that the backend is the one you meant."
      )
    }
    self.token = token
    self.payload = payload
    userID = claims.sub
    issued = Date(timeIntervalSince1970: claims.iat)
    expires = Date(timeIntervalSince1970: claims.exp)
    signedIn = Date(timeIntervalSince1970: claims.signedIn)
    signInProvider = ProviderID(rawValue: claims.firebase.signInProvider)
    secondFactor = claims.firebase.secondFactor
  }

  /// The claims as a type of yours, those that an administrator or a custom token gave with the standard ones.
  ///
  /// ```swift
  /// struct Roles: Decodable { var role: String? }
  /// let role = try await auth.idTokenResult()?.claims(as: Roles.self).role
  /// ```
  ///
  /// - Throws: `DecodingError` when the claims don't have the type's form.
  public func claims<Claims: Decodable>(as type: Claims.Type) throws -> Claims {
    try JSONDecoder().decode(type, from: payload)
  }
}

extension IDTokenResult: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Whose token it is, with its times.
  public var description: String {
    "ID token of \(userID), who signed in with \(signInProvider) at \(signedIn); from \(issued) to \(expires)"
  }

  /// The same as the description.
  public var debugDescription: String { description }

  /// The members without the token.
  public var customMirror: Mirror {
    Mirror(self, children: ["userID": userID, "issued": issued, "expires": expires, "signedIn": signedIn])
  }
}
