import TenonBasics

/// What a component is requested by: a type, usually an interface, and an optional name (R1).
///
/// Two keys are equal if their types are the same type and their names are equal; types of equal name in
/// different scopes are different keys. Names are compared as strings are, by canonical equivalence. The name
/// isn't validated here but with the graph.
@usableFromInline
struct ComponentKey: Hashable, Sendable, CustomStringConvertible {
  /// The name; `nil` for the component without one.
  let name: String?
  /// The type, which is also the static type of the instance under this key. Equality compares its identity,
  /// not its spelling.
  let metatype: any Any.Type

  /// The identity of the type.
  var type: ObjectIdentifier { ObjectIdentifier(metatype) }

  /// Creates a key.
  ///
  /// - Parameters:
  ///   - type: the type.
  ///   - name: the name; none by default.
  @usableFromInline init(_ type: any Any.Type, named name: String? = nil) {
    self.name = name
    metatype = type
  }

  @usableFromInline static func == (left: ComponentKey, right: ComponentKey) -> Bool {
    left.type == right.type && left.name == right.name
  }

  /// Hashes the type and the name.
  @usableFromInline func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    if let name { hasher.combine(name) }
  }

  /// Returns the key of the same type with another name.
  func named(_ name: String) -> ComponentKey { ComponentKey(metatype, named: name) }

  /// The key as it is shown to users, for example `any AuthInterop` or `Functions named "eu"`. Not unique:
  /// types of equal name in different modules have the same description. Not inlined: nearly every
  /// message has one.
  @inline(never) @usableFromInline var description: String {
    guard let name else { return typeName }
    return "\(typeName) named \"\(name)\""
  }

  /// The module that declares the type, for example `TenonAuthInterop`, taken from the qualified name of the
  /// type.
  ///
  /// - Complexity: O(*n*) in the length of the type's name.
  var module: String {
    let name = _typeName(metatype, qualified: true)
    let start = name.hasPrefix("any ") ? name.dropFirst(4) : name[...]
    return String(start.prefix { $0 != "." })
  }

  /// The module of the product that implements an interop module, by the naming convention: `TenonAuth` for a
  /// type that `TenonAuthInterop` declares. `nil` for types of other modules.
  var interopProduct: String? {
    let (module, suffix) = (module, "Interop")
    guard module.hasSuffix(suffix), module.count > suffix.count else { return nil }
    return String(module.dropLast(suffix.count))
  }
}

extension ComponentKey {
  /// The type as it is written in code, without the module and the types in which it is declared: `Motor`,
  /// `any Clock`, `(any Clock)?`.
  ///
  /// The runtime omits the `any` of unconstrained existentials. They are recognized by their metatype, which
  /// is called `.Protocol`.
  var typeName: String {
    if let optional = metatype as? any OptionalType.Type {
      return ComponentKey(optional.wrappedType).optionalTypeName
    }
    let name = String(describing: metatype)
    let isExistential = String(describing: Swift.type(of: metatype)) == "\(name).Protocol"
    return isExistential && name != "Any" && name != "AnyObject" ? "any \(name)" : name
  }

  /// Whether the type has no instances of classes. A type of a protocol may have some.
  var isValueType: Bool {
    !(metatype is AnyClass) && !typeName.hasPrefix("any ") && typeName != "Any" && typeName != "AnyObject"
  }

  /// The optional of the type as it is written in code, for example `(any Clock)?`.
  var optionalTypeName: String { typeName.contains(" ") ? "(\(typeName))?" : "\(typeName)?" }

  /// The metatype as it is written in code, for example `(any AuthInterop).self`.
  var typeExpression: String { typeName.contains(" ") ? "(\(typeName)).self" : "\(typeName).self" }

  /// The key as arguments of a call in code, for example `Clock.self, named: "utc"`.
  var reference: String { name.map { "\(typeExpression), named: \"\($0)\"" } ?? typeExpression }

  /// A declaration of the key in code, for example `Component(Clock.self) { … }.named("utc")`.
  var declaration: String {
    "Component(\(typeExpression)) { … }\(name.map { ".named(\"\($0)\")" } ?? "")"
  }
}
