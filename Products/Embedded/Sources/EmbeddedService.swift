/// A service of the embedded backend, for ``EmbeddedSettings/appCheckRequired``.
public struct EmbeddedService: RawRepresentable, Sendable, Hashable {
  /// The service as text, for example `auth`.
  public let rawValue: String

  /// Creates a service from its text. Later versions may have services that this one doesn't declare.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Firebase Authentication: accounts and their tokens.
  public static let auth = EmbeddedService(rawValue: "auth")
  /// Cloud Functions: callable functions.
  public static let functions = EmbeddedService(rawValue: "functions")
  /// Cloud Storage: objects.
  public static let storage = EmbeddedService(rawValue: "storage")
  /// Cloud Firestore: documents over REST and WebChannel. Store's access within the process needs no token.
  public static let firestore = EmbeddedService(rawValue: "firestore")
}
