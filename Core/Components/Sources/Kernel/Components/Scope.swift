/// How long an instance is used.
public struct Scope: Sendable, Hashable, CustomStringConvertible {
  private enum Kind: Hashable {
    case shared, unique, weak, graph
    case variant(label: String, name: String)
  }

  private let kind: Kind

  /// The scope's name.
  public var description: String {
    switch kind {
    case .variant(let label, let name): "\(label) \(name)"
    default: "\(kind)"
    }
  }

  /// Whether one instance is kept for all who ask.
  var isShared: Bool {
    switch kind {
    case .shared, .variant: true
    default: false
    }
  }

  /// A scope of its own whose instances are kept as those of ``shared`` are.
  ///
  /// - Parameters:
  ///   - label: what kind of scope it is.
  ///   - name: tells scopes of one kind apart.
  static func sharedVariant(_ label: String, named name: String) -> Scope {
    Scope(kind: .variant(label: label, name: name))
  }

  /// One instance for the life of the container. The default.
  public static let shared = Scope(kind: .shared)
  /// A new instance each time.
  public static let unique = Scope(kind: .unique)
  /// One instance while somebody else holds it; only for classes.
  public static let weak = Scope(kind: .weak)
  /// One instance within one resolution: everything that is created to answer one `resolve`.
  public static let graph = Scope(kind: .graph)
}

/// When a shared instance is created.
public struct InstantiationTiming: Sendable, Hashable, CustomStringConvertible {
  private enum Kind: String {
    case lazy
    case eager
    case eagerInDefaultApp = "eager in the default app"
  }

  private let kind: Kind

  /// The timing's name.
  public var description: String { kind.rawValue }

  /// When it is first asked for. The default.
  public static let lazy = InstantiationTiming(kind: .lazy)
  /// When the app is configured.
  public static let eager = InstantiationTiming(kind: .eager)
  /// When the app is configured and is the default app; on first use in other apps.
  public static let eagerInDefaultApp = InstantiationTiming(kind: .eagerInDefaultApp)
}

/// An event on which the instances of the components that say so are given up; see ``Component/reset(_:)``.
public struct ResetTrigger: Sendable, Hashable, CustomStringConvertible {
  /// The trigger's name.
  public let description: String

  /// Names an event of your own.
  public init(_ name: String) { description = name }
}
