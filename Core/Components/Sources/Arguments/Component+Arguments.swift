/// Components whose instances are created with arguments that `resolve` passes, in addition to what they
/// need. Their scope is ``Scope/unique``; with another scope, configuring fails with
/// ``ConfigurationError/Code/arguments``, because an instance that is kept would have the arguments of the
/// first request only.
///
/// ```swift
/// Component(Session.self, needs: .required((any Clock).self), arguments: String.self, Int?.self) {
///   context, user, limit, clock in
///   Session(user: user, limit: limit, clock: clock)
/// }
/// let session = try container.resolve(Session.self, arguments: "ann")
/// ```
///
/// Optional arguments at the end may be omitted, which passes `nil`. There is one initializer for each number
/// of arguments up to four, because Swift can't express a closure whose parameters are two parameter packs.
extension Component {
  /// Declares a component with one argument.
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - needs: the dependencies, which `create` receives after the context and the arguments.
  ///   - first: the type of the first argument.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  ///   - create: creates an instance. It may throw; ``ComponentUnavailable`` declines.
  @export(implementation)
  public init<each Needed: Sendable, First: Sendable>(
    _ type: Value.Type,
    needs: repeat Dependency<each Needed>,
    arguments first: First.Type,
    file: StaticString = #fileID,
    line: UInt = #line,
    create: @escaping @Sendable (ComponentContext, First, repeat each Needed) throws -> Value
  ) {
    var declared: [Need] = []
    for dependency in repeat each needs { declared.append(dependency.need) }
    let types = [ComponentKey(first)]
    self.init(type, needs: declared, arguments: types, at: (file, line)) { builder, context in
      let bound = (repeat (each needs).bind(builder).make)
      return Make { thread in
        let given = try thread.takeArguments(First.self, types, context) { try $0.next(First.self) }
        return try create(context, given, repeat (each bound)(thread))
      }
    }
  }

  /// Declares a component with two arguments.
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - needs: the dependencies, which `create` receives after the context and the arguments.
  ///   - first: the type of the first argument.
  ///   - second: the type of the second argument.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  ///   - create: creates an instance. It may throw; ``ComponentUnavailable`` declines.
  @export(implementation)
  public init<each Needed: Sendable, First: Sendable, Second: Sendable>(
    _ type: Value.Type,
    needs: repeat Dependency<each Needed>,
    arguments first: First.Type, _ second: Second.Type,
    file: StaticString = #fileID,
    line: UInt = #line,
    create: @escaping @Sendable (ComponentContext, First, Second, repeat each Needed) throws -> Value
  ) {
    var declared: [Need] = []
    for dependency in repeat each needs { declared.append(dependency.need) }
    let types = [ComponentKey(first), ComponentKey(second)]
    self.init(type, needs: declared, arguments: types, at: (file, line)) { builder, context in
      let bound = (repeat (each needs).bind(builder).make)
      return Make { thread in
        let given = try thread.takeArguments((First, Second).self, types, context) {
          (try $0.next(First.self), try $0.next(Second.self))
        }
        return try create(context, given.0, given.1, repeat (each bound)(thread))
      }
    }
  }

  /// Declares a component with three arguments.
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - needs: the dependencies, which `create` receives after the context and the arguments.
  ///   - first: the type of the first argument.
  ///   - second: the type of the second argument.
  ///   - third: the type of the third argument.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  ///   - create: creates an instance. It may throw; ``ComponentUnavailable`` declines.
  @export(implementation)
  public init<each Needed: Sendable, First: Sendable, Second: Sendable, Third: Sendable>(
    _ type: Value.Type,
    needs: repeat Dependency<each Needed>,
    arguments first: First.Type, _ second: Second.Type, _ third: Third.Type,
    file: StaticString = #fileID,
    line: UInt = #line,
    create: @escaping @Sendable (ComponentContext, First, Second, Third, repeat each Needed) throws -> Value
  ) {
    var declared: [Need] = []
    for dependency in repeat each needs { declared.append(dependency.need) }
    let types = [ComponentKey(first), ComponentKey(second), ComponentKey(third)]
    self.init(type, needs: declared, arguments: types, at: (file, line)) { builder, context in
      let bound = (repeat (each needs).bind(builder).make)
      return Make { thread in
        let given = try thread.takeArguments((First, Second, Third).self, types, context) {
          (try $0.next(First.self), try $0.next(Second.self), try $0.next(Third.self))
        }
        return try create(context, given.0, given.1, given.2, repeat (each bound)(thread))
      }
    }
  }

  /// Declares a component with four arguments.
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - needs: the dependencies, which `create` receives after the context and the arguments.
  ///   - first: the type of the first argument.
  ///   - second: the type of the second argument.
  ///   - third: the type of the third argument.
  ///   - fourth: the type of the fourth argument.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  ///   - create: creates an instance. It may throw; ``ComponentUnavailable`` declines.
  @export(implementation)
  public init<each Needed: Sendable, First: Sendable, Second: Sendable, Third: Sendable, Fourth: Sendable>(
    _ type: Value.Type,
    needs: repeat Dependency<each Needed>,
    arguments first: First.Type, _ second: Second.Type, _ third: Third.Type, _ fourth: Fourth.Type,
    file: StaticString = #fileID,
    line: UInt = #line,
    create:
      @escaping @Sendable (ComponentContext, First, Second, Third, Fourth, repeat each Needed) throws -> Value
  ) {
    var declared: [Need] = []
    for dependency in repeat each needs { declared.append(dependency.need) }
    let types = [ComponentKey(first), ComponentKey(second), ComponentKey(third), ComponentKey(fourth)]
    self.init(type, needs: declared, arguments: types, at: (file, line)) { builder, context in
      let bound = (repeat (each needs).bind(builder).make)
      return Make { thread in
        let given = try thread.takeArguments((First, Second, Third, Fourth).self, types, context) {
          (
            try $0.next(First.self), try $0.next(Second.self), try $0.next(Third.self),
            try $0.next(Fourth.self)
          )
        }
        return try create(context, given.0, given.1, given.2, given.3, repeat (each bound)(thread))
      }
    }
  }
}
