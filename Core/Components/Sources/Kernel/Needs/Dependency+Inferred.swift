extension Dependency {
  /// Returns the dependency that a parameter of a type declares.
  static func inferred(_ type: Value.Type) -> Dependency<Value> {
    let inferred: (any Sendable)? =
      switch type {
      case let optional as any OptionalType.Type: Self.inferredOptional(sendable(optional.wrapped))
      case let array as any ArrayType.Type: Self.inferredAll(sendable(array.element))
      case let form as any NeedForm.Type: form.dependency
      default: nil
      }
    return inferred as? Dependency<Value> ?? .required(type)
  }

  private static func inferredOptional<Wrapped: Sendable>(_ type: Wrapped.Type) -> any Sendable {
    Dependency<Wrapped?>.optional(type)
  }

  private static func inferredAll<Element: Sendable>(_ type: Element.Type) -> any Sendable {
    Dependency<[Element]>.all(type)
  }
}

private protocol ArrayType {
  static var element: any Any.Type { get }
}

extension Array: ArrayType {
  fileprivate static var element: any Any.Type { Element.self }
}

/// A type that declares a form of need when it is a parameter of a creation; see ``Component/init(from:)``.
protocol NeedForm: Sendable {
  /// A `Dependency<Self>`.
  static var dependency: any Sendable { get }
}

extension Provider: NeedForm {
  static var dependency: any Sendable {
    switch Value.self {
    case let optional as any OptionalType.Type: ofOptional(sendable(optional.wrapped))
    case let array as any ArrayType.Type: ofAll(sendable(array.element))
    default: Dependency<Provider<Value>>.provider(Value.self)
    }
  }

  private static func ofOptional<Wrapped: Sendable>(_ type: Wrapped.Type) -> any Sendable {
    Dependency<Provider<Wrapped?>>.optionalProvider(type)
  }

  private static func ofAll<Element: Sendable>(_ type: Element.Type) -> any Sendable {
    Dependency<Provider<[Element]>>.allProvider(type)
  }
}
