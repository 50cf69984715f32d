import Foundation
import TenonFoundation
import TenonTransport

@testable import TenonEmbedded

/// Credentials of a client. ID tokens are those that it can write without the backend: unsigned ones of the
/// project `demo`.
struct Credentials {
  /// The time at which the tokens are issued.
  let now: Timestamp
  /// A tenant of the project.
  var tenantID = ""
  /// An App Check token that the backend has signed.
  var appCheckToken = ""

  /// Returns an ID token of the user `ann`.
  ///
  /// - Parameter changes: claims that replace those of a valid token; null removes one.
  func idToken(_ changes: [String: JSON] = [:]) throws -> String {
    var claims: [String: JSON] = [
      "iss": "https://securetoken.google.com/demo", "aud": "demo", "sub": "ann", "user_id": "ann",
      "iat": .int(now.seconds), "auth_time": .int(now.seconds), "exp": .int(now.seconds + 3_600),
      "firebase": ["sign_in_provider": "password"],
    ]
    for (name, value) in changes { claims[name] = value == .null ? nil : value }
    return try IDToken(claims: claims).text
  }
}
