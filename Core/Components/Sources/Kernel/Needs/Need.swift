/// A dependency as the graph sees it: without the type of what the creation receives.
@usableFromInline
struct Need: Sendable, Hashable {
  @usableFromInline
  /// The form in which something is needed. The raw values are part of ``ComponentGraph``.
  enum Kind: String, Sendable {
    case required
    case optional
    case all
    case provider
    case optionalProvider = "optional provider"
    case allProvider = "provider of all"
    case deferred
    case factory

    /// Whether a graph in which nothing provides the key is invalid.
    var isDemanded: Bool { self == .required || self == .provider || self == .factory }

    /// Whether the component can be created without what it needs.
    var canBeAbsent: Bool { self == .optional || self == .optionalProvider || self == .deferred }

    /// Whether the contributions to the key are needed, rather than the component of the key.
    var takesContributions: Bool { self == .all || self == .allProvider }
  }

  let kind: Kind
  let key: ComponentKey
  /// The types of the arguments that will be passed; `nil` for a form of need that passes none.
  let arguments: [ComponentKey]?

  @usableFromInline
  init(_ kind: Kind, _ key: ComponentKey) {
    self.kind = kind
    self.key = key
    arguments = nil
  }

  init(_ kind: Kind, _ key: ComponentKey, arguments: [ComponentKey]) {
    self.kind = kind
    self.key = key
    self.arguments = arguments
  }

  /// A declaration in code that tolerates the absence of what is needed; `nil` for forms that have none.
  var optionalForm: String? {
    switch kind {
    case .required: ".optional(\(key.reference))"
    case .provider: ".optionalProvider(\(key.reference))"
    default: nil
    }
  }

  /// Returns what fetches a need that nothing meets. Validation rejects such graphs, so this is a safeguard.
  @usableFromInline static func unmet<Value>(_ key: ComponentKey) -> Make<Value> {
    Make { thread in throw ComponentError.notProvided(key, path: thread.path, known: []) }
  }
}
