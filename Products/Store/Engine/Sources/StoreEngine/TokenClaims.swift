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
    fields = Fields(members.mapValues(Value.init))
    expiration =
      switch json["exp"] {
      case .int(let seconds): seconds
      default: nil
      }
  }

  /// Whether the token is valid at a time. Afterwards the server sees the claims of another one.
  func isCurrent(at time: Timestamp) -> Bool { expiration.map { $0 > time.seconds } ?? false }
}

extension Value {
  /// Creates a value from JSON.
  fileprivate init(_ json: JSON) {
    self =
      switch json {
      case .null: .null
      case .bool(let value): .boolean(value)
      case .int(let number): .integer(number)
      case .unsigned(let number): .double(Double(number))
      case .double(let number): .double(number)
      case .string(let text): .string(text)
      case .array(let elements): .array(elements.map(Value.init))
      case .object(let members): .map(Fields(members.mapValues(Value.init)))
      }
  }
}
