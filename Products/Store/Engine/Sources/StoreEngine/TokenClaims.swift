import TenonDocuments
import TenonFoundation
import TenonJSON
import TenonValues

/// The claims of an ID token, which rules can use. The signature isn't verified; the server does that.
struct TokenClaims {
  /// The claims.
  let fields: Fields
  /// The time at which the token expires, in seconds since 1970; `nil` if it has none.
  let expiration: Int64?

  /// The maximum size of the claims as JSON, in bytes. Servers accept header fields of 16 KiB at most.
  private static let largestPayload = 64 << 10

  /// Reads the claims of a JWT.
  ///
  /// - Returns: `nil` if the text isn't a JWT.
  init?(_ token: String) {
    guard let payload = TokenParts(token)?.payload,
      let json = try? JSON(parsing: payload, limit: Self.largestPayload),
      case .object(let members) = json
    else { return nil }
    fields = Fields(members.mapValues { Value($0) })
    expiration =
      switch json["exp"] {
      case .int(let seconds): seconds
      default: nil
      }
  }

  /// Whether the token is valid at a time. Afterwards the server sees the claims of another one.
  func isCurrent(at time: Timestamp) -> Bool { expiration.map { $0 > time.seconds } ?? false }
}
