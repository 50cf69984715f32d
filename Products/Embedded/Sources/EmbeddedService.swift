/// A service of the embedded backend.
public struct EmbeddedService: RawRepresentable, Sendable, Hashable {
  /// The service as text, for example `auth`.
  public let rawValue: String

  /// Creates a service that this version does not know.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Accounts and their tokens.
  public static let auth = EmbeddedService(rawValue: "auth")
  /// Callable functions.
  public static let functions = EmbeddedService(rawValue: "functions")
  /// Objects.
  public static let storage = EmbeddedService(rawValue: "storage")
}
