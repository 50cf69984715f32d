/// A dependency as the graph sees it: without the static type of what the creation receives.
@usableFromInline
struct Need: Sendable, Hashable {
  /// The form of a need. The raw values appear in ``ComponentGraph``.
  @usableFromInline
  enum Kind: String, Sendable {
    case required
    case optional
    case all
    case provider
    case optionalProvider = "optional provider"
    case allProvider = "provider of all"
    case deferred
    case factory

    /// Whether configuration fails if nothing provides the key.
    var isDemanded: Bool { self == .required || self == .provider || self == .factory }

    /// Whether the component can be created if nothing provides the key.
    var canBeAbsent: Bool { self == .optional || self == .optionalProvider || self == .deferred }

    /// Whether the need is for the contributions to the key, rather than for its component.
    var takesContributions: Bool { self == .all || self == .allProvider }
  }

  /// The form of the need.
  let kind: Kind
  /// The key that is needed or whose contributions are.
  let key: ComponentKey
  /// The types of the arguments that will be passed; `nil` for a form that passes none.
  let arguments: [ComponentKey]?

  /// Creates a need that passes no arguments.
  @usableFromInline
  init(_ kind: Kind, _ key: ComponentKey) {
    self.kind = kind
    self.key = key
    arguments = nil
  }

  /// Creates a need for a factory.
  ///
  /// - Parameters:
  ///   - kind: the form of the need.
  ///   - key: the key of the component.
  ///   - arguments: the types of the factory's arguments.
  init(_ kind: Kind, _ key: ComponentKey, arguments: [ComponentKey]) {
    self.kind = kind
    self.key = key
    self.arguments = arguments
  }

  /// The declaration, as Swift code, of the corresponding need that allows the provider to be absent; `nil` for forms without
  /// one.
  var optionalForm: String? {
    switch kind {
    case .required: ".optional(\(key.reference))"
    case .provider: ".optionalProvider(\(key.reference))"
    default: nil
    }
  }

  /// Returns a function that throws because nothing provides the key. Validation rejects such graphs, so this is a safeguard.
  @usableFromInline static func unmet<Value>(_ key: ComponentKey) -> Make<Value> {
    Make { thread in throw ComponentError.notProvided(key, path: thread.path, known: []) }
  }
}
