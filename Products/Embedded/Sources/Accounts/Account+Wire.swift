import TenonFoundation
import TenonTransport
import TenonValues

extension Account {
  /// The account as a `UserInfo` of `accounts:lookup`
  /// (https://cloud.google.com/identity-platform/docs/reference/rest/v1/UserInfo).
  var wire: JSON {
    .members([
      "localId": .string(localId),
      "email": email.map(JSON.string),
      "phoneNumber": phoneNumber.map(JSON.string),
      "emailVerified": email == nil ? nil : .bool(emailVerified),
      "displayName": displayName.map(JSON.string),
      "photoUrl": photoUrl.map(JSON.string),
      "screenName": screenName.map(JSON.string),
      "passwordHash": maskedPasswordHash,
      "passwordUpdatedAt": passwordUpdatedAt.map(JSON.int),
      "providerUserInfo": providers.isEmpty ? nil : .array(providers.map(\.wire)),
      "mfaInfo": mfaInfo.map { .array($0.map { $0.wire() }) },
      "passkeyInfo": passkeyInfo.flatMap { $0.isEmpty ? nil : .array($0.map(\.wire)) },
      "validSince": .string(String(validSince)),
      "disabled": disabled ? true : nil,
      "lastLoginAt": lastLoginAt.map { .string(String($0)) },
      "createdAt": .string(String(createdAt)),
      "lastRefreshAt": lastRefreshAt.map { .string(Timestamp(millisecondsSince1970: $0).iso8601) },
      "initialEmail": initialEmail.map(JSON.string),
      "customAttributes": customAttributes.map(JSON.string),
      "emailLinkSignin": emailLinkSignin == true ? true : nil,
      "tenantId": tenantId.map(JSON.string),
      "customAuth": customAuth == true ? true : nil,
    ])
  }

  /// The placeholder that Firebase sends for a password's hash: `REDACTED` in base64; `nil` if the account
  /// has no password. It indicates to clients that the user has a password.
  var maskedPasswordHash: JSON? {
    passwordHash == nil ? nil : .string(Data("REDACTED".utf8).base64EncodedString())
  }
}

extension AccountProvider {
  /// Reads a provider from an item of `providerUserInfo`. The email address is brought into its canonical
  /// form, and members of other names are ignored.
  ///
  /// - Parameter wire: the item. Without a `federatedId`, the user's ID at the provider is used for it.
  /// - Returns: `nil` if the provider's ID or the user's ID at the provider is missing or empty.
  init?(wire: JSON) {
    guard let provider = wire["providerId"]?.text, let id = wire["rawId"]?.text, !provider.isEmpty,
      !id.isEmpty
    else { return nil }
    self.init(
      providerId: provider,
      rawId: id,
      federatedId: wire["federatedId"]?.text ?? id,
      email: wire["email"]?.text.map(EmailAddress.canonical),
      displayName: wire["displayName"]?.text,
      photoUrl: wire["photoUrl"]?.text,
      screenName: wire["screenName"]?.text
    )
  }

  /// The provider as an item of `providerUserInfo`.
  var wire: JSON {
    .members([
      "providerId": .string(providerId),
      "rawId": .string(rawId),
      "federatedId": federatedId.map(JSON.string),
      "email": email.map(JSON.string),
      "displayName": displayName.map(JSON.string),
      "photoUrl": photoUrl.map(JSON.string),
      "screenName": screenName.map(JSON.string),
      "phoneNumber": providerId == Self.phone ? .string(rawId) : nil,
    ])
  }
}
