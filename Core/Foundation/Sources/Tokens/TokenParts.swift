/// The parts of a token in the compact serialization of JWS (RFC 7515, section 3.1): three texts in
/// base64url, separated by dots. The signature isn't verified.
package struct TokenParts {
  /// The header, which should be JSON; `nil` if the part isn't base64url.
  package let header: Data?
  /// The payload, which should be JSON: the claims of a JWT (RFC 7519). `nil` if the part isn't base64url.
  package let payload: Data?
  /// Whether the token has a signature. Only emulators and the embedded backend issue tokens without one.
  package let hasSignature: Bool

  /// Splits a token.
  ///
  /// - Parameter token: the token.
  /// - Returns: `nil` unless there are three parts.
  package init?(_ token: some StringProtocol) {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    header = Base64URL.decode(parts[0])
    payload = Base64URL.decode(parts[1])
    hasSignature = !parts[2].isEmpty
  }

  /// Returns a token without a signature (RFC 7519, section 6).
  ///
  /// - Parameter payload: the claims, as JSON.
  package static func unsigned(_ payload: Data) -> String {
    let header = Base64URL.encode(Data(#"{"alg":"none","typ":"JWT"}"#.utf8))
    return "\(header).\(Base64URL.encode(payload))."
  }
}
