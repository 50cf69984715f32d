public import Foundation

/// Where the link of a mail leads, and which app opens it (`accounts:sendOobCode`).
///
/// ```swift
/// var settings = ActionCodeSettings()
/// settings.url = URL(string: "https://example.com/finish")
/// settings.handleCodeInApp = true
/// ```
public struct ActionCodeSettings: Sendable, Hashable {
  /// The page to which the link leads once its code was used; the project must allow its domain. `nil` by default.
  public var url: URL?
  /// Whether the app itself uses the code, which links for signing in require. `false` by default.
  public var handleCodeInApp: Bool
  /// The app that opens the link on Apple platforms; `nil` by default.
  public var iOSBundleID: String?
  /// The app that opens the link on Android; `nil` by default.
  public var androidPackageName: String?
  /// Whether Android offers to install the app if it is missing. `false` by default.
  public var androidInstallIfNotAvailable: Bool
  /// The oldest version of the Android app that opens the link; any version if `nil`, the default.
  public var androidMinimumVersion: String?
  /// The domain of Firebase Hosting that the links use; the project's default domain if `nil`, the default.
  public var linkDomain: String?

  /// Creates settings.
  public init(
    url: URL? = nil,
    handleCodeInApp: Bool = false,
    iOSBundleID: String? = nil,
    androidPackageName: String? = nil,
    androidInstallIfNotAvailable: Bool = false,
    androidMinimumVersion: String? = nil,
    linkDomain: String? = nil
  ) {
    self.url = url
    self.handleCodeInApp = handleCodeInApp
    self.iOSBundleID = iOSBundleID
    self.androidPackageName = androidPackageName
    self.androidInstallIfNotAvailable = androidInstallIfNotAvailable
    self.androidMinimumVersion = androidMinimumVersion
    self.linkDomain = linkDomain
  }

  /// Sets the three properties of the app that opens the link on Android.
  public mutating func setAndroidPackageName(
    _ androidPackageName: String, installIfNotAvailable: Bool, minimumVersion: String?
  ) {
    self.androidPackageName = androidPackageName
    androidInstallIfNotAvailable = installIfNotAvailable
    androidMinimumVersion = minimumVersion
  }
}
