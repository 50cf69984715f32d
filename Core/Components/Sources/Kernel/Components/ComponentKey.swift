/// What a component is asked for by: a type, mostly an interface, and an optional name (R1).
@usableFromInline
struct ComponentKey: Hashable, Sendable, CustomStringConvertible {
  let name: String?
  let metatype: any Any.Type

  var type: ObjectIdentifier { ObjectIdentifier(metatype) }

  @usableFromInline init(_ type: any Any.Type, named name: String? = nil) {
    self.name = name
    metatype = type
  }

  @usableFromInline static func == (left: ComponentKey, right: ComponentKey) -> Bool {
    left.type == right.type && left.name == right.name
  }

  @usableFromInline func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    if let name { hasher.combine(name) }
  }

  /// The same type under another name.
  func named(_ name: String) -> ComponentKey { ComponentKey(metatype, named: name) }

  /// The type as a user writes it, for example `any AuthInterop` or `Functions named "eu"`.
  @usableFromInline var description: String {
    guard let name else { return typeName }
    return "\(typeName) named \"\(name)\""
  }

  /// The module that declares the type.
  var module: String {
    let name = _typeName(metatype, qualified: true)
    let start = name.hasPrefix("any ") ? name.dropFirst(4) : name[...]
    return String(start.prefix { $0 != "." })
  }

  /// The module of the product that implements an interop module, which is named after it: `TenonAuth` for a type that
  /// `TenonAuthInterop` declares. `nil` for other types.
  var interopProduct: String? {
    let (module, suffix) = (module, "Interop")
    guard module.hasSuffix(suffix), module.count > suffix.count else { return nil }
    return String(module.dropLast(suffix.count))
  }
}

extension ComponentKey {
  /// The type as it is written in code. The runtime leaves out the `any` of plain existentials; that their
  /// metatype is called `.Protocol` gives them away.
  var typeName: String {
    if let optional = metatype as? any OptionalType.Type {
      let wrapped = ComponentKey(optional.wrapped).typeName
      return wrapped.contains(" ") ? "(\(wrapped))?" : "\(wrapped)?"
    }
    let name = String(describing: metatype)
    let isExistential = String(describing: Swift.type(of: metatype)) == "\(name).Protocol"
    return isExistential && name != "Any" && name != "AnyObject" ? "any \(name)" : name
  }

  /// The type as it is written in code, for example `(any AuthInterop).self`.
  var typeExpression: String { typeName.contains(" ") ? "(\(typeName)).self" : "\(typeName).self" }

  /// The key as the arguments of a call in code, for example `Clock.self, named: "utc"`.
  var reference: String { name.map { "\(typeExpression), named: \"\($0)\"" } ?? typeExpression }

  /// A declaration of the key in code, for example `Component(Clock.self) { … }.named("utc")`.
  var declaration: String {
    "Component(\(typeExpression)) { … }\(name.map { ".named(\"\($0)\")" } ?? "")"
  }
}
