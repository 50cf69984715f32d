public import TenonFoundation
import TenonJSON

/// A user of the project, as the server has it.
///
/// The record is a value: it doesn't change when the user does. Its description is the user's ID, and neither
/// it nor a dump shows the hash of a password.
public struct UserRecord: Sendable, Hashable, Identifiable, CustomStringConvertible {
  /// The user's ID.
  public let uid: String
  /// The user's email address; `nil` if there is none.
  public let email: String?
  /// Whether the user has proved to have the address.
  public let isEmailVerified: Bool
  /// The user's name; `nil` if there is none.
  public let displayName: String?
  /// The URL of the user's picture; `nil` if there is none.
  public let photoURL: URL?
  /// The user's phone number; `nil` if there is none.
  public let phoneNumber: String?
  /// Whether the user is prevented from signing in.
  public let isDisabled: Bool
  /// When the user was created, and last signed in.
  public let metadata: Metadata
  /// The user's identities at providers, among them `password` and `phone`.
  public let providerData: [UserProvider]
  /// The user's second factors.
  public let multiFactor: MultiFactor
  /// Tokens of sign-ins before this time are revoked; `nil` if none were.
  public let tokensValidAfterDate: Date?
  /// The tenant of the user; `nil` for users of the project itself.
  public let tenantID: String?
  private let hash: Secret?
  private let salt: Secret?
  private let storedClaims: JSON

  /// When a user was created, and last used the account.
  public struct Metadata: Sendable, Hashable {
    /// When the user was created; `nil` if the server doesn't say so.
    public let creationDate: Date?
    /// When the user last signed in; `nil` if never.
    public let lastSignInDate: Date?
    /// When an ID token of the user was last issued; `nil` if never.
    public let lastRefreshDate: Date?
  }

  /// The user's ID.
  public var id: String { uid }

  /// The hash of the user's password as base64; `nil` if there is no password, and if the credential may not
  /// read hashes. Only ``Admin/listUsers(maxResults:pageToken:)`` returns it in production.
  public var passwordHash: String? { hash?.value }
  /// The salt of the user's password as base64; `nil` as ``passwordHash`` is.
  public var passwordSalt: String? { salt?.value }

  /// The claims of ``Admin/setCustomUserClaims(_:forUID:)``; empty if there are none. Values are plain Swift
  /// values; whole numbers are `Int`. Each access creates the dictionary, in time linear in its size.
  public var customClaims: [String: any Sendable] {
    storedClaims.object?.mapValues(\.plainValue) ?? [:]
  }

  /// Returns the claims as a value of a `Decodable` type.
  ///
  /// - Parameter type: the type of the value, whose keys are the names of claims.
  /// - Throws: `DecodingError` if the claims don't match the type.
  public func customClaims<Claims: Decodable>(as type: Claims.Type) throws -> Claims {
    try storedClaims.decode(type)
  }

  /// The user's ID.
  public var description: String { "user \(uid)" }

  /// What the server sends instead of a hash that the credential may not read: `REDACTED` in base64.
  private static let redacted = "UkVEQUNURUQ="

  /// Reads a `UserInfo` (https://cloud.google.com/identity-platform/docs/reference/rest/v1/UserInfo).
  ///
  /// - Throws: ``AdminError`` with ``AdminError/Code/internalError`` if it has no ID, or claims that aren't an
  ///   object.
  init(_ wire: JSON) throws(AdminError) {
    guard let uid = wire["localId"]?.string, !uid.isEmpty else {
      throw AdminError(.internalError, "The server for accounts sent a user without an ID. Try again later.")
    }
    self.uid = uid
    email = wire["email"]?.string
    isEmailVerified = wire["emailVerified"]?.bool ?? false
    displayName = wire["displayName"]?.string
    photoURL = wire["photoUrl"]?.string.flatMap(URL.init(string:))
    phoneNumber = wire["phoneNumber"]?.string
    isDisabled = wire["disabled"]?.bool ?? false
    metadata = Metadata(
      creationDate: Self.date(wire["createdAt"], perSecond: 1_000),
      lastSignInDate: Self.date(wire["lastLoginAt"], perSecond: 1_000),
      lastRefreshDate: wire["lastRefreshAt"]?.string.flatMap { Date(iso8601: $0) })
    providerData = (wire["providerUserInfo"]?.array ?? []).compactMap { UserProvider($0) }
    multiFactor = MultiFactor(
      enrolledFactors: (wire["mfaInfo"]?.array ?? []).compactMap { UserMultiFactorInfo($0) })
    tokensValidAfterDate = Self.date(wire["validSince"], perSecond: 1)
    tenantID = wire["tenantId"]?.string
    hash = wire["passwordHash"]?.string.flatMap { $0 == Self.redacted ? nil : Secret($0) }
    salt = wire["salt"]?.string.map { Secret($0) }
    let claims = wire["customAttributes"]?.string ?? ""
    storedClaims = claims.isEmpty ? [:] : (try? JSON(parsing: Data(claims.utf8))) ?? .null
    guard storedClaims.object != nil else {
      throw AdminError(
        .internalError,
        "The custom claims of the user \(uid) aren't an object. Set them again with setCustomUserClaims.")
    }
  }

  /// Returns a time since 1970, which the server sends as text; `nil` if there is none.
  private static func date(_ value: JSON?, perSecond: Double) -> Date? {
    value?.text.flatMap { Double(decimal: $0) }.map { Date(timeIntervalSince1970: $0 / perSecond) }
  }
}
