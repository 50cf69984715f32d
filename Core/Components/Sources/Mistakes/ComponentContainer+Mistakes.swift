// Unavailable overloads, whose messages say what to write instead. For code that compiles without them, the
// compiler doesn't consider them.

extension ComponentContainer {
  /// Unavailable: the type is missing.
  @available(*, unavailable, message: "Say which type: resolve(T.self), or let value: T = try resolve().")
  @export(implementation)
  public func resolve(named name: String? = nil) throws -> Never { unavailable() }

  /// Unavailable: an instance instead of a type.
  @available(*, unavailable, message: "Pass the type, not an instance of it: resolve(T.self).")
  @export(implementation)
  public func resolve<Value>(_ instance: Value, named name: String? = nil) throws -> Value { unavailable() }

  /// Unavailable: a name without a type.
  @available(
    *, unavailable, message: "Pass the type, and the name with its label: resolve(T.self, named: \"…\")."
  )
  @export(implementation)
  public func resolve<Value>(_ name: String) throws -> Value { unavailable() }

  /// Unavailable: an instance instead of its type.
  @available(*, unavailable, message: "Pass the types: reset(T.self), or reset(A.self, B.self).")
  @export(implementation)
  public func reset<Value>(_ instance: Value, named name: String? = nil) async throws { unavailable() }

  /// Unavailable: an array.
  @available(*, unavailable, message: "Pass the types without an array: reset(A.self, B.self).")
  @export(implementation)
  public func reset(_ types: [any Any.Type]) async throws { unavailable() }

  /// Unavailable: the label is `named:`.
  @available(*, unavailable, renamed: "resolve(_:named:)")
  @export(implementation)
  public func resolve<Value>(_ type: Value.Type, name: String?) throws -> Value { unavailable() }

  /// Unavailable: the labels are `named:` and `arguments:`.
  @available(
    *, unavailable,
    message: "Label what follows the type: resolve(T.self, named: …) or resolve(T.self, arguments: …)."
  )
  @export(implementation)
  public func resolve<Value, First, each More>(
    _ type: Value.Type, _ first: First, _ more: repeat each More
  ) throws -> Value {
    unavailable()
  }

  /// Unavailable: the label is `arguments:`.
  @available(*, unavailable, message: "The label is arguments: resolve(T.self, arguments: …).")
  @export(implementation)
  public func resolve<Value, First, each More>(
    _ type: Value.Type, named name: String? = nil, argument first: First, _ more: repeat each More
  ) throws -> Value {
    unavailable()
  }

  /// Unavailable: the type is missing.
  @available(*, unavailable, message: "Say which type: resolveIfPresent(T.self).")
  @export(implementation)
  public func resolveIfPresent(named name: String? = nil) throws -> Never? { unavailable() }

  /// Unavailable: the type is missing.
  @available(*, unavailable, message: "Say which type: resolveAll(T.self).")
  @export(implementation)
  public func resolveAll(named name: String? = nil) throws -> [Never] { unavailable() }

  /// Unavailable: the type is missing.
  @available(*, unavailable, message: "Say which type: handle(T.self).")
  @export(implementation)
  public func handle(named name: String? = nil) -> ComponentHandle<Never> { unavailable() }

  /// Unavailable: the components of a container are declared when it is created.
  @available(
    *, unavailable,
    message: """
      Declare components where the container is created, ComponentContainer { Component(T.self) { … } }, or \
      change a live container with update { $0.install { … } }.
      """
  )
  @export(implementation)
  public func register<Value>(
    _ type: Value.Type, named name: String? = nil, create: (ComponentContainer) throws -> Any
  ) {
    unavailable()
  }

  /// Unavailable: a list instead of changes.
  @available(
    *, unavailable, message: "Say what to do with the components: update { $0.install { … } } or $0.replace."
  )
  @export(implementation)
  public func update(@ComponentBuilder _ components: () throws -> [AnyComponent]) throws { unavailable() }
}

extension ComponentUpdate {
  /// Unavailable: a component outside of a list.
  @available(*, unavailable, message: "Pass a list of components: install { Component(T.self) { … } }.")
  @export(implementation)
  public mutating func install<Value>(_ component: Component<Value>) { unavailable() }

  /// Unavailable: a component outside of a list.
  @available(*, unavailable, message: "Pass a list of components: replace { Component(T.self) { … } }.")
  @export(implementation)
  public mutating func replace<Value>(_ component: Component<Value>) { unavailable() }
}

extension App {
  /// Unavailable: the type is missing.
  @available(*, unavailable, message: "Say which type: resolve(T.self), or let value: T = try resolve().")
  @export(implementation)
  public func resolve(named name: String? = nil) throws -> Never { unavailable() }
}

extension ComponentContext {
  /// Unavailable: a creation receives what it needs.
  @available(
    *, unavailable,
    message: """
      A creation receives what it declares: Component(T.self, needs: .required(Other.self)) { context, other \
      in … }. To resolve after the creation, use .onCreate.
      """
  )
  @export(implementation)
  public func resolve<Value>(_ type: Value.Type, named name: String? = nil) throws -> Value { unavailable() }
}

/// The body of what is unavailable, which nothing can call.
@usableFromInline
package func unavailable(_ function: StaticString = #function) -> Never {
  fatalError("\(function) is unavailable")
}
