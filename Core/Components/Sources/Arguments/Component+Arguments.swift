/// Components that take arguments at `resolve`, besides what they need. Their scope is ``Scope/unique``.
///
/// ```swift
/// Component(Session.self, needs: .required((any Clock).self), arguments: String.self, Int?.self) {
///   context, user, limit, clock in
///   Session(user: user, limit: limit, clock: clock)
/// }
/// let session = try container.resolve(Session.self, arguments: "ann")
/// ```
///
/// Optional arguments at the end may be left out, which means `nil`. There is one initializer for each number of
/// arguments up to four: a closure whose parameters are two packs can't be written.
extension Component {
  /// Declares a component that takes one argument.
  ///
  /// - Parameters:
  ///   - type: what it is asked for by.
  ///   - needs: what `create` receives after the context and the arguments.
  ///   - first: the type of the first argument.
  ///   - create: makes an instance.
  public init<each Needed: Sendable, First: Sendable>(
    _ type: Value.Type,
    needs: repeat Dependency<each Needed>,
    arguments first: First.Type,
    create: @escaping @Sendable (ComponentContext, First, repeat each Needed) throws -> Value
  ) {
    var declared: [Need] = []
    for dependency in repeat each needs { declared.append(dependency.need) }
    let types = [ComponentKey(first)]
    self.init(type, needs: declared, arguments: types) { builder, context in
      let bound = (repeat (each needs).bind(builder).make)
      return Make { thread in
        let given = try ArgumentList(types, of: context.component, thread)
        return try create(context, given.next(First.self), repeat (each bound)(thread))
      }
    }
    scope = .unique
  }

  /// Declares a component that takes two arguments.
  ///
  /// - Parameters:
  ///   - type: what it is asked for by.
  ///   - needs: what `create` receives after the context and the arguments.
  ///   - first: the type of the first argument.
  ///   - second: the type of the second argument.
  ///   - create: makes an instance.
  public init<each Needed: Sendable, First: Sendable, Second: Sendable>(
    _ type: Value.Type,
    needs: repeat Dependency<each Needed>,
    arguments first: First.Type, _ second: Second.Type,
    create: @escaping @Sendable (ComponentContext, First, Second, repeat each Needed) throws -> Value
  ) {
    var declared: [Need] = []
    for dependency in repeat each needs { declared.append(dependency.need) }
    let types = [ComponentKey(first), ComponentKey(second)]
    self.init(type, needs: declared, arguments: types) { builder, context in
      let bound = (repeat (each needs).bind(builder).make)
      return Make { thread in
        let given = try ArgumentList(types, of: context.component, thread)
        return try create(
          context, given.next(First.self), given.next(Second.self), repeat (each bound)(thread))
      }
    }
    scope = .unique
  }

  /// Declares a component that takes three arguments.
  ///
  /// - Parameters:
  ///   - type: what it is asked for by.
  ///   - needs: what `create` receives after the context and the arguments.
  ///   - first: the type of the first argument.
  ///   - second: the type of the second argument.
  ///   - third: the type of the third argument.
  ///   - create: makes an instance.
  public init<each Needed: Sendable, First: Sendable, Second: Sendable, Third: Sendable>(
    _ type: Value.Type,
    needs: repeat Dependency<each Needed>,
    arguments first: First.Type, _ second: Second.Type, _ third: Third.Type,
    create: @escaping @Sendable (ComponentContext, First, Second, Third, repeat each Needed) throws -> Value
  ) {
    var declared: [Need] = []
    for dependency in repeat each needs { declared.append(dependency.need) }
    let types = [ComponentKey(first), ComponentKey(second), ComponentKey(third)]
    self.init(type, needs: declared, arguments: types) { builder, context in
      let bound = (repeat (each needs).bind(builder).make)
      return Make { thread in
        let given = try ArgumentList(types, of: context.component, thread)
        return try create(
          context, given.next(First.self), given.next(Second.self), given.next(Third.self),
          repeat (each bound)(thread))
      }
    }
    scope = .unique
  }

  /// Declares a component that takes four arguments.
  ///
  /// - Parameters:
  ///   - type: what it is asked for by.
  ///   - needs: what `create` receives after the context and the arguments.
  ///   - first: the type of the first argument.
  ///   - second: the type of the second argument.
  ///   - third: the type of the third argument.
  ///   - fourth: the type of the fourth argument.
  ///   - create: makes an instance.
  public init<each Needed: Sendable, First: Sendable, Second: Sendable, Third: Sendable, Fourth: Sendable>(
    _ type: Value.Type,
    needs: repeat Dependency<each Needed>,
    arguments first: First.Type, _ second: Second.Type, _ third: Third.Type, _ fourth: Fourth.Type,
    create:
      @escaping @Sendable (ComponentContext, First, Second, Third, Fourth, repeat each Needed) throws -> Value
  ) {
    var declared: [Need] = []
    for dependency in repeat each needs { declared.append(dependency.need) }
    let types = [ComponentKey(first), ComponentKey(second), ComponentKey(third), ComponentKey(fourth)]
    self.init(type, needs: declared, arguments: types) { builder, context in
      let bound = (repeat (each needs).bind(builder).make)
      return Make { thread in
        let given = try ArgumentList(types, of: context.component, thread)
        return try create(
          context, given.next(First.self), given.next(Second.self), given.next(Third.self),
          given.next(Fourth.self), repeat (each bound)(thread))
      }
    }
    scope = .unique
  }
}
