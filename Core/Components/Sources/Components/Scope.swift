/// How long an instance is used.
public struct Scope: Sendable, Hashable, CustomStringConvertible {
  /// The scope's name.
  public let description: String
  /// Whether one instance is kept for all who ask.
  let isShared: Bool

  /// One instance for the life of the container. The default.
  public static let shared = Scope(description: "shared", isShared: true)
  /// A new instance each time.
  public static let unique = Scope(description: "unique", isShared: false)
  /// One instance while somebody else holds it; only for classes.
  public static let weak = Scope(description: "weak", isShared: false)
  /// One instance within one resolution: everything that is created to answer one `resolve`.
  public static let graph = Scope(description: "graph", isShared: false)

  /// One instance until its pool is emptied, for example when a user signs out; see
  /// ``ComponentContainer/reset(_:)-(Scope)``.
  ///
  /// - Parameter name: the pool's name. Components of one name are one pool.
  public static func pool(_ name: String) -> Scope { Scope(description: "pool \(name)", isShared: true) }
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

/// An event on which the instances of the components that say so are given up; see ``Component/reset(_:)``.
public struct ResetTrigger: Sendable, Hashable, CustomStringConvertible {
  /// The trigger's name.
  public let description: String

  /// Names an event of your own.
  public init(_ name: String) { description = name }

  /// The system is short of memory; see ``ComponentContainer/resetUnderMemoryPressure(_:)``.
  public static let memoryPressure = ResetTrigger("memory pressure")
}
