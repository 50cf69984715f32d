import TenonFoundation
import TenonJSON

/// The claims of an ID token that clients use (RFC 7519). The signature isn't verified; servers do that.
struct IDTokenClaims: Sendable, Hashable {
  /// Whether the token has a signature. Only emulators and the embedded backend issue tokens without one.
  let isSigned: Bool
  /// The provider of the sign-in (`firebase.sign_in_provider`), for example `password`; `nil` if the token
  /// has none.
  let signInProvider: String?
  /// The user's identifier (`sub`); `nil` if the token has none.
  let userID: String?
  /// The tenant of the user (`firebase.tenant`); `nil` for users of the project itself.
  let tenantID: String?

  private struct Header: Decodable {
    var alg: String
  }

  private struct Payload: Decodable {
    struct Firebase: Decodable {
      var signInProvider: String?
      var tenant: String?

      private enum CodingKeys: String, CodingKey {
        case signInProvider = "sign_in_provider"
        case tenant
      }
    }

    var firebase: Firebase?
    var sub: String?
  }

  /// Parses an ID token in the compact serialization of JWS (RFC 7515, section 3.1).
  ///
  /// - Returns: `nil` if the text isn't a JWT.
  init?(_ text: String) {
    guard let parts = TokenParts(text), let header: Header = Self.decode(parts.header),
      let payload: Payload = Self.decode(parts.payload)
    else { return nil }
    isSigned = header.alg.lowercased() != "none" && parts.hasSignature
    signInProvider = payload.firebase?.signInProvider
    userID = payload.sub
    tenantID = payload.firebase?.tenant
  }

  /// The maximum size of a part of a JWT as JSON, in bytes. Servers accept header fields of 16 KiB at most.
  private static let largestPart = 64 << 10

  /// Decodes a part of a JWT; `nil` if it has another form.
  private static func decode<Value: Decodable>(_ part: Data?) -> Value? {
    json(of: part).flatMap { try? $0.decode(Value.self) }
  }

  /// Returns the payload of a JWT; `nil` if the text isn't a JWT.
  static func payload(of text: String) -> JSON? { json(of: TokenParts(text)?.payload) }

  /// Parses a part of a JWT; `nil` if it isn't JSON.
  private static func json(of part: Data?) -> JSON? {
    part.flatMap { try? JSON(parsing: $0, limit: largestPart) }
  }
}
