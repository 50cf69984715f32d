import Foundation
import TenonTransport

/// One call of a function.
public struct CallableRequest<Input: Sendable>: Sendable {
  /// What the caller sent, decoded.
  public let data: Input
  /// Who calls; `nil` when nobody is signed in.
  public let auth: CallableAuth?
  /// Which app calls, as its App Check token says; `nil` without a valid one.
  public let app: CallableApp?
}

/// The app from which a function is called.
public struct CallableApp: Sendable, Hashable {
  /// The app's id, for example `1:1234567890:web:0a1b2c3d`.
  public let appID: String
  /// Whether the token was used up by an earlier call; always `false` for functions that use up none.
  public let alreadyConsumed: Bool
}

/// Who calls a function.
struct CallableCaller: Sendable {
  let auth: CallableAuth?
  let app: CallableApp?
}

/// The signed-in user on whose behalf a function is called.
public struct CallableAuth: Sendable, Hashable {
  /// The user's id.
  public let uid: String
  let claims: [String: JSON]

  /// The user whom an ID token names.
  init(uid: String, claims: [String: JSON]) {
    self.uid = uid
    self.claims = claims
  }

  /// `nil` when the token doesn't hold for the project, or has expired.
  init?(idToken: some StringProtocol, projectID: String, now: Timestamp) {
    guard let token = IDToken(idToken), token.claims["aud"]?.string == projectID,
      token.expires > now.seconds, let uid = token.userID
    else { return nil }
    self.init(uid: uid, claims: token.claims)
  }

  /// The user's e-mail address, if there is one.
  public var email: String? { claims["email"]?.string }
  /// How the user signed in, for example `password` or `anonymous`.
  public var signInProvider: String? { claims["firebase"]?["sign_in_provider"]?.string }

  /// A claim of the user's ID token.
  ///
  /// - Parameters:
  ///   - name: the claim's name, for example `email_verified` or one of your own.
  ///   - type: what to decode it as.
  /// - Returns: `nil` when the token has no such claim.
  /// - Throws: `DecodingError` when the claim is of another type.
  public func claim<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value? {
    try claims[name].map { try JSONDecoder().decode(type, from: $0.serialized) }
  }
}
