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
      Make(Creation0(context, create)) { state, _ in
        let creation = known(state, as: Creation0<Value>.self)
        return try creation.create(creation.context)
      }
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
      Make(Creation1(context, first.bind(builder), create)) { state, thread in
        let creation = known(state, as: Creation1<Value, Needed>.self)
        return try creation.create(creation.context, creation.first(thread))
      }
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
      Make(Creation2(context, first.bind(builder), second.bind(builder), create)) { state, thread in
        let creation = known(state, as: Creation2<Value, First, Second>.self)
        return try creation.create(creation.context, creation.first(thread), creation.second(thread))
      }
    }
  }

  /// Declares a component with three needs; see ``init(_:needs:create:)``.
  @inlinable
  public init<First: Sendable, Second: Sendable, Third: Sendable>(
    _ type: Value.Type,
    needs first: Dependency<First>,
    _ second: Dependency<Second>,
    _ third: Dependency<Third>,
    create:
      @escaping @Sendable (ComponentContext, __owned First, __owned Second, __owned Third) throws -> Value
  ) {
    self.init(type, needs: [first.need, second.need, third.need], arguments: []) { builder, context in
      Make(Creation3(context, first.bind(builder), second.bind(builder), third.bind(builder), create)) {
        state, thread in
        let creation = known(state, as: Creation3<Value, First, Second, Third>.self)
        return try creation.create(
          creation.context, creation.first(thread), creation.second(thread), creation.third(thread))
      }
    }
  }
}

// MARK: - What a creation works on

@usableFromInline
final class Creation0<Value: Sendable>: Sendable {
  @usableFromInline typealias Create = @Sendable (ComponentContext) throws -> Value

  @usableFromInline let context: ComponentContext
  @usableFromInline let create: Create

  @inlinable init(_ context: ComponentContext, _ create: @escaping Create) {
    self.context = context
    self.create = create
  }
}

@usableFromInline
final class Creation1<Value: Sendable, First: Sendable>: Sendable {
  @usableFromInline typealias Create = @Sendable (ComponentContext, __owned First) throws -> Value

  @usableFromInline let context: ComponentContext
  @usableFromInline let first: Fetch<First>
  @usableFromInline let create: Create

  @inlinable init(_ context: ComponentContext, _ first: Fetch<First>, _ create: @escaping Create) {
    self.context = context
    self.first = first
    self.create = create
  }
}

@usableFromInline
final class Creation2<Value: Sendable, First: Sendable, Second: Sendable>: Sendable {
  @usableFromInline typealias Create =
    @Sendable (ComponentContext, __owned First, __owned Second) throws -> Value

  @usableFromInline let context: ComponentContext
  @usableFromInline let first: Fetch<First>
  @usableFromInline let second: Fetch<Second>
  @usableFromInline let create: Create

  @inlinable init(
    _ context: ComponentContext, _ first: Fetch<First>, _ second: Fetch<Second>, _ create: @escaping Create
  ) {
    self.context = context
    self.first = first
    self.second = second
    self.create = create
  }
}

@usableFromInline
final class Creation3<Value: Sendable, First: Sendable, Second: Sendable, Third: Sendable>: Sendable {
  @usableFromInline typealias Create =
    @Sendable (ComponentContext, __owned First, __owned Second, __owned Third) throws -> Value

  @usableFromInline let context: ComponentContext
  @usableFromInline let first: Fetch<First>
  @usableFromInline let second: Fetch<Second>
  @usableFromInline let third: Fetch<Third>
  @usableFromInline let create: Create

  @inlinable init(
    _ context: ComponentContext, _ first: Fetch<First>, _ second: Fetch<Second>, _ third: Fetch<Third>,
    _ create: @escaping Create
  ) {
    self.context = context
    self.first = first
    self.second = second
    self.third = third
    self.create = create
  }
}
