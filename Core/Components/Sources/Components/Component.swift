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
  let create: @Sendable (ComponentContainer, ComponentContext) throws -> Value
  var services: [Service<Value>] = []
  var contributions: [Service<Value>] = []
  var isServed = true
  var deletion: (@Sendable (Value) async -> Void)?

  /// Declares a component.
  ///
  /// - Parameters:
  ///   - type: what it is asked for by.
  ///   - needs: what `create` receives, one dependency per argument after the context.
  ///   - create: makes an instance. It may throw; ``ComponentUnavailable`` declines.
  public init<each Needed: Sendable>(
    _ type: Value.Type,
    needs: repeat Dependency<each Needed>,
    create: @escaping @Sendable (ComponentContext, repeat each Needed) throws -> Value
  ) {
    key = ComponentKey(type)
    var declared: [Need] = []
    for dependency in repeat each needs { declared.append(dependency.need) }
    self.needs = declared
    self.create = { container, context in
      try create(context, repeat (each needs).resolve(container))
    }
  }
}

/// A further type under which a component's instance is served.
struct Service<Value: Sendable>: Sendable {
  let key: ComponentKey
  let makeSlot: @Sendable (ComponentDefinition.ID, Slot<Value>) -> any AnySlot
}
