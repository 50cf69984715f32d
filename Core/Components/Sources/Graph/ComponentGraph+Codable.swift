// Written by hand, because the compiler would generate a type of keys for each structure, with 4 KB of code
// that every program contains.

/// A key of the coded form: the name of a property.
struct GraphKey: CodingKey, ExpressibleByStringLiteral {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringLiteral name: String) { stringValue = name }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension ComponentGraph.LibraryNode: Codable {
  /// Decodes a library.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: GraphKey.self)
    name = try fields.text("name")
    version = try fields.text("version")
  }

  /// Encodes the library.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: GraphKey.self)
    try fields.encode(name, forKey: "name")
    try fields.encode(version, forKey: "version")
  }
}

extension ComponentGraph.ComponentNode: Codable {
  /// Decodes a component.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: GraphKey.self)
    name = try fields.text("name")
    library = try fields.decodeIfPresent(String.self, forKey: "library")
    provides = try fields.texts("provides")
    contributes = try fields.texts("contributes")
    scope = try fields.text("scope")
    timing = try fields.text("timing")
    arguments = try fields.texts("arguments")
    needs = try fields.decode([ComponentGraph.Edge].self, forKey: "needs")
    isInherited = try fields.decode(Bool.self, forKey: "isInherited")
    creationOrder = try fields.decodeIfPresent(Int.self, forKey: "creationOrder")
    creationSeconds = try fields.decodeIfPresent(Double.self, forKey: "creationSeconds")
    createdAfterSeconds = try fields.decodeIfPresent(Double.self, forKey: "createdAfterSeconds")
  }

  /// Encodes the component. Properties that are `nil` are omitted.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: GraphKey.self)
    try fields.encode(name, forKey: "name")
    try fields.encodeIfPresent(library, forKey: "library")
    try fields.encode(provides, forKey: "provides")
    try fields.encode(contributes, forKey: "contributes")
    try fields.encode(scope, forKey: "scope")
    try fields.encode(timing, forKey: "timing")
    try fields.encode(arguments, forKey: "arguments")
    try fields.encode(needs, forKey: "needs")
    try fields.encode(isInherited, forKey: "isInherited")
    try fields.encodeIfPresent(creationOrder, forKey: "creationOrder")
    try fields.encodeIfPresent(creationSeconds, forKey: "creationSeconds")
    try fields.encodeIfPresent(createdAfterSeconds, forKey: "createdAfterSeconds")
  }
}

extension ComponentGraph.Edge: Codable {
  /// Decodes a need.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: GraphKey.self)
    name = try fields.text("name")
    kind = try fields.text("kind")
    providers = try fields.texts("providers")
    unregisteredProduct = try fields.decodeIfPresent(String.self, forKey: "unregisteredProduct")
  }

  /// Encodes the need. Properties that are `nil` are omitted.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: GraphKey.self)
    try fields.encode(name, forKey: "name")
    try fields.encode(kind, forKey: "kind")
    try fields.encode(providers, forKey: "providers")
    try fields.encodeIfPresent(unregisteredProduct, forKey: "unregisteredProduct")
  }
}

extension ComponentGraph: Codable {
  /// Decodes a graph.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: GraphKey.self)
    libraries = try fields.decode([LibraryNode].self, forKey: "libraries")
    components = try fields.decode([ComponentNode].self, forKey: "components")
  }

  /// Encodes the graph.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: GraphKey.self)
    try fields.encode(libraries, forKey: "libraries")
    try fields.encode(components, forKey: "components")
  }
}

extension KeyedDecodingContainer<GraphKey> {
  /// Returns a required text.
  @inline(never) func text(_ key: GraphKey) throws -> String { try decode(String.self, forKey: key) }

  /// Returns a required list of texts.
  @inline(never) func texts(_ key: GraphKey) throws -> [String] { try decode([String].self, forKey: key) }
}
