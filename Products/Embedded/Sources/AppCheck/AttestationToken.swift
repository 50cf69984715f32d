import Foundation
import TenonTransport

/// An App Check token that nobody signed (RFC 7519, section 6), with the claims of Firebase's.
struct AttestationToken: Sendable, Hashable {
  private static let issuer = "https://firebaseappcheck.googleapis.com/"

  let claims: [String: JSON]

  /// A new token for an app. No two are the same.
  ///
  /// - Parameter lifetime: in seconds.
  init(appID: String, projectID: String, lifetime: Int64, now: Timestamp) {
    // An app's id has the project's number as its second part.
    let parts = appID.split(separator: ":")
    let number = parts.count > 1 ? String(parts[1]) : "0"
    claims = [
      "iss": .string(Self.issuer + number),
      "aud": [.string("projects/\(number)"), .string("projects/\(projectID)")],
      "sub": .string(appID),
      "iat": .int(now.seconds),
      "exp": .int(now.seconds + lifetime),
      "jti": .string(RandomText.uuid()),
    ]
  }

  /// Reads a token, without asking whether it still holds.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
      let claims = try? JSON(parsing: payload).object
    else { return nil }
    self.claims = claims
  }

  /// The token as it travels: header, payload and an empty signature, with the dot before it.
  var text: String {
    get throws {
      let header = Base64URL.encode(Data(#"{"alg":"none","typ":"JWT"}"#.utf8))
      return try "\(header).\(Base64URL.encode(JSON.object(claims).serialized))."
    }
  }

  /// The app's id.
  var appID: String { claims["sub"]?.string ?? "" }

  /// Seconds since 1970.
  var expires: Int64 {
    guard case .int(let seconds)? = claims["exp"] else { return 0 }
    return seconds
  }

  /// How long Firebase's tokens hold at most, in seconds: a week.
  private static let longestLifetime: Int64 = 7 * 24 * 3_600

  /// Whether the token is one of this project's that has not expired and expires within a week.
  func holds(projectID: String, now: Timestamp) -> Bool {
    claims["iss"]?.string?.hasPrefix(Self.issuer) == true
      && claims["aud"]?.array?.contains(.string("projects/\(projectID)")) == true
      && expires > now.seconds && expires <= now.seconds + Self.longestLifetime && !appID.isEmpty
  }
}
