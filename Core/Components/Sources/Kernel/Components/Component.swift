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
  /// The types of the values that `resolve` must pass.
  let arguments: [ComponentKey]
  /// Binds the creation to the slots that it needs.
  let bind: @Sendable (WiringBuilder, ComponentContext) -> Make<Value>
  var services: [Service] = []
  var contributions: [Service] = []
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
    arguments: [ComponentKey],
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
      let bound = (repeat (each needs).bind(builder).make)
      return Make { thread in try create(context, repeat (each bound)(thread)) }
    }
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
      let bound = (repeat (each dependencies).bind(builder).make)
      return Make { thread in try create(repeat (each bound)(thread)) }
    }
  }
}
