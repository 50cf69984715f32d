extension Component {
  /// Declares a decorator: a component that is served in place of another one of the same key, and receives
  /// its instance.
  ///
  /// ```swift
  /// Component.decorating((any Clock).self, needs: .required(Settings.self)) { context, clock, settings in
  ///   OffsetClock(clock, by: settings.offset)
  /// }
  /// ```
  ///
  /// A decorator works in a library, in a container, in a child and in overrides. It is bound to the
  /// component over which it is declared, is applied once, and its instance is created from what the
  /// container that is asked has (R10): if a child or a test overrides something that the decorated component
  /// needs, the decorator receives an instance that was created with it. A component that overrides the key
  /// takes the place of the decorated component and all its decorators.
  ///
  /// Several decorators of a key in one container stack: a library decorates what the libraries on which it
  /// depends provide and decorate, and components without a library come last. A child decorates what its
  /// parent has.
  ///
  /// A component that needs a key under which it is served (``Component/providing(_:named:_:)`` included) is
  /// a decorator of that key in the same way.
  ///
  /// - Parameters:
  ///   - type: the type of the component that is decorated, and of the decorator.
  ///   - name: the name of both; none by default.
  ///   - isOptional: whether the decorator is left out if nothing else provides the key. By default,
  ///     configuring then fails with ``ConfigurationError/Code/missingDependency``.
  ///   - needs: what else the decorator needs, one for each parameter of `create` after the decorated
  ///     instance.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  ///   - create: creates the decorator's instance. If the decorated component declines, a decorator that is
  ///     optional declines as well, and any other fails (R3).
  /// - Returns: the component, whose scope is ``Scope/shared`` unless it is changed.
  @export(implementation)
  public static func decorating<each Needed: Sendable>(
    _ type: Value.Type = Value.self,
    named name: String? = nil,
    isOptional: Bool = false,
    needs: repeat Dependency<each Needed>,
    file: StaticString = #fileID,
    line: UInt = #line,
    create: @escaping @Sendable (ComponentContext, Value, repeat each Needed) throws -> Value
  ) -> Component {
    decorator(
      of: ComponentKey(type, named: name), isOptional, needs: repeat each needs, at: (file, line), create)
  }

  /// Declares a decorator without further needs; see ``decorating(_:named:isOptional:needs:file:line:create:)-10p0j``.
  ///
  /// - Parameters:
  ///   - type: the type of the component that is decorated, and of the decorator.
  ///   - name: the name of both; none by default.
  ///   - isOptional: whether the decorator is left out if nothing else provides the key.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  ///   - create: creates the decorator's instance from the context and the decorated instance.
  /// - Returns: the component.
  @export(implementation)
  public static func decorating(
    _ type: Value.Type = Value.self,
    named name: String? = nil,
    isOptional: Bool = false,
    file: StaticString = #fileID,
    line: UInt = #line,
    create: @escaping @Sendable (ComponentContext, Value) throws -> Value
  ) -> Component {
    decorator(of: ComponentKey(type, named: name), isOptional, at: (file, line), create)
  }

  /// Declares a decorator with one further need; see
  /// ``decorating(_:named:isOptional:needs:file:line:create:)-10p0j``.
  ///
  /// - Parameters:
  ///   - type: the type of the component that is decorated, and of the decorator.
  ///   - name: the name of both; none by default.
  ///   - isOptional: whether the decorator is left out if nothing else provides the key.
  ///   - first: the need.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  ///   - create: creates the decorator's instance from the context, the decorated instance and what is needed.
  /// - Returns: the component.
  @export(implementation)
  public static func decorating<Needed: Sendable>(
    _ type: Value.Type = Value.self,
    named name: String? = nil,
    isOptional: Bool = false,
    needs first: Dependency<Needed>,
    file: StaticString = #fileID,
    line: UInt = #line,
    create: @escaping @Sendable (ComponentContext, Value, Needed) throws -> Value
  ) -> Component {
    decorator(of: ComponentKey(type, named: name), isOptional, needs: first, at: (file, line), create)
  }

  /// Declares a decorator with two further needs; see
  /// ``decorating(_:named:isOptional:needs:file:line:create:)-10p0j``.
  ///
  /// - Parameters:
  ///   - type: the type of the component that is decorated, and of the decorator.
  ///   - name: the name of both; none by default.
  ///   - isOptional: whether the decorator is left out if nothing else provides the key.
  ///   - first: the first need.
  ///   - second: the second need.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  ///   - create: creates the decorator's instance from the context, the decorated instance and what is needed,
  ///     in this order.
  /// - Returns: the component.
  @export(implementation)
  public static func decorating<First: Sendable, Second: Sendable>(
    _ type: Value.Type = Value.self,
    named name: String? = nil,
    isOptional: Bool = false,
    needs first: Dependency<First>,
    _ second: Dependency<Second>,
    file: StaticString = #fileID,
    line: UInt = #line,
    create: @escaping @Sendable (ComponentContext, Value, First, Second) throws -> Value
  ) -> Component {
    decorator(of: ComponentKey(type, named: name), isOptional, needs: first, second, at: (file, line), create)
  }
}

extension Component {
  /// Declares a decorator in the form to which all others convert theirs. For up to two needs, there are
  /// functions without a parameter pack, because the compiler explains mistakes in their closures.
  ///
  /// - Parameters:
  ///   - key: the key that is decorated and served.
  ///   - isOptional: whether the decorator is left out if nothing else provides the key.
  ///   - needs: what else the decorator needs.
  ///   - place: where the decorator is declared.
  ///   - create: creates the decorator's instance.
  @export(implementation)
  static func decorator<each Needed: Sendable>(
    of key: ComponentKey, _ isOptional: Bool, needs: repeat Dependency<each Needed>,
    at place: DeclarationPlace,
    _ create: @escaping @Sendable (ComponentContext, Value, repeat each Needed) throws -> Value
  ) -> Component {
    var declared = [Need(isOptional ? .optional : .required, key)]
    for dependency in repeat each needs { declared.append(dependency.need) }
    return Component(Value.self, needs: declared, arguments: [], at: place) { builder, context in
      let inner = builder.slot(context.component, as: Value.self, isOptional: isOptional)
      let bound = (repeat (each needs).bind(builder).make)
      return Make { thread in
        guard let inner = isOptional ? try inner?.valueUnlessDeclined(thread) : try inner?.value(thread)
        else {
          throw ComponentUnavailable("What it decorates isn't available.")
        }
        return try create(context, inner, repeat (each bound)(thread))
      }
    }.decorator(of: key)
  }

  /// Returns a copy that decorates what else serves a key, and serves it.
  @usableFromInline func decorator(of key: ComponentKey) -> Component {
    modified {
      $0.setKey(key)
      $0.isDecorator = true
    }
  }
}
