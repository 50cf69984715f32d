import TenonTransport
import TenonValues

/// A call of a function.
public struct CallableRequest<Input: Sendable>: Sendable {
  /// The data that the caller sent, decoded.
  public let data: Input
  /// The user on whose behalf the function is called; `nil` if no user is signed in.
  public let auth: CallableAuth?
  /// The app that calls the function, according to its App Check token; `nil` without a valid token.
  public let app: CallableApp?
  /// Whether the caller reads the messages of a ``CallableResponse``, or only the result.
  public let acceptsStreaming: Bool
}

/// The app that calls a function.
public struct CallableApp: Sendable, Hashable {
  /// The app's ID, for example `1:1234567890:web:0a1b2c3d`.
  public let appID: String
  /// Whether an earlier call consumed the same token; always `false` for functions that don't consume tokens.
  public let alreadyConsumed: Bool
}

/// The caller of a function.
struct CallableCaller: Sendable {
  /// The user; `nil` if no user is signed in.
  let auth: CallableAuth?
  /// The app; `nil` without a valid App Check token.
  let app: CallableApp?
  /// Whether the caller reads messages.
  let acceptsStreaming: Bool
}

/// The user on whose behalf a function is called.
public struct CallableAuth: Sendable, Hashable {
  /// The user's ID.
  public let uid: String
  /// The claims of the user's ID token.
  let claims: [String: JSON]

  /// Creates a value for a user.
  init(uid: String, claims: [String: JSON]) {
    self.uid = uid
    self.claims = claims
  }

  /// Creates a value for the user of an ID token.
  ///
  /// - Returns: `nil` if the token isn't valid for the project or has expired.
  init?(idToken: some StringProtocol, projectID: String, now: Timestamp) {
    guard let token = IDToken(idToken), token.claims["aud"]?.string == projectID,
      token.expires > now.seconds, let uid = token.userID
    else { return nil }
    self.init(uid: uid, claims: token.claims)
  }

  /// The user's email address; `nil` if there is none.
  public var email: String? { claims["email"]?.string }
  /// The sign-in method, for example `password` or `anonymous`.
  public var signInProvider: String? { claims["firebase"]?["sign_in_provider"]?.string }

  /// Returns a claim of the user's ID token.
  ///
  /// - Parameters:
  ///   - name: The name of the claim, for example `email_verified` or a custom one.
  ///   - type: The type as which to decode it.
  /// - Returns: `nil` if the token has no such claim.
  /// - Throws: `DecodingError` if the claim has another type.
  public func claim<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value? {
    try claims[name]?.decode(type)
  }
}
