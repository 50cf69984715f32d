/// What components may know of the app that they belong to.
public struct AppContext: Sendable {
  /// The app's name; ``App/defaultName`` for the default app.
  public let name: String
  /// The options that the app was configured with.
  public let options: AppOptions
  /// The libraries and their versions as `name/version` pairs, for the header `User-Agent`.
  public let userAgent: String

  package init(name: String, options: AppOptions, userAgent: String) {
    self.name = name
    self.options = options
    self.userAgent = userAgent
  }

  /// Whether this is the default app.
  public var isDefault: Bool { name == App.defaultName }
}
