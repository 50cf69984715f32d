public import TenonFoundation
import TenonJSON

extension Admin {
  /// The target of a link in an email, and the app that opens it, as `ActionCodeSettings` of TenonAuth.
  public struct ActionCodeSettings: Sendable, Hashable {
    /// The page to open after the code was used. Its domain must be one of the project's authorized domains.
    public var url: URL
    /// Whether the app itself uses the code, which links for signing in require. `false` by default.
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
      url: URL, handleCodeInApp: Bool = false, iOSBundleID: String? = nil, androidPackageName: String? = nil,
      androidInstallIfNotAvailable: Bool = false, androidMinimumVersion: String? = nil,
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

    /// Returns the members of a request.
    ///
    /// - Throws: ``AdminError`` for settings that contradict each other.
    func wire() throws(AdminError) -> [String: JSON] {
      guard url.scheme?.isEmpty == false, url.host()?.isEmpty == false else {
        throw AdminError(
          .invalidContinueURI, "The URL of the settings needs a scheme and a host. Correct it.")
      }
      guard androidPackageName != nil || (!androidInstallIfNotAvailable && androidMinimumVersion == nil)
      else {
        throw AdminError(
          .missingAndroidPackageName, "The settings for Android need androidPackageName. Set it.")
      }
      var members: [String: JSON] = [
        "continueUrl": .string(url.absoluteString), "canHandleCodeInApp": .bool(handleCodeInApp),
      ]
      members["iOSBundleId"] = iOSBundleID.map(JSON.string)
      members["androidPackageName"] = androidPackageName.map(JSON.string)
      if androidInstallIfNotAvailable { members["androidInstallApp"] = true }
      members["androidMinimumVersion"] = androidMinimumVersion.map(JSON.string)
      members["linkDomain"] = linkDomain.map(JSON.string)
      return members
    }
  }
}
