import TenonValues

/// The record of a user. Its members have the names of Identity Toolkit's `UserInfo`.
///
/// The record is stored as JSON. Members that were added after version 0.1 are optional, so that older
/// records can be decoded.
struct Account: Sendable, Hashable, Codable {
  /// The user's ID.
  let localId: String
  /// The user's address, in the form of ``EmailAddress/canonical(_:)``.
  var email: String?
  /// Whether the user proved to have the address.
  var emailVerified = false
  /// The user's name.
  var displayName: String?
  /// The URL of the user's picture.
  var photoUrl: String?
  /// The user's name at a provider that has screen names, for example Twitter. Not in version 0.1.
  var screenName: String?
  /// The hash of the password in the format of libcrypt, with its salt and parameters, or the text of a
  /// ``ForeignHash``. It leaves the backend only with an export of all data.
  var passwordHash: String?
  /// When the password was set, in milliseconds since 1970.
  var passwordUpdatedAt: Int64?
  /// When the account was created, in milliseconds since 1970.
  var createdAt: Int64
  /// When the user last signed in, in milliseconds since 1970.
  var lastLoginAt: Int64?
  /// When an ID token was last issued, in milliseconds since 1970.
  var lastRefreshAt: Int64?
  /// The time before which issued ID tokens are rejected, in seconds since 1970.
  var validSince: Int64
  /// The number of times that the user's sessions were ended, modulo 2^64. Refresh tokens of another epoch
  /// are rejected, even those that were issued within the same second.
  var epoch = 0
  /// Whether the user is prevented from signing in.
  var disabled = false
  /// The user's first address, once it has been changed.
  var initialEmail: String?
  /// Custom claims as JSON text, which an administrator has set.
  var customAttributes: String?
  /// Whether the user signs in with links that are sent to the address. Not in version 0.1.
  var emailLinkSignin: Bool?
  /// Whether the user has signed in with a custom token. Not in version 0.1.
  var customAuth: Bool?
  /// The second factors of the user; `nil` if there are none. Not before version 0.2.
  var mfaInfo: [SecondFactor]?
  /// The passkeys of the user; `nil` if there are none. Not before version 0.2.
  var passkeyInfo: [Passkey]?
  /// The tenant of the user; `nil` for users of the project itself. It is set when the account is stored. Not
  /// before version 0.2.
  var tenantId: String?
  /// The identity providers of the user, except `password`, which follows from the other members.
  var federated: [AccountProvider] = []
}

/// An identity of a user at a provider: an item of `providerUserInfo`.
struct AccountProvider: Sendable, Hashable, Codable {
  /// The provider's ID, for example `google.com`.
  var providerId: String
  /// The user's ID at the provider.
  var rawId: String
  /// The user's ID at the provider, in the provider's form.
  var federatedId: String?
  /// The user's address at the provider, in the form of ``EmailAddress/canonical(_:)``.
  var email: String?
  var displayName: String?
  var photoUrl: String?
  /// The user's screen name at the provider. Not in version 0.1.
  var screenName: String?
}

extension Account {
  /// Creates an account that signs in now.
  ///
  /// - Parameters:
  ///   - id: the user's ID; a random one by default.
  ///   - now: the current time.
  init(id: String = RandomText.userID(), now: Timestamp) {
    localId = id
    createdAt = now.millisecondsSince1970
    lastLoginAt = now.millisecondsSince1970
    validSince = now.seconds
  }

  /// All identity providers of the user, including `password`.
  var providers: [AccountProvider] {
    guard let email, passwordHash != nil || emailLinkSignin == true else { return federated }
    let password = AccountProvider(
      providerId: "password",
      rawId: email,
      federatedId: email,
      email: email,
      displayName: displayName,
      photoUrl: photoUrl
    )
    return [password] + federated
  }

  /// Ends all sessions of the user: rejects their refresh tokens, and the ID tokens that were issued before.
  mutating func endSessions(now: Timestamp) {
    validSince = now.seconds
    epoch &+= 1
  }

  /// Sets the hash of the user's password.
  mutating func setPassword(hash: String, now: Timestamp) {
    passwordHash = hash
    passwordUpdatedAt = now.millisecondsSince1970
  }
}
