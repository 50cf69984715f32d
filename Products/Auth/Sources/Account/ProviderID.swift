/// A way to sign in, by the name that Firebase gives it.
public struct ProviderID: RawRepresentable, Sendable, Hashable, Codable {
  /// The name, for example `google.com`.
  public let rawValue: String

  /// Creates a provider of any name, for example `oidc.my-company`.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Address and password. Sign-in with a link in a mail belongs to this provider, too.
  public static let password = ProviderID(rawValue: "password")
  /// A link in a mail: a method of signing in, not a provider of its own.
  public static let emailLink = ProviderID(rawValue: "emailLink")
  /// Apple.
  public static let apple = ProviderID(rawValue: "apple.com")
  /// Google.
  public static let google = ProviderID(rawValue: "google.com")
  /// Facebook.
  public static let facebook = ProviderID(rawValue: "facebook.com")
  /// GitHub.
  public static let gitHub = ProviderID(rawValue: "github.com")
  /// Microsoft.
  public static let microsoft = ProviderID(rawValue: "microsoft.com")
  /// A phone number.
  public static let phone = ProviderID(rawValue: "phone")
  /// A user who didn't say who they are. Only in ID tokens.
  public static let anonymous = ProviderID(rawValue: "anonymous")
  /// A token of the app's own server. Only in ID tokens.
  public static let custom = ProviderID(rawValue: "custom")
}

extension ProviderID: ExpressibleByStringLiteral, CustomStringConvertible {
  /// The provider of a name.
  public init(stringLiteral value: String) { self.init(rawValue: value) }
  /// The name.
  public var description: String { rawValue }
}
