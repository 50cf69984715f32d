/// Says what a library provides, what that needs, and how to create it.
///
/// ```swift
/// Component((any Greeter).self, needs: .required((any Clock).self), .optional((any Logger).self)) {
///   context, clock, logger in
///   PoliteGreeter(clock: clock, logger: logger)
/// }
/// ```
///
/// `Value` is the type that it is asked for by: mostly an interface (`any Greeter`), for a leaf product its own
/// class.
public struct Component<Value: Sendable>: Sendable {
  var key: ComponentKey
  var scope = Scope.shared
  var timing = InstantiationTiming.lazy
  let needs: [Need]
  let arguments: [ArgumentType]
  /// Binds the creation to the slots that it needs.
  let bind: @Sendable (WiringBuilder, ComponentContext) -> Make<Value>
  var services: [Service<Value>] = []
  var contributions: [Service<Value>] = []
  var isServed = true
  var hasAutomaticAliases = false
  var isOnMainActor = false
  var resetTriggers: Set<ResetTrigger> = []
  var completion: (@Sendable (Value, ComponentContainer) throws -> Void)?
  var start: (@Sendable (Value) async throws -> Void)?
  var deletion: (@Sendable (Value) async -> Void)?

  @usableFromInline
  init(
    _ type: Value.Type,
    needs: [Need],
    arguments: [ArgumentType],
    bind: @escaping @Sendable (WiringBuilder, ComponentContext) -> Make<Value>
  ) {
    key = ComponentKey(type)
    self.needs = needs
    self.arguments = arguments
    self.bind = bind
  }

  /// Declares a component.
  ///
  /// - Parameters:
  ///   - type: what it is asked for by.
  ///   - needs: what `create` receives, one dependency per argument after the context.
  ///   - create: makes an instance. It may throw; ``ComponentUnavailable`` declines.
  @inlinable
  public init<each Needed: Sendable>(
    _ type: Value.Type,
    needs: repeat Dependency<each Needed>,
    create: @escaping @Sendable (ComponentContext, repeat each Needed) throws -> Value
  ) {
    var declared: [Need] = []
    for dependency in repeat each needs { declared.append(dependency.need) }
    self.init(type, needs: declared, arguments: []) { builder, context in
      let bound = (repeat (each needs).bind(builder))
      return { thread in try create(context, repeat (each bound)(thread)) }
    }
  }

  /// Declares a component that takes arguments at `resolve`, besides what it needs. Its scope is ``Scope/unique``.
  ///
  /// ```swift
  /// Component(Session.self, needs: .required((any Clock).self), arguments: String.self, Int?.self) {
  ///   context, arguments, clock in
  ///   let (user, limit) = arguments
  ///   return Session(user: user, limit: limit, clock: clock)
  /// }
  /// let session = try container.resolve(Session.self, arguments: "ann")
  /// ```
  ///
  /// - Parameters:
  ///   - type: what it is asked for by.
  ///   - needs: what `create` receives after the context and the arguments.
  ///   - arguments: the types of the arguments. Optional ones at the end may be left out, which means `nil`.
  ///   - create: makes an instance; after the context it receives the arguments as one tuple, then what is needed.
  public init<each Needed: Sendable, each Argument: Sendable>(
    _ type: Value.Type,
    needs: repeat Dependency<each Needed>,
    arguments: repeat (each Argument).Type,
    create: @escaping @Sendable (ComponentContext, (repeat each Argument), repeat each Needed) throws -> Value
  ) {
    var declared: [Need] = []
    for dependency in repeat each needs { declared.append(dependency.need) }
    var list: [ArgumentType] = []
    for argument in repeat each arguments { list.append(ArgumentType(argument)) }
    let types = list
    self.init(type, needs: declared, arguments: types) { builder, context in
      let bound = (repeat (each needs).bind(builder))
      return { thread in
        // Taken before the needs are created, which must not see them.
        let given = thread.takeArguments()
        guard ArgumentType.accept(types, values: given) else {
          throw ComponentError.wrongArguments(
            context.component, taken: types, given: given, path: thread.path)
        }
        let arguments = ArgumentList(given)
        return try create(
          context, (repeat try arguments.next((each Argument).self)), repeat (each bound)(thread))
      }
    }
    scope = .unique
  }

  /// Declares a component that is created on the main actor (R12).
  ///
  /// It must be resolved there: on the main actor, or by ``ComponentContainer/resolveOnMainActor(_:named:)`` from
  /// anywhere. Once created, a shared instance is handed out on every thread.
  ///
  /// - Parameters:
  ///   - type: what it is asked for by.
  ///   - needs: what `create` receives, one dependency per argument after the context.
  ///   - create: makes an instance, on the main actor.
  public static func onMainActor<each Needed: Sendable>(
    _ type: Value.Type,
    needs: repeat Dependency<each Needed>,
    create: @escaping @MainActor @Sendable (ComponentContext, repeat each Needed) throws -> Value
  ) -> Component {
    var declared: [Need] = []
    for dependency in repeat each needs { declared.append(dependency.need) }
    var component = Component(type, needs: declared, arguments: []) { builder, context in
      let bound = (repeat (each needs).bind(builder))
      return { thread in
        guard MainExecutor.isCurrent else { throw ComponentError.notOnMainActor(context.component) }
        let needed = (repeat try (each bound)(thread))
        return try MainActor.assumeIsolated { try create(context, repeat each needed) }
      }
    }
    component.isOnMainActor = true
    return component
  }

  /// Declares a component by a function whose parameters are its needs: an initializer, a method, a closure.
  ///
  /// ```swift
  /// Component(from: Catalog.init(database:cache:))
  /// ```
  ///
  /// A parameter of type `T?` is an optional need, `[T]` receives all contributions, ``Provider``, ``Deferred`` and
  /// ``Factory`` what they stand for; everything else is required. For names and for closures over the context use
  /// the other initializers.
  public init<each Needed: Sendable>(
    from create: @escaping @Sendable (repeat each Needed) throws -> Value
  ) {
    let dependencies = (repeat Dependency.inferred((each Needed).self))
    var declared: [Need] = []
    for dependency in repeat each dependencies { declared.append(dependency.need) }
    self.init(Value.self, needs: declared, arguments: []) { builder, _ in
      let bound = (repeat (each dependencies).bind(builder))
      return { thread in try create(repeat (each bound)(thread)) }
    }
  }
}
