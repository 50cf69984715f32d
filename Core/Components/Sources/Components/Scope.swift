/// How long an instance is used, and what shares it.
public struct Scope: Sendable, Hashable, CustomStringConvertible {
  private enum Kind: Hashable {
    case shared, unique, weak, graph
    // Indirect, so that a scope takes one word: every component has one, and hardly any is a variant.
    indirect case variant(label: String, name: String)
  }

  private let kind: Kind

  /// The scope's name, for example `shared` or `pool session`.
  public var description: String {
    switch kind {
    case .variant(let label, let name): "\(label) \(name)"
    default: "\(kind)"
    }
  }

  /// Whether the container keeps one instance until it is released: ``shared`` and its variants. Eager
  /// timings, `onStart`, `onDelete` and resets require such a scope.
  var isShared: Bool {
    switch kind {
    case .shared, .variant: true
    default: false
    }
  }

  /// Returns a separate scope whose instances are kept like those of ``shared``.
  ///
  /// - Parameters:
  ///   - label: the kind of scope.
  ///   - name: distinguishes scopes of one kind. Two scopes are equal if their labels and names are.
  static func sharedVariant(_ label: String, named name: String) -> Scope {
    Scope(kind: .variant(label: label, name: name))
  }

  /// One instance for the lifetime of the container. This is the default.
  public static let shared = Scope(kind: .shared)
  /// A new instance for each request.
  public static let unique = Scope(kind: .unique)
  /// One instance for as long as something else holds it. Only for classes, also under the additional types
  /// of a component: with a struct or an enum, configuring fails with ``ConfigurationError/Code/timing``, and
  /// a value that turns out to be none is an error with the code ``ComponentError/Code/weakValue``.
  public static let weak = Scope(kind: .weak)
  /// One instance within one resolution, that is, for everything that is created to answer one `resolve`.
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

  /// When it is first requested. This is the default.
  public static let lazy = InstantiationTiming(kind: .lazy)
  /// When the container is configured, in dependency order (R4).
  public static let eager = InstantiationTiming(kind: .eager)
  /// When the app is configured, if it is the default app or the container belongs to no app; on first use in
  /// other apps.
  public static let eagerInDefaultApp = InstantiationTiming(kind: .eagerInDefaultApp)
}

/// An event on which components release their instances; see ``Component/reset(_:)``.
public struct ResetTrigger: Sendable, Hashable, CustomStringConvertible {
  /// The trigger's name. Triggers with equal names are equal.
  public let description: String

  /// Creates a trigger for an event that the program defines. The program calls `reset(_:)` of the container
  /// with it when the event occurs.
  ///
  /// ```swift
  /// extension ResetTrigger {
  ///   static let signOut = ResetTrigger("sign-out")
  /// }
  /// ```
  ///
  /// - Parameter name: the trigger's name.
  public init(_ name: String) { description = name }
}
