// A factory of one to four arguments, written out. It means the same as the one with a pack and is chosen before it: where
// a pack is declared and used in one expression, the compiler can't convert what is passed to the factory (an object to an
// interface that it has, a value to an optional), and fails without saying why.

extension Dependency {
  /// A ``Factory``, which creates a new `T` from an argument each time it is called.
  ///
  /// - Parameters:
  ///   - type: what it creates.
  ///   - first: the type of the argument that will be given. It is checked against what the component takes when the
  ///     container is configured.
  ///   - name: the component's name.
  public static func factory<T: Sendable, First: Sendable>(
    _ type: T.Type, taking first: First.Type, named name: String? = nil
  ) -> Dependency where Value == Factory<T, First> {
    .factory(ComponentKey(type, named: name), [ComponentKey(first)])
  }

  /// A ``Factory`` of two arguments; see ``factory(_:taking:named:)``.
  public static func factory<T: Sendable, First: Sendable, Second: Sendable>(
    _ type: T.Type, taking first: First.Type, _ second: Second.Type, named name: String? = nil
  ) -> Dependency where Value == Factory<T, First, Second> {
    .factory(ComponentKey(type, named: name), [ComponentKey(first), ComponentKey(second)])
  }

  /// A ``Factory`` of three arguments; see ``factory(_:taking:named:)``.
  public static func factory<T: Sendable, First: Sendable, Second: Sendable, Third: Sendable>(
    _ type: T.Type, taking first: First.Type, _ second: Second.Type, _ third: Third.Type,
    named name: String? = nil
  ) -> Dependency where Value == Factory<T, First, Second, Third> {
    .factory(
      ComponentKey(type, named: name), [ComponentKey(first), ComponentKey(second), ComponentKey(third)])
  }

  /// A ``Factory`` of four arguments; see ``factory(_:taking:named:)``.
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

  /// A ``Factory``, which creates a new `T` from arguments each time it is called.
  ///
  /// - Parameters:
  ///   - type: what it creates.
  ///   - arguments: the types of the arguments that will be given. They are checked against those that the component
  ///     takes when the container is configured.
  ///   - name: the component's name.
  public static func factory<T: Sendable, each Argument: Sendable>(
    _ type: T.Type,
    taking arguments: repeat (each Argument).Type,
    named name: String? = nil
  ) -> Dependency where Value == Factory<T, repeat each Argument> {
    var types: [ComponentKey] = []
    for argument in repeat each arguments { types.append(ComponentKey(argument)) }
    return .factory(ComponentKey(type, named: name), types)
  }

  private static func factory<T, each Argument>(
    _ key: ComponentKey, _ types: [ComponentKey]
  ) -> Dependency where Value == Factory<T, repeat each Argument> {
    Dependency(Need(.factory, key, arguments: types)) { builder in
      let factory = Factory<T, repeat each Argument>(key: key, container: builder.container)
      return .made(Make { _ in factory })
    }
  }
}
