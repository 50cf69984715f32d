// Unavailable overloads, whose messages say what to write instead. For code that compiles without them, the
// compiler doesn't consider them. Those with parameter packs are chosen where the compiler would otherwise
// report that the shapes of two packs differ.

extension Component {
  /// Unavailable: the closure takes more than the context, and nothing is declared.
  @available(
    *, unavailable,
    message: """
      Declare what the closure receives after the context: needs: .required(T.self) for a dependency, \
      arguments: T.self for a value that resolve passes.
      """
  )
  @export(implementation)
  public init<First, each More>(
    _ type: Value.Type, file: StaticString = #fileID, line: UInt = #line,
    create: @escaping @Sendable (ComponentContext, First, repeat each More) throws -> Value
  ) {
    unavailable()
  }

  /// Unavailable: the closure's parameters aren't the needs.
  @available(
    *, unavailable,
    message: "The closure receives the context and then one value for each need, in their order."
  )
  @export(implementation)
  public init<First, Second, Third, Fourth, each Needed, each Input>(
    _ type: Value.Type, needs first: Dependency<First>, _ second: Dependency<Second>,
    _ third: Dependency<Third>, _ fourth: Dependency<Fourth>, _ more: repeat Dependency<each Needed>,
    file: StaticString = #fileID, line: UInt = #line,
    create: @escaping @Sendable (ComponentContext, repeat each Input) throws -> Value
  ) {
    unavailable()
  }

  /// Unavailable: more than four arguments.
  @available(
    *, unavailable,
    message: "A component takes up to four arguments: pass several values as one structure."
  )
  @export(implementation)
  public init<each Needed, First, Second, Third, Fourth, Fifth, each More, each Input>(
    _ type: Value.Type, needs: repeat Dependency<each Needed>,
    arguments first: First.Type, _ second: Second.Type, _ third: Third.Type, _ fourth: Fourth.Type,
    _ fifth: Fifth.Type, _ more: repeat (each More).Type,
    file: StaticString = #fileID, line: UInt = #line,
    create:
      @escaping @Sendable (ComponentContext, First, Second, Third, Fourth, Fifth, repeat each Input) throws ->
      Value
  ) {
    unavailable()
  }

  /// Unavailable: the closure's parameters aren't the arguments and the needs.
  @available(
    *, unavailable,
    message: """
      The closure receives the context, then one value for each argument, and then one for each need, in \
      their order.
      """
  )
  @export(implementation)
  public init<each Needed, First, each More, each Input>(
    _ type: Value.Type, needs: repeat Dependency<each Needed>,
    arguments first: First.Type, _ more: repeat (each More).Type,
    file: StaticString = #fileID, line: UInt = #line,
    create: @escaping @Sendable (ComponentContext, repeat each Input) throws -> Value
  ) {
    unavailable()
  }

  /// Unavailable: the name is a modifier.
  @available(*, unavailable, message: "Add the name with a modifier: Component(T.self) { … }.named(\"…\").")
  @export(implementation)
  public init<each Needed, each Input>(
    _ type: Value.Type, named name: String, needs: repeat Dependency<each Needed>,
    file: StaticString = #fileID, line: UInt = #line,
    create: @escaping @Sendable (ComponentContext, repeat each Input) throws -> Value
  ) {
    unavailable()
  }

  /// Unavailable: an instance instead of a function.
  @available(
    *, unavailable,
    message: """
      Pass a function that creates the instance, such as T.init. To provide one that exists, write \
      Component(T.self) { _ in instance }.
      """
  )
  @export(implementation)
  public init(from instance: Value, file: StaticString = #fileID, line: UInt = #line) { unavailable() }

  /// Unavailable: the number of needs isn't that of the function's parameters.
  @available(
    *, unavailable,
    message: "State one need for each parameter of the function: .named(\"…\") or .inferred."
  )
  @export(implementation)
  public init<each Input, each Needed>(
    from create: @escaping @Sendable (repeat each Input) throws -> Value,
    needs: repeat Dependency<each Needed>,
    file: StaticString = #fileID, line: UInt = #line
  ) {
    unavailable()
  }

  /// Unavailable: the number of needs isn't that of the function's parameters.
  @available(
    *, unavailable,
    message: "State one need for each parameter of the function: .named(\"…\") or .inferred."
  )
  @export(implementation)
  public init<each Input>(
    from create: @escaping @Sendable (repeat each Input) throws -> Value,
    needs: Dependency<Never>...,
    file: StaticString = #fileID, line: UInt = #line
  ) {
    unavailable()
  }

  /// Unavailable: the number of needs isn't that of the function's parameters.
  @available(
    *, unavailable,
    message: "State one need for each parameter of the function: .named(\"…\") or .inferred."
  )
  @export(implementation)
  public static func onMainActor<each Input>(
    from create: @escaping @MainActor @Sendable (repeat each Input) throws -> Value,
    needs: Dependency<Never>...,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Component {
    unavailable()
  }

  /// Unavailable: the closure of a decorator takes a further value, and nothing is declared. Its type is
  /// `Never`: with a generic one, the compiler would look no further for a closure whose body has an error.
  @available(
    *, unavailable,
    message: "Declare what the closure receives after the decorated instance: needs: .required(T.self)."
  )
  @export(implementation)
  public static func decorating(
    _ type: Value.Type = Value.self, named name: String? = nil, isOptional: Bool = false,
    file: StaticString = #fileID, line: UInt = #line,
    create: @escaping @Sendable (ComponentContext, Value, Never) throws -> Value
  ) -> Component {
    unavailable()
  }

  /// Unavailable: the closure of a decorator takes two further values, and nothing is declared.
  @available(
    *, unavailable,
    message: "Declare what the closure receives after the decorated instance: needs: .required(T.self), …"
  )
  @export(implementation)
  public static func decorating(
    _ type: Value.Type = Value.self, named name: String? = nil, isOptional: Bool = false,
    file: StaticString = #fileID, line: UInt = #line,
    create: @escaping @Sendable (ComponentContext, Value, Never, Never) throws -> Value
  ) -> Component {
    unavailable()
  }

  /// Unavailable: the closure's parameters aren't the needs.
  @available(
    *, unavailable,
    message: "The closure receives the context and then one value for each need, in their order."
  )
  @export(implementation)
  public static func onMainActor<each Needed, each Input>(
    _ type: Value.Type, needs: repeat Dependency<each Needed>,
    file: StaticString = #fileID, line: UInt = #line,
    create: @escaping @MainActor @Sendable (ComponentContext, repeat each Input) throws -> Value
  ) -> Component {
    unavailable()
  }
}

// MARK: - Modifiers

extension Component {
  /// Unavailable: a property that can't be set.
  @available(
    *, unavailable,
    message: "The property must be a variable of a class. Pass a constant to the initializer, as a need."
  )
  @export(implementation)
  public func injecting<Property>(
    _ property: any KeyPath<Value, Property> & Sendable, named name: String? = nil
  ) -> Component {
    unavailable()
  }

  /// Unavailable: the closure returns something else.
  @available(
    *, unavailable, message: "The closure returns something that isn't an instance of the provided type."
  )
  @export(implementation)
  public func providing<Interface, View>(
    _ type: Interface.Type, named name: String? = nil, _ view: @escaping @Sendable (Value) throws -> View
  ) -> Component {
    unavailable()
  }

  /// Unavailable: the closure is missing.
  @available(*, unavailable, message: "Convert the instance to the type: .providing(T.self) { $0 }.")
  @export(implementation)
  public func providing<Interface>(_ type: Interface.Type, named name: String? = nil) -> Component {
    unavailable()
  }

  /// Unavailable: the closure returns something else.
  @available(
    *, unavailable, message: "The closure returns something that isn't an instance of the collected type."
  )
  @export(implementation)
  public func contributing<Interface, View>(
    to type: Interface.Type, named name: String? = nil, _ view: @escaping @Sendable (Value) throws -> View
  ) -> Component {
    unavailable()
  }

  /// Unavailable: the closure is missing.
  @available(*, unavailable, message: "Convert the instance to the type: .contributing(to: T.self) { $0 }.")
  @export(implementation)
  public func contributing<Interface>(to type: Interface.Type, named name: String? = nil) -> Component {
    unavailable()
  }

  /// Unavailable: the label is `to:`.
  @available(*, unavailable, message: "The label is to: .contributing(to: T.self) { $0 }.")
  @export(implementation)
  public func contributing<Interface, View>(
    _ type: Interface.Type, named name: String? = nil, _ view: @escaping @Sendable (Value) throws -> View
  ) -> Component {
    unavailable()
  }
}

extension Dependency {
  /// Unavailable: the name is an argument.
  @available(*, unavailable, message: "Pass the name with the type: .required(T.self, named: \"…\").")
  @export(implementation)
  public func named(_ name: String) -> Dependency { unavailable() }
}

// MARK: - Lists

extension ComponentBuilder {
  /// Unavailable: what isn't a component can't be part of a list.
  @available(
    *, unavailable,
    message: """
      A list contains components, sources of components, and other lists. To provide this, write \
      Component(T.self) { _ in … }.
      """
  )
  @export(implementation)
  public static func buildExpression<Other>(_ other: Other) -> [AnyComponent] { unavailable() }
}

// MARK: - Words of other frameworks

extension Scope {
  /// Unavailable: Swinject's and Firebolt's word for ``shared``.
  @available(*, unavailable, renamed: "shared")
  public static var container: Scope { unavailable() }

  /// Unavailable: Factory's and Typhoon's word for ``shared``.
  @available(*, unavailable, renamed: "shared")
  public static var singleton: Scope { unavailable() }

  /// Unavailable: Swinject's word for ``unique``.
  @available(*, unavailable, renamed: "unique")
  public static var transient: Scope { unavailable() }

  /// Unavailable: Typhoon's word for ``unique``.
  @available(*, unavailable, renamed: "unique")
  public static var prototype: Scope { unavailable() }
}
