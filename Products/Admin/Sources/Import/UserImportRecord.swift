public import TenonFoundation
import TenonJSON

/// A user of ``Admin/importUsers(_:hash:)``, for example of another system. Properties that are `nil` aren't
/// set. A dump doesn't show the hash of the password.
public struct UserImportRecord: Sendable, Hashable {
  /// The user's ID, of 1 to 128 characters.
  public var uid: String
  /// The user's email address.
  public var email: String?
  /// Whether the user has proved to have the address; `false` if `nil`.
  public var isEmailVerified: Bool?
  /// The user's name.
  public var displayName: String?
  /// The URL of the user's picture.
  public var photoURL: URL?
  /// The user's phone number with its country, for example `+15550100`.
  public var phoneNumber: String?
  /// Whether the user is prevented from signing in; `false` if `nil`.
  public var isDisabled: Bool?
  /// When the user was created; now if `nil`.
  public var creationDate: Date?
  /// When the user last signed in.
  public var lastSignInDate: Date?
  /// The user's identities at providers.
  public var providerData: [UserProvider]
  private var hash: Secret?
  private var salt: Secret?
  private var claims: String?

  /// The hash of the user's password, which ``UserImportHash`` describes.
  public var passwordHash: Data? {
    get { hash.flatMap { Self.decoded($0) } }
    set { hash = newValue.map { Secret($0.base64EncodedString()) } }
  }

  /// The salt of the user's password.
  public var passwordSalt: Data? {
    get { salt.flatMap { Self.decoded($0) } }
    set { salt = newValue.map { Secret($0.base64EncodedString()) } }
  }

  private static func decoded(_ secret: Secret) -> Data? { Data(base64Encoded: secret.value) }

  /// Creates a user. Each parameter sets the property of the same name.
  public init(
    uid: String, email: String? = nil, isEmailVerified: Bool? = nil, passwordHash: Data? = nil,
    passwordSalt: Data? = nil, displayName: String? = nil, photoURL: URL? = nil, phoneNumber: String? = nil,
    isDisabled: Bool? = nil, creationDate: Date? = nil, lastSignInDate: Date? = nil,
    providerData: [UserProvider] = []
  ) {
    self.uid = uid
    self.email = email
    self.isEmailVerified = isEmailVerified
    self.displayName = displayName
    self.photoURL = photoURL
    self.phoneNumber = phoneNumber
    self.isDisabled = isDisabled
    self.creationDate = creationDate
    self.lastSignInDate = lastSignInDate
    self.providerData = providerData
    self.passwordHash = passwordHash
    self.passwordSalt = passwordSalt
  }

  /// Sets the claims of the user's ID tokens.
  ///
  /// - Parameter claims: as those of ``Admin/setCustomUserClaims(_:forUID:)``.
  /// - Throws: ``AdminError`` with ``AdminError/Code/forbiddenClaim``, ``AdminError/Code/claimsTooLarge`` or
  ///   ``AdminError/Code/invalidClaims``.
  public mutating func setCustomClaims(_ claims: some Encodable) throws {
    self.claims = try UserRules.text(ofClaims: claims)
  }

  /// Returns the user as an item of `users`.
  ///
  /// - Throws: ``AdminError`` for a property that isn't allowed.
  func wire() throws(AdminError) -> JSON {
    try UserRules.check(uid: uid)
    if let email { try UserRules.check(email: email) }
    if let displayName { try UserRules.check(displayName: displayName) }
    if let photoURL { try UserRules.check(photoURL: photoURL) }
    if let phoneNumber { try UserRules.check(phoneNumber: phoneNumber) }
    var providers: [JSON] = []
    for provider in providerData { providers.append(try provider.wire()) }
    return .members([
      "localId": .string(uid), "email": email.map(JSON.string),
      "emailVerified": isEmailVerified.map(JSON.bool), "displayName": displayName.map(JSON.string),
      "photoUrl": (photoURL?.absoluteString).map(JSON.string), "phoneNumber": phoneNumber.map(JSON.string),
      "disabled": isDisabled.map(JSON.bool), "customAttributes": claims.map(JSON.string),
      "createdAt": try Self.milliseconds(creationDate), "lastLoginAt": try Self.milliseconds(lastSignInDate),
      "passwordHash": hash.map { .string(WebBase64.text($0)) },
      "salt": salt.map { .string(WebBase64.text($0)) },
      "providerUserInfo": providers.isEmpty ? nil : .array(providers),
    ])
  }

  private static func milliseconds(_ date: Date?) throws(AdminError) -> JSON? {
    guard let date else { return nil }
    guard let time = Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded(.down)), time >= 0 else {
      throw AdminError(.argumentError, "The dates of a user to import begin with 1970. Correct them.")
    }
    return .string(String(time))
  }
}

/// Base64 with `-` and `_`, and with padding, as Google's services expect bytes of an import.
enum WebBase64 {
  /// Returns the text of ordinary base64 in this alphabet.
  static func text(_ base64: Secret) -> String {
    base64.value.replacing("+", with: "-").replacing("/", with: "_")
  }
}
