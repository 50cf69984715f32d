import TenonFoundation
import TenonTransport
import TenonValues

/// The claims of an App Check token, which are those of Firebase's tokens
/// (https://firebase.google.com/docs/app-check/custom-resource-backend). ``AppCheckKey`` signs them.
struct AttestationToken: Sendable, Hashable {
  /// The prefix of the issuer, which the project number follows.
  private static let issuer = "https://firebaseappcheck.googleapis.com/"

  /// The claims of the token's payload.
  let claims: [String: JSON]

  /// Creates a token for an app. Each token has its own ID.
  ///
  /// - Parameters:
  ///   - appID: the app's ID, for example `1:1234567890:web:0a1b2c3d`.
  ///   - projectID: the ID of the project.
  ///   - lifetime: the time for which the token is valid, in seconds.
  ///   - now: the time at which the token is issued.
  init(appID: String, projectID: String, lifetime: Int64, now: Timestamp) {
    let number = Self.projectNumber(ofApp: appID) ?? "0"
    claims = [
      "iss": .string(Self.issuer + number),
      "aud": [.string("projects/\(number)"), .string("projects/\(projectID)")],
      "sub": .string(appID),
      "iat": .int(now.seconds),
      "exp": .int(now.seconds + lifetime),
      "jti": .string(RandomText.uuid()),
    ]
  }

  /// Parses a token. Neither the signature nor the claims are checked.
  ///
  /// - Returns: `nil` if the text isn't a JWT with a JSON object as its payload.
  init?(_ text: some StringProtocol) {
    guard let payload = TokenParts(text)?.payload, let claims = try? JSON(parsing: payload).object else {
      return nil
    }
    self.claims = claims
  }

  /// Returns the number of the project, which is the second part of an app's ID; `nil` if it has none.
  static func projectNumber(ofApp appID: String) -> String? {
    let parts = appID.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count > 2, (1...20).contains(parts[1].utf8.count),
      parts[1].utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return nil }
    return String(parts[1])
  }

  /// The token without a signature (RFC 7519, section 6), for platforms on which it can't be signed.
  var unsigned: String {
    get throws { TokenParts.unsigned(try JSON.object(claims).serialized) }
  }

  /// The ID of the token, the claim `jti`; empty if it is missing.
  var id: String { claims["jti"]?.string ?? "" }

  /// The greatest length of a token's ID in bytes. Those of the backend are UUIDs.
  private static let longestID = 128

  /// The app's ID, the claim `sub`; empty if it is missing.
  var appID: String { claims["sub"]?.string ?? "" }

  /// The time at which the token expires, in seconds since 1970; 0 if the claim is missing.
  var expires: Int64 {
    guard case .int(let seconds)? = claims["exp"] else { return 0 }
    return seconds
  }

  /// The greatest lifetime of Firebase's tokens, in seconds: a week.
  private static let longestLifetime: Int64 = 7 * 24 * 3_600

  /// Returns whether the token was issued for this project, has an ID, hasn't expired, and expires within a
  /// week. The signature isn't checked.
  ///
  /// - Parameters:
  ///   - projectID: the ID of the project.
  ///   - now: the current time.
  func isValid(projectID: String, now: Timestamp) -> Bool {
    claims["iss"]?.string?.hasPrefix(Self.issuer) == true
      && claims["aud"]?.array?.contains(.string("projects/\(projectID)")) == true
      && expires > now.seconds && expires <= now.seconds + Self.longestLifetime && !appID.isEmpty
      && (1...Self.longestID).contains(id.utf8.count)
  }
}
