import Foundation
import TenonTransport

extension Account {
  /// The user as `accounts:lookup` gives it.
  var wire: JSON {
    .members([
      "localId": .string(localId),
      "email": email.map(JSON.string),
      "emailVerified": email == nil ? nil : .bool(emailVerified),
      "displayName": displayName.map(JSON.string),
      "photoUrl": photoUrl.map(JSON.string),
      "screenName": screenName.map(JSON.string),
      "passwordHash": maskedPasswordHash,
      "passwordUpdatedAt": passwordUpdatedAt.map(JSON.int),
      "providerUserInfo": providers.isEmpty ? nil : .array(providers.map(\.wire)),
      "validSince": .string(String(validSince)),
      "disabled": disabled ? true : nil,
      "lastLoginAt": lastLoginAt.map { .string(String($0)) },
      "createdAt": .string(String(createdAt)),
      "lastRefreshAt": lastRefreshAt.map { .string(Timestamp(milliseconds: $0).iso8601) },
      "initialEmail": initialEmail.map(JSON.string),
      "customAttributes": customAttributes.map(JSON.string),
      "emailLinkSignin": emailLinkSignin == true ? true : nil,
      "customAuth": customAuth == true ? true : nil,
    ])
  }

  /// What Firebase sends in the place of a hash, in base64. Clients tell by it that the user has a password.
  var maskedPasswordHash: JSON? {
    passwordHash == nil ? nil : .string(Data("REDACTED".utf8).base64EncodedString())
  }
}

extension AccountProvider {
  /// - Returns: `nil` when the provider or the user's id there is missing.
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

  var wire: JSON {
    .members([
      "providerId": .string(providerId),
      "rawId": .string(rawId),
      "federatedId": federatedId.map(JSON.string),
      "email": email.map(JSON.string),
      "displayName": displayName.map(JSON.string),
      "photoUrl": photoUrl.map(JSON.string),
      "screenName": screenName.map(JSON.string),
    ])
  }
}
