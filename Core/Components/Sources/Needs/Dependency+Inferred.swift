import TenonFoundation

extension Dependency {
  /// Returns the dependency that a parameter's type declares: an optional need for `T?`, the contributions
  /// for `[T]`, the form itself for a provider, a deferred value or a factory, otherwise a required need.
  /// None of them has a name.
  ///
  /// The type is examined once, when the component is declared, not for each creation.
  ///
  /// - Parameter type: the type of the parameter.
  static func inferred(_ type: Value.Type) -> Dependency<Value> {
    let inferred: (any Sendable)? =
      switch type {
      case let optional as any OptionalType.Type: Self.inferredOptional(sendable(optional.wrappedType))
      case let array as any ArrayType.Type: Self.inferredAll(sendable(array.element))
      case let form as any NeedForm.Type: form.dependency
      default: nil
      }
    return inferred as? Dependency<Value> ?? .required(type)
  }

  /// Returns `Dependency<Wrapped?>.optional`; in a separate function, which opens the metatype.
  ///
  /// - Parameter type: the wrapped type of an `Optional` that conforms to `Sendable`.
  private static func inferredOptional<Wrapped: Sendable>(_ type: Wrapped.Type) -> any Sendable {
    Dependency<Wrapped?>.optional(type)
  }

  /// Returns `Dependency<[Element]>.all`; in a separate function, which opens the metatype.
  ///
  /// - Parameter type: the element type of an `Array` that conforms to `Sendable`.
  private static func inferredAll<Element: Sendable>(_ type: Element.Type) -> any Sendable {
    Dependency<[Element]>.all(type)
  }
}

/// Recognizes arrays at run time, and returns their element type.
protocol ArrayType {
  /// The type of the array's elements.
  static var element: any Any.Type { get }
}

extension Array: ArrayType {
  static var element: any Any.Type { Element.self }
}

/// A type that determines the form of a need when it is the type of a parameter of a creation; see
/// ``Component/init(from:file:line:)``. Types outside Core can't conform to it: for them, the parameter is a
/// required need.
protocol NeedForm: Sendable {
  /// The need for a value of this type: a `Dependency<Self>`. Its type is erased, because the caller has
  /// `Self` only as a metatype.
  static var dependency: any Sendable { get }
}

extension Provider: NeedForm {
  /// A provider of an optional for `Provider<T?>`, of the contributions for `Provider<[T]>`, otherwise of an
  /// instance that something must provide.
  static var dependency: any Sendable {
    switch Value.self {
    case let optional as any OptionalType.Type: ofOptional(sendable(optional.wrappedType))
    case let array as any ArrayType.Type: ofAll(sendable(array.element))
    default: Dependency<Provider<Value>>.provider(Value.self)
    }
  }

  /// Returns the need for a provider of an optional.
  private static func ofOptional<Wrapped: Sendable>(_ type: Wrapped.Type) -> any Sendable {
    Dependency<Provider<Wrapped?>>.optionalProvider(type)
  }

  /// Returns the need for a provider of contributions.
  private static func ofAll<Element: Sendable>(_ type: Element.Type) -> any Sendable {
    Dependency<Provider<[Element]>>.allProvider(type)
  }
}
