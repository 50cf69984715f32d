/// The identifier of an identity provider, for ``OAuthProvider``.
///
/// Elsewhere, providers are plain strings, as in ``UserInfo/providerID``.
public struct AuthProviderID: Sendable, Hashable {
  /// The identifier in Firebase's protocol, for example `google.com`.
  public let rawValue: String

  /// Returns the identifier of any other provider, for example `microsoft.com` or `oidc.my-company`.
  public static func custom(_ value: String) -> AuthProviderID { AuthProviderID(rawValue: value) }

  /// Email address with a password or a link; see ``EmailAuthProvider``.
  public static let email = AuthProviderID(rawValue: "password")
  /// Apple.
  public static let apple = AuthProviderID(rawValue: "apple.com")
  /// Google.
  public static let google = AuthProviderID(rawValue: "google.com")
  /// Facebook.
  public static let facebook = AuthProviderID(rawValue: "facebook.com")
  /// GitHub.
  public static let gitHub = AuthProviderID(rawValue: "github.com")
}
