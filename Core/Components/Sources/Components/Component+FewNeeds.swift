// The declaration with up to three needs, written out. It means the same as the one with a pack and is chosen before it:
// the compiler specializes these, but not what goes over a pack, and hands the instances over without counting
// references. `tenon-bench core` shows the difference as `unique-10-deep` and `unique-31-nodes`.

extension Component {
  /// Declares a component without needs.
  ///
  /// - Parameters:
  ///   - type: what it is asked for by.
  ///   - create: makes an instance. It may throw; ``ComponentUnavailable`` declines.
  @inlinable
  public init(
    _ type: Value.Type,
    create: @escaping @Sendable (ComponentContext) throws -> Value
  ) {
    self.init(type, needs: [], arguments: []) { _, context in
      { _ in try create(context) }
    }
  }

  /// Declares a component with one need; see ``init(_:needs:create:)``.
  @inlinable
  public init<Needed: Sendable>(
    _ type: Value.Type,
    needs first: Dependency<Needed>,
    create: @escaping @Sendable (ComponentContext, __owned Needed) throws -> Value
  ) {
    self.init(type, needs: [first.need], arguments: []) { builder, context in
      let first = first.bind(builder)
      return { thread in try create(context, first(thread)) }
    }
  }

  /// Declares a component with two needs; see ``init(_:needs:create:)``.
  @inlinable
  public init<First: Sendable, Second: Sendable>(
    _ type: Value.Type,
    needs first: Dependency<First>,
    _ second: Dependency<Second>,
    create: @escaping @Sendable (ComponentContext, __owned First, __owned Second) throws -> Value
  ) {
    self.init(type, needs: [first.need, second.need], arguments: []) { builder, context in
      let (first, second) = (first.bind(builder), second.bind(builder))
      return { thread in try create(context, first(thread), second(thread)) }
    }
  }

  /// Declares a component with three needs; see ``init(_:needs:create:)``.
  @inlinable
  public init<First: Sendable, Second: Sendable, Third: Sendable>(
    _ type: Value.Type,
    needs first: Dependency<First>,
    _ second: Dependency<Second>,
    _ third: Dependency<Third>,
    create: @escaping @Sendable (ComponentContext, __owned First, __owned Second, __owned Third) throws -> Value
  ) {
    self.init(type, needs: [first.need, second.need, third.need], arguments: []) { builder, context in
      let (first, second, third) = (first.bind(builder), second.bind(builder), third.bind(builder))
      return { thread in try create(context, first(thread), second(thread), third(thread)) }
    }
  }
}
