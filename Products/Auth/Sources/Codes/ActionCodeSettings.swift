public import TenonFoundation

/// The target of the link in an email, and the app that opens it (`accounts:sendOobCode`).
///
/// ```swift
/// var settings = ActionCodeSettings()
/// settings.url = URL(string: "https://example.com/finish")
/// settings.handleCodeInApp = true
/// ```
public struct ActionCodeSettings: Sendable, Hashable {
  /// The page to open after the code was used. Its domain must be one of the project's authorized domains.
  /// `nil` by default.
  public var url: URL?
  /// Whether the app itself uses the code, which sign-in links require. `false` by default.
  public var handleCodeInApp: Bool
  /// The bundle ID of the app that opens the link on Apple platforms; `nil` by default.
  public var iOSBundleID: String?
  /// The package name of the app that opens the link on Android; `nil` by default.
  public var androidPackageName: String?
  /// Whether Android offers to install the app if it is missing. `false` by default.
  public var androidInstallIfNotAvailable: Bool
  /// The oldest version of the Android app that opens the link; any version if `nil`, the default.
  public var androidMinimumVersion: String?
  /// The domain of Firebase Hosting that the links use; the project's default domain if `nil`, the default.
  public var linkDomain: String?

  /// Creates settings. Each parameter sets the property of the same name.
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
  ///
  /// - Parameters:
  ///   - androidPackageName: the package name.
  ///   - installIfNotAvailable: whether Android offers to install the app if it is missing.
  ///   - minimumVersion: the oldest version of the app that opens the link; any version if `nil`.
  public mutating func setAndroidPackageName(
    _ androidPackageName: String, installIfNotAvailable: Bool, minimumVersion: String?
  ) {
    self.androidPackageName = androidPackageName
    androidInstallIfNotAvailable = installIfNotAvailable
    androidMinimumVersion = minimumVersion
  }
}
