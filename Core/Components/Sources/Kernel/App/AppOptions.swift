/// What an app must know of its project, its backend and its place on disk.
///
/// Options come from code, from the environment (``init(environment:)``), or from a file
/// (``init(contentsOfFile:)``); all of them are checked in the same way when an app is configured.
public struct AppOptions: Sendable, Hashable {
  /// The project's id, for example `my-project`. Required.
  public var projectID: String
  /// The key that Auth and App Check send to Google's services.
  public var apiKey: String?
  /// The app's id, for example `1:1234567890:web:0a1b2c3d`.
  public var appID: String?
  /// The project's number.
  public var senderID: String?
  /// The default bucket, for example `my-project.firebasestorage.app`.
  public var storageBucket: String?
  /// Where the servers are. The default is ``AppBackend/production``.
  public var backend: AppBackend
  /// Where local state is kept. The default is ``AppData/automatic``.
  public var data: AppData
  /// The names of the libraries to activate; all that are linked when `nil`, the default.
  public var libraries: [String]?

  /// Creates options. All but the project's id may be left out.
  public init(
    projectID: String,
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
