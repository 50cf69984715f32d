public import Foundation

/// Where the link of a mail leads, and which app may open it (`accounts:sendOobCode`).
public struct ActionCodeSettings: Sendable, Hashable {
  /// Where the link leads when its code has been used. The project must allow its domain.
  public var continueURL: URL?
  /// Whether the app itself uses the code; links for signing in need that.
  public var handlesCodeInApp: Bool
  /// The app that opens the link on Apple platforms.
  public var iOSBundleID: String?
  /// The app that opens the link on Android.
  public var androidPackageName: String?
  /// Whether Android offers to install the app when it is missing.
  public var androidInstallsApp: Bool
  /// The oldest version of the Android app that opens the link.
  public var androidMinimumVersion: String?
  /// The domain of Firebase Hosting whose links are sent; the project's default when `nil`.
  public var linkDomain: String?

  /// Creates settings for links that lead to a URL.
  public init(
    continueURL: URL? = nil,
    handlesCodeInApp: Bool = false,
    iOSBundleID: String? = nil,
    androidPackageName: String? = nil,
    androidInstallsApp: Bool = false,
    androidMinimumVersion: String? = nil,
    linkDomain: String? = nil
  ) {
    self.continueURL = continueURL
    self.handlesCodeInApp = handlesCodeInApp
    self.iOSBundleID = iOSBundleID
    self.androidPackageName = androidPackageName
    self.androidInstallsApp = androidInstallsApp
    self.androidMinimumVersion = androidMinimumVersion
    self.linkDomain = linkDomain
  }
}
