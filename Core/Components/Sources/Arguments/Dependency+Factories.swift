// Overloads for one to four arguments, which overload resolution prefers to the one with a parameter pack.
// They behave identically. They exist because the compiler can't convert an argument of the factory (an
// object to a protocol, a value to an optional) where a pack is declared and used in one expression, and
// reports an unrelated error. Like all that many programs don't use, they are compiled into those that do.

extension Dependency {
  /// Needs a ``Factory``, which creates a new `T` from an argument each time it is called.
  ///
  /// - Parameters:
  ///   - type: the type of the component.
  ///   - first: the type of the factory's argument. Configuring fails with
  ///     ``ConfigurationError/Code/arguments`` if the component doesn't accept it.
  ///   - name: the component's name; none by default.
  @export(implementation)
  public static func factory<T: Sendable, First: Sendable>(
    _ type: T.Type, taking first: First.Type, named name: String? = nil
  ) -> Dependency where Value == Factory<T, First> {
    .factory(ComponentKey(type, named: name), [ComponentKey(first)])
  }

  /// Needs a ``Factory`` with two arguments; see `factory(_:taking:named:)`.
  ///
  /// - Parameters:
  ///   - type: the type of the component.
  ///   - first: the type of the first argument.
  ///   - second: the type of the second argument.
  ///   - name: the component's name; none by default.
  @export(implementation)
  public static func factory<T: Sendable, First: Sendable, Second: Sendable>(
    _ type: T.Type, taking first: First.Type, _ second: Second.Type, named name: String? = nil
  ) -> Dependency where Value == Factory<T, First, Second> {
    .factory(ComponentKey(type, named: name), [ComponentKey(first), ComponentKey(second)])
  }

  /// Needs a ``Factory`` with three arguments; see `factory(_:taking:named:)`.
  ///
  /// - Parameters:
  ///   - type: the type of the component.
  ///   - first: the type of the first argument.
  ///   - second: the type of the second argument.
  ///   - third: the type of the third argument.
  ///   - name: the component's name; none by default.
  @export(implementation)
  public static func factory<T: Sendable, First: Sendable, Second: Sendable, Third: Sendable>(
    _ type: T.Type, taking first: First.Type, _ second: Second.Type, _ third: Third.Type,
    named name: String? = nil
  ) -> Dependency where Value == Factory<T, First, Second, Third> {
    .factory(
      ComponentKey(type, named: name), [ComponentKey(first), ComponentKey(second), ComponentKey(third)])
  }

  /// Needs a ``Factory`` with four arguments; see `factory(_:taking:named:)`.
  ///
  /// - Parameters:
  ///   - type: the type of the component.
  ///   - first: the type of the first argument.
  ///   - second: the type of the second argument.
  ///   - third: the type of the third argument.
  ///   - fourth: the type of the fourth argument.
  ///   - name: the component's name; none by default.
  @export(implementation)
  public static func factory<
    T: Sendable, First: Sendable, Second: Sendable, Third: Sendable, Fourth: Sendable
  >(
    _ type: T.Type, taking first: First.Type, _ second: Second.Type, _ third: Third.Type,
    _ fourth: Fourth.Type, named name: String? = nil
  ) -> Dependency where Value == Factory<T, First, Second, Third, Fourth> {
    .factory(
      ComponentKey(type, named: name),
      [ComponentKey(first), ComponentKey(second), ComponentKey(third), ComponentKey(fourth)])
  }

  /// Needs a ``Factory``, which creates a new `T` from arguments each time it is called.
  ///
  /// - Parameters:
  ///   - type: the type of the component.
  ///   - arguments: the types of the factory's arguments. Configuring fails with
  ///     ``ConfigurationError/Code/arguments`` if the component doesn't accept them.
  ///   - name: the component's name; none by default.
  @export(implementation)
  public static func factory<T: Sendable, each Argument: Sendable>(
    _ type: T.Type,
    taking arguments: repeat (each Argument).Type,
    named name: String? = nil
  ) -> Dependency where Value == Factory<T, repeat each Argument> {
    var types: [ComponentKey] = []
    for argument in repeat each arguments { types.append(ComponentKey(argument)) }
    return .factory(ComponentKey(type, named: name), types)
  }

  /// Returns the need for a factory of a key, whose arguments have the given types.
  @export(implementation)
  static func factory<T, each Argument>(
    _ key: ComponentKey, _ types: [ComponentKey]
  ) -> Dependency where Value == Factory<T, repeat each Argument> {
    Dependency(Need(.factory, key, arguments: types)) { builder in
      let factory = Factory<T, repeat each Argument>(key: key, container: builder.container)
      return .made(Make { _ in factory })
    }
  }
}
