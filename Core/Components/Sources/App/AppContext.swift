/// What components can access of the app that they belong to.
public struct AppContext: Sendable {
  /// The app's name; `default` for the default app.
  public let name: String
  /// The options with which the app was configured.
  public let options: AppOptions
  /// The libraries and their versions as `name/version` pairs, for the `User-Agent` header (RFC 9110, section
  /// 10.1.5).
  public let userAgent: String

  /// Creates a context.
  ///
  /// - Parameters:
  ///   - name: the app's name.
  ///   - options: the app's options.
  ///   - userAgent: the value of the `User-Agent` header.
  package init(name: String, options: AppOptions, userAgent: String) {
    self.name = name
    self.options = options
    self.userAgent = userAgent
  }

  /// Whether this is the default app.
  var isDefault: Bool { name == App.defaultName }
}
