import Foundation

/// A user as `accounts:lookup` describes them.
struct UserRecord: Decodable {
  struct Provider: Decodable {
    var providerId: String
    var rawId: String?
    var federatedId: String?
    var email: String?
    var displayName: String?
    var photoUrl: String?
  }

  var localId: String
  var email: String?
  var emailVerified: Bool?
  var displayName: String?
  var photoUrl: String?
  var providerUserInfo: [Provider]?
  /// Milliseconds since 1970, as text.
  var createdAt: String?
  /// Milliseconds since 1970, as text.
  var lastLoginAt: String?

  func user(claims: IDTokenClaims) -> User {
    User(
      uid: localId,
      email: email,
      displayName: displayName,
      photoURL: photoUrl.flatMap { URL(string: $0) },
      isAnonymous: claims.signInProvider == "anonymous" && (providerUserInfo ?? []).isEmpty && email == nil,
      isEmailVerified: emailVerified ?? false,
      providers: (providerUserInfo ?? []).map(\.provider),
      creationDate: Self.date(createdAt),
      lastSignInDate: Self.date(lastLoginAt)
    )
  }

  private static func date(_ milliseconds: String?) -> Date? {
    milliseconds.flatMap(Double.init).map { Date(timeIntervalSince1970: $0 / 1_000) }
  }
}

extension UserRecord.Provider {
  var provider: UserProvider {
    UserProvider(
      providerID: ProviderID(rawValue: providerId),
      uid: rawId ?? federatedId ?? "",
      email: email,
      displayName: displayName,
      photoURL: photoUrl.flatMap { URL(string: $0) }
    )
  }
}
