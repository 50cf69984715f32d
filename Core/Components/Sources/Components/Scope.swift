/// How long an instance is used.
public struct Scope: Sendable, Hashable, CustomStringConvertible {
  /// The scope's name.
  public let description: String

  /// One instance for the life of the container. The default.
  public static let shared = Scope(description: "shared")
  /// A new instance each time.
  public static let unique = Scope(description: "unique")
  /// One instance while somebody else holds it; only for classes.
  public static let weak = Scope(description: "weak")
  /// One instance within one resolution: everything that is created to answer one `resolve`.
  public static let graph = Scope(description: "graph")
}

/// When a shared instance is created.
public struct InstantiationTiming: Sendable, Hashable, CustomStringConvertible {
  /// The timing's name.
  public let description: String

  /// When it is first asked for. The default.
  public static let lazy = InstantiationTiming(description: "lazy")
  /// When the app is configured.
  public static let eager = InstantiationTiming(description: "eager")
  /// When the app is configured and is the default app; on first use in other apps.
  public static let eagerInDefaultApp = InstantiationTiming(description: "eager in the default app")
}
