import TenonBasics

extension Dependency {
  /// Needs what the type of a parameter says: the instance of a type, an optional one for `T?`, the
  /// contributions for `[T]`, or the form itself for ``Provider``, ``Deferred`` and ``Factory``. For
  /// parameters of ``Component/init(from:needs:file:line:)`` that need nothing by name.
  public static var inferred: Dependency { inferred(named: nil) }

  /// Needs by name what the type of a parameter says; see ``inferred``.
  ///
  /// ```swift
  /// Component(from: Catalog.init(database:cache:), needs: .named("main"), .inferred)
  /// ```
  ///
  /// - Parameter name: the name of the key; for `[T]`, the name under which contributions are collected.
  public static func named(_ name: String) -> Dependency { inferred(named: name) }

  /// Returns the dependency that a parameter's type declares.
  ///
  /// The type is examined once, when the component is declared, not for each creation.
  ///
  /// - Parameter name: the name of the key; `nil` for none.
  private static func inferred(named name: String?) -> Dependency {
    let inferred: (any Sendable)? =
      switch Value.self {
      case let optional as any OptionalType.Type: inferredOptional(sendable(optional.wrappedType), name)
      case let array as any ArrayType.Type: inferredAll(sendable(array.element), name)
      case let form as any NeedForm.Type: form.dependency(named: name)
      default: nil
      }
    return inferred as? Dependency ?? .required(Value.self, named: name)
  }

  /// Returns `Dependency<Wrapped?>.optional`; in a separate function, which opens the metatype.
  ///
  /// - Parameters:
  ///   - type: the wrapped type of an `Optional` that conforms to `Sendable`.
  ///   - name: the name of the key.
  private static func inferredOptional<Wrapped: Sendable>(
    _ type: Wrapped.Type, _ name: String?
  ) -> any Sendable {
    Dependency<Wrapped?>.optional(type, named: name)
  }

  /// Returns `Dependency<[Element]>.all`; in a separate function, which opens the metatype.
  ///
  /// - Parameters:
  ///   - type: the element type of an `Array` that conforms to `Sendable`.
  ///   - name: the name of the key.
  private static func inferredAll<Element: Sendable>(_ type: Element.Type, _ name: String?) -> any Sendable {
    Dependency<[Element]>.all(type, named: name)
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
  /// Returns the need for a value of this type: a `Dependency<Self>`. Its type is erased, because the caller
  /// has `Self` only as a metatype.
  ///
  /// - Parameter name: the name of the key; `nil` for none.
  static func dependency(named name: String?) -> any Sendable
}

extension Provider: NeedForm {
  /// A provider of an optional for `Provider<T?>`, of the contributions for `Provider<[T]>`, otherwise of an
  /// instance that something must provide.
  static func dependency(named name: String?) -> any Sendable {
    switch Value.self {
    case let optional as any OptionalType.Type: ofOptional(sendable(optional.wrappedType), name)
    case let array as any ArrayType.Type: ofAll(sendable(array.element), name)
    default: Dependency<Provider<Value>>.provider(Value.self, named: name)
    }
  }

  /// Returns the need for a provider of an optional.
  private static func ofOptional<Wrapped: Sendable>(
    _ type: Wrapped.Type, _ name: String?
  ) -> any Sendable {
    Dependency<Provider<Wrapped?>>.optionalProvider(type, named: name)
  }

  /// Returns the need for a provider of contributions.
  private static func ofAll<Element: Sendable>(_ type: Element.Type, _ name: String?) -> any Sendable {
    Dependency<Provider<[Element]>>.allProvider(type, named: name)
  }
}
