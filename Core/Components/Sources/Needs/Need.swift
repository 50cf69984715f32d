/// A dependency as the graph sees it: without the static type of what the creation receives.
@usableFromInline
struct Need: Sendable, Hashable {
  /// The form of a need: what the creation receives, and when it is created. The raw values appear in
  /// ``ComponentGraph`` and in its `Codable` form, so they must not change.
  @usableFromInline
  enum Kind: String, Sendable {
    /// The instance.
    case required
    /// The instance, or `nil`.
    case optional
    /// Every contribution.
    case all
    /// A ``Provider`` of the instance, which is created when the provider is first called.
    case provider
    /// A ``Provider`` of the instance or `nil`.
    case optionalProvider = "optional provider"
    /// A ``Provider`` of every contribution.
    case allProvider = "provider of all"
    /// A `Deferred` value, which a library that is loaded later may provide.
    case deferred
    /// A `Factory`, which creates a new instance from arguments.
    case factory
    /// The instance, which is injected after the creation.
    case injected
    /// The instance or `nil`, which is injected after the creation.
    case optionalInjected = "optional injected"
    /// Every contribution, which are injected after the creation.
    case allInjected = "all injected"

    /// Whether configuration fails if nothing provides the key.
    var isDemanded: Bool {
      self == .required || self == .provider || self == .factory || self == .injected
    }

    /// Whether the component can be created if nothing provides the key.
    var canBeAbsent: Bool {
      self == .optional || self == .optionalProvider || self == .deferred || self == .optionalInjected
    }

    /// Whether the creation receives the instance itself, or `nil`.
    var isOfInstance: Bool { self == .required || self == .optional }

    /// Whether the need is for the contributions to the key, rather than for its component.
    var takesContributions: Bool { self == .all || self == .allProvider || self == .allInjected }
  }

  /// The form of the need.
  let kind: Kind
  /// The key that is needed or whose contributions are.
  let key: ComponentKey
  /// The types of the arguments that will be passed; `nil` for a form that passes none.
  let arguments: [ComponentKey]?

  /// Creates a need.
  ///
  /// - Parameters:
  ///   - kind: the form of the need.
  ///   - key: the key that is needed or whose contributions are.
  ///   - arguments: the types of a factory's arguments; `nil`, the default, for the forms that pass none.
  @usableFromInline
  init(_ kind: Kind, _ key: ComponentKey, arguments: [ComponentKey]? = nil) {
    self.kind = kind
    self.key = key
    self.arguments = arguments
  }

  /// The corresponding need that allows the provider to be absent: its declaration as Swift code, or the type
  /// of the property; `nil` for forms without one.
  var optionalForm: String? {
    switch kind {
    case .required: ".optional(\(key.reference))"
    case .provider: ".optionalProvider(\(key.reference))"
    case .injected: "an injection of \(key.optionalTypeName)"
    default: nil
    }
  }

  /// Returns a function that throws because nothing provides the key. Validation rejects such graphs, so this
  /// is a safeguard.
  ///
  /// - Parameter key: the key that is needed.
  /// - Returns: a function that throws ``ComponentError/Code/notProvided``.
  @usableFromInline static func unmet<Value>(_ key: ComponentKey) -> Make<Value> {
    Make { thread in throw ComponentError.notProvided(key, path: thread.path, known: []) }
  }
}
