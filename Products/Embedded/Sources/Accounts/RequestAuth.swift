import TenonTransport

/// The user on whose behalf a request is made: `request.auth` of callable functions and of security rules.
public struct RequestAuth: Sendable, Hashable {
  /// The user's ID.
  public let uid: String
  /// The claims of the user's ID token.
  let claims: [String: JSON]

  /// Creates a value for a user.
  init(uid: String, claims: [String: JSON]) {
    self.uid = uid
    self.claims = claims
  }

  /// The user's email address; `nil` if there is none.
  public var email: String? { claims["email"]?.string }
  /// The sign-in method, for example `password` or `anonymous`.
  public var signInProvider: String? { claims["firebase"]?["sign_in_provider"]?.string }
  /// The tenant of the user (`firebase.tenant`); `nil` for users of the project itself.
  public var tenantID: String? { claims["firebase"]?["tenant"]?.string }

  /// Returns a claim of the user's ID token, which security rules read as `request.auth.token`.
  ///
  /// - Parameters:
  ///   - name: the name of the claim, for example `email_verified` or a custom one.
  ///   - type: the type as which to decode it.
  /// - Returns: `nil` if the token has no such claim.
  /// - Throws: `DecodingError` if the claim has another type.
  public func claim<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value? {
    try claims[name]?.decode(type)
  }
}
