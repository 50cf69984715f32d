/// The description of an app's project, its backend and the location of its data.
///
/// No option is required by itself. Libraries require those that they need
/// (``Library/requiredOptions(with:)``), and an app can't be configured without them.
///
/// Options come from code, from the environment (``init(environment:)``), or from a file
/// (``init(contentsOfFile:packageName:)``). All of them are validated in the same way when an app is
/// configured.
public struct AppOptions: Sendable, Hashable {
  /// The project's ID, for example `my-project`: lower-case letters, digits and hyphens. `nil` for an app
  /// whose libraries require none.
  public var projectID: String?
  /// The API key that Auth and App Check send to Google's services.
  public var apiKey: String?
  /// The app's ID, for example `1:1234567890:web:0a1b2c3d`.
  public var appID: String?
  /// The project's number.
  public var senderID: String?
  /// The default bucket, for example `my-project.firebasestorage.app`.
  public var storageBucket: String?
  /// The servers to use. The default is ``AppBackend/production``.
  public var backend: AppBackend
  /// Where local state is kept. The default is ``AppData/automatic``.
  public var data: AppData
  /// The names of the libraries to activate; `nil`, the default, activates every linked library.
  public var libraries: [String]?

  /// Creates options. They are validated when an app is configured.
  ///
  /// - Parameters:
  ///   - projectID: the project's ID; `nil` if no library requires it.
  ///   - apiKey: the API key.
  ///   - appID: the app's ID.
  ///   - senderID: the project's number.
  ///   - storageBucket: the default bucket.
  ///   - backend: the servers to use.
  ///   - data: where local state is kept.
  ///   - libraries: the names of the libraries to activate; `nil` for all.
  @inline(never) public init(
    projectID: String? = nil,
    apiKey: String? = nil,
    appID: String? = nil,
    senderID: String? = nil,
    storageBucket: String? = nil,
    backend: AppBackend = .production,
    data: AppData = .automatic,
    libraries: [String]? = nil
  ) {
    self.projectID = projectID
    self.apiKey = apiKey
    self.appID = appID
    self.senderID = senderID
    self.storageBucket = storageBucket
    self.backend = backend
    self.data = data
    self.libraries = libraries
  }
}
