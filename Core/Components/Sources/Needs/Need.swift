/// A dependency as the graph knows it.
@usableFromInline
struct Need: Sendable, Hashable {
  @usableFromInline
  struct Kind: Sendable, Hashable, CustomStringConvertible {
    @usableFromInline let description: String
    /// Whether a container in which nothing provides what is needed can't be configured.
    let isDemanded: Bool

    @usableFromInline static let required = Kind(description: "required", isDemanded: true)
    @usableFromInline static let optional = Kind(description: "optional", isDemanded: false)
    static let all = Kind(description: "all", isDemanded: false)
    static let provider = Kind(description: "provider", isDemanded: true)
    static let optionalProvider = Kind(description: "optional provider", isDemanded: false)
    static let allProvider = Kind(description: "provider of all", isDemanded: false)
    static let deferred = Kind(description: "deferred", isDemanded: false)
    static let factory = Kind(description: "factory", isDemanded: true)

    /// Whether contributions are needed, not the component of a key.
    var takesContributions: Bool { self == .all || self == .allProvider }
  }

  let kind: Kind
  let key: ComponentKey
  /// The arguments that will be given; `nil` when there is no place to give any.
  let arguments: [ArgumentType]?

  @usableFromInline
  init(_ kind: Kind, _ key: ComponentKey) {
    self.kind = kind
    self.key = key
    arguments = nil
  }

  init(_ kind: Kind, _ key: ComponentKey, arguments: [ArgumentType]) {
    self.kind = kind
    self.key = key
    self.arguments = arguments
  }

  /// What fetches a need that nothing meets. Validation refuses such graphs; this is what is left if one gets here.
  @usableFromInline static func unmet<Value>(_ key: ComponentKey) -> Make<Value> {
    { thread in throw ComponentError.notProvided(key, path: thread.path, known: []) }
  }
}
