import TenonFoundation
import TenonJSON

/// An account as `accounts:lookup` describes it.
struct UserRecord: Decodable {
  /// The account as an identity provider describes it.
  struct Provider: Decodable {
    var providerId: String
    var rawId: String?
    var federatedId: String?
    var email: String?
    var displayName: String?
    var photoUrl: String?
    var phoneNumber: String?
  }

  var localId: String
  var email: String?
  var emailVerified: Bool?
  var displayName: String?
  var photoUrl: String?
  var phoneNumber: String?
  var providerUserInfo: [Provider]?
  var mfaInfo: [Factor]?
  var passkeyInfo: [Passkey]?
  /// Milliseconds since 1970, as text.
  var createdAt: String?
  /// Milliseconds since 1970, as text.
  var lastLoginAt: String?

  /// Returns the account in the format of a session.
  ///
  /// - Parameter claims: the claims of the user's ID token, which name the tenant and the provider of the sign-in. A user is
  ///   anonymous if it is `anonymous`, and the account has neither a provider nor an email address.
  func profile(claims: IDTokenClaims) -> UserProfile {
    UserProfile(
      uid: localId,
      tenantID: claims.tenantID,
      email: email,
      displayName: displayName,
      photoURL: photoUrl.flatMap { URL(string: $0) },
      phoneNumber: phoneNumber,
      isAnonymous: claims.signInProvider == "anonymous" && (providerUserInfo ?? []).isEmpty && email == nil,
      isEmailVerified: emailVerified ?? false,
      providerData: (providerUserInfo ?? []).map(\.userInfo),
      secondFactors: mfaInfo?.compactMap(\.enrolled),
      passkeys: passkeyInfo?.map(\.info),
      creationDate: Self.date(createdAt),
      lastSignInDate: Self.date(lastLoginAt)
    )
  }

  /// Returns a time in milliseconds since 1970 as a date; `nil` if it isn't a number, or out of range.
  private static func date(_ text: String?) -> Date? {
    guard let milliseconds = text.flatMap({ Int64(decimal: $0) }), times.contains(milliseconds) else {
      return nil
    }
    return Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
  }

  /// The range of a date in JavaScript: 100,000,000 days before and after 1970 (ECMA-262, Time Values). Times
  /// outside of it are errors.
  private static let times: ClosedRange<Int64> = -8_640_000_000_000_000...8_640_000_000_000_000
}

extension UserRecord.Provider {
  /// The provider's description in the format of a session.
  var userInfo: UserInfo {
    UserInfo(
      providerID: providerId,
      uid: rawId ?? federatedId ?? "",
      email: email,
      displayName: displayName,
      photoURL: photoUrl.flatMap { URL(string: $0) },
      phoneNumber: phoneNumber
    )
  }
}
