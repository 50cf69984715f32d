import Foundation

/// The claims of an ID token that clients use (RFC 7519). The signature is not verified; servers do that.
struct IDTokenClaims: Sendable, Hashable {
  /// Whether the token has a signature. Only emulators and the embedded backend issue tokens without one.
  let isSigned: Bool
  /// The provider of the sign-in (`firebase.sign_in_provider`), for example `password`; `nil` if the token has none.
  let signInProvider: String?
  /// The user's identifier (`sub`); `nil` if the token has none.
  let userID: String?

  private struct Header: Decodable {
    var alg: String
  }

  private struct Payload: Decodable {
    struct Firebase: Decodable {
      var signInProvider: String?

      private enum CodingKeys: String, CodingKey {
        case signInProvider = "sign_in_provider"
      }
    }

    var firebase: Firebase?
    var sub: String?
  }

  /// Parses an ID token in the compact serialization of JWS (RFC 7515, section 3.1).
  ///
  /// - Returns: `nil` if the text is not a JWT.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header: Header = Self.decode(parts[0]),
      let payload: Payload = Self.decode(parts[1])
    else { return nil }
    isSigned = header.alg.lowercased() != "none" && !parts[2].isEmpty
    signInProvider = payload.firebase?.signInProvider
    userID = payload.sub
  }

  /// Decodes a part of a JWT, which is JSON in base64url; `nil` if it has another form.
  private static func decode<Value: Decodable>(_ part: Substring) -> Value? {
    bytes(of: part).flatMap { try? JSONDecoder().decode(Value.self, from: $0) }
  }

  /// Returns the payload of a JWT as JSON text; `nil` if the text is not a JWT.
  static func payload(of text: String) -> Data? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 3 ? bytes(of: parts[1]) : nil
  }

  /// Decodes base64 in its URL-safe alphabet, without padding (RFC 4648, section 5).
  private static func bytes(of part: Substring) -> Data? {
    var text = String(part.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    text += String(repeating: "=", count: (4 - text.count % 4) % 4)
    return Data(base64Encoded: text)
  }
}
