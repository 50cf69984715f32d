/// What is kept about a user. The names are those of Identity Toolkit's `UserInfo`.
struct Account: Sendable, Hashable, Codable {
  let localId: String
  /// In the form of ``EmailAddress/canonical(_:)``.
  var email: String?
  var emailVerified = false
  var displayName: String?
  var photoUrl: String?
  /// The user's name at a provider whose users have one, for example Twitter. Accounts of version 0.1 lack it.
  var screenName: String?
  /// As libcrypt wrote it, with its salt and parameters. It never leaves the backend.
  var passwordHash: String?
  /// Milliseconds since 1970.
  var passwordUpdatedAt: Int64?
  /// Milliseconds since 1970.
  var createdAt: Int64
  /// Milliseconds since 1970.
  var lastLoginAt: Int64?
  /// Milliseconds since 1970.
  var lastRefreshAt: Int64?
  /// Seconds since 1970; ID tokens issued before are refused.
  var validSince: Int64
  /// Counts how often the user's sessions were ended. Refresh tokens of an earlier epoch are refused, those too
  /// that were issued within the same second.
  var epoch = 0
  var disabled = false
  /// The address that the user had at first, once it has been changed.
  var initialEmail: String?
  /// Claims as JSON text, set by an administrator.
  var customAttributes: String?
  /// Whether the user signs in with links sent to the address. Accounts of version 0.1 lack it.
  var emailLinkSignin: Bool?
  /// Whether the user signed in with a custom token. Accounts of version 0.1 lack it.
  var customAuth: Bool?
  /// Providers other than `password`, which follows from the rest.
  var federated: [AccountProvider] = []
}

/// One way in which a user signs in: an item of `providerUserInfo`.
struct AccountProvider: Sendable, Hashable, Codable {
  var providerId: String
  var rawId: String
  var federatedId: String?
  var email: String?
  var displayName: String?
  var photoUrl: String?
  /// Accounts of version 0.1 lack it.
  var screenName: String?
}

extension Account {
  init(id: String = RandomText.userID(), now: Timestamp) {
    localId = id
    createdAt = now.milliseconds
    lastLoginAt = now.milliseconds
    validSince = now.seconds
  }

  /// Every way in which the user signs in.
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

  /// Ends every session so far.
  mutating func endSessions(now: Timestamp) {
    validSince = now.seconds
    epoch += 1
  }

  mutating func setPassword(hash: String, now: Timestamp) {
    passwordHash = hash
    passwordUpdatedAt = now.milliseconds
  }
}
