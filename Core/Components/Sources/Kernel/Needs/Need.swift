/// A dependency as the graph knows it.
@usableFromInline
struct Need: Sendable, Hashable {
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

    /// Whether a container in which nothing provides what is needed can't be configured.
    var isDemanded: Bool { self == .required || self == .provider || self == .factory }

    /// Whether a component can do without what is needed.
    var canBeAbsent: Bool { self == .optional || self == .optionalProvider || self == .deferred }

    /// Whether contributions are needed, not the component of a key.
    var takesContributions: Bool { self == .all || self == .allProvider }
  }

  let kind: Kind
  let key: ComponentKey
  /// The arguments that will be given; `nil` when there is no place to give any.
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

  /// The declaration in code that does without what is needed; `nil` for forms that have none.
  var optionalForm: String? {
    switch kind {
    case .required: ".optional(\(key.reference))"
    case .provider: ".optionalProvider(\(key.reference))"
    default: nil
    }
  }

  /// What fetches a need that nothing meets. Validation refuses such graphs; this is what is left if one gets here.
  @usableFromInline static func unmet<Value>(_ key: ComponentKey) -> Make<Value> {
    Make { thread in throw ComponentError.notProvided(key, path: thread.path, known: []) }
  }
}
