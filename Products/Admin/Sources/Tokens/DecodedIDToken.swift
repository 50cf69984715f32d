public import TenonFoundation
import TenonJSON

/// The claims of a verified ID token or session cookie.
///
/// It has no token, so that it can be stored and logged; its description is the user's ID.
public struct DecodedIDToken: Sendable, Hashable, CustomStringConvertible {
  /// The user's identifier (`sub`).
  public let uid: String
  /// The time at which the token was issued (`iat`).
  public let issuedAtDate: Date
  /// The time at which the token expires (`exp`).
  public let expirationDate: Date
  /// The time at which the user signed in; a refresh keeps it (`auth_time`).
  public let authDate: Date
  /// All claims.
  private let payload: JSON

  /// Creates the claims of a token that ``TokenKind/check(_:project:now:)`` has accepted.
  init(_ payload: JSON) {
    self.payload = payload
    uid = payload["sub"]?.string ?? ""
    issuedAtDate = Self.date(payload["iat"])
    expirationDate = Self.date(payload["exp"])
    authDate = Self.date(payload["auth_time"])
  }

  private static func date(_ value: JSON?) -> Date {
    Date(timeIntervalSince1970: TokenKind.time(value) ?? 0)
  }

  /// The provider of the sign-in (`firebase.sign_in_provider`): a provider's identifier, `password`,
  /// `anonymous` or `custom`; empty if the token has none.
  public var signInProvider: String { payload["firebase"]?["sign_in_provider"]?.string ?? "" }
  /// The second factor of the sign-in, for example `phone`; `nil` if there was none.
  public var signInSecondFactor: String? { payload["firebase"]?["sign_in_second_factor"]?.string }
  /// The tenant of the user; `nil` for users of the project itself.
  public var tenantID: String? { payload["firebase"]?["tenant"]?.string }
  /// The user's email address; `nil` if there is none.
  public var email: String? { payload["email"]?.string }
  /// Whether the user has proved to have the address.
  public var isEmailVerified: Bool { payload["email_verified"]?.bool ?? false }
  /// The user's phone number; `nil` if there is none.
  public var phoneNumber: String? { payload["phone_number"]?.string }
  /// The user's name; `nil` if there is none.
  public var displayName: String? { payload["name"]?.string }

  /// All claims, among them those of an administrator or a custom token, for example
  /// `claims["role"] as? String`. Values are plain Swift values; whole numbers are `Int`. Each access creates
  /// the dictionary, in time linear in its size.
  public var claims: [String: any Sendable] { payload.object?.mapValues(\.plainValue) ?? [:] }

  /// Returns the claims as a value of a `Decodable` type.
  ///
  /// - Parameter type: the type of the value, whose keys are the names of claims.
  /// - Throws: `DecodingError` if the claims don't match the type.
  public func claims<Claims: Decodable>(as type: Claims.Type) throws -> Claims {
    try payload.decode(type)
  }

  /// The user's ID.
  public var description: String { "ID token of \(uid)" }
}

/// The claims of a verified App Check token.
public struct DecodedAppCheckToken: Sendable, Hashable, CustomStringConvertible {
  /// The ID of the app that sent the token (`sub`).
  public let appID: String
  /// The time at which the token was issued (`iat`).
  public let issuedAtDate: Date
  /// The time at which the token expires (`exp`).
  public let expirationDate: Date
  /// Whether the token had been consumed before; `nil` unless it was to be consumed
  /// (``Admin/verifyAppCheckToken(_:consume:)``).
  public internal(set) var alreadyConsumed: Bool?

  init(_ payload: JSON) {
    appID = payload["sub"]?.string ?? ""
    issuedAtDate = Date(timeIntervalSince1970: TokenKind.time(payload["iat"]) ?? 0)
    expirationDate = Date(timeIntervalSince1970: TokenKind.time(payload["exp"]) ?? 0)
  }

  /// The app's ID.
  public var description: String { "App Check token of \(appID)" }
}
