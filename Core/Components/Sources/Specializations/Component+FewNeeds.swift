// Overloads for up to three needs, which overload resolution prefers to the initializer with a parameter pack. They behave
// identically. The compiler specializes these but not code over a pack, so instances are passed without reference counting.
// The effect is visible in `tenon-bench core` as `unique-10-deep` and `unique-31-nodes`.

extension Component {
  /// Declares a component without needs.
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - create: creates an instance. It may throw; ``ComponentUnavailable`` declines.
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
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - first: the need.
  ///   - create: creates an instance from the context and what is needed.
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
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - first: the first need.
  ///   - second: the second need.
  ///   - create: creates an instance from the context and what is needed, in this order.
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
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - first: the first need.
  ///   - second: the second need.
  ///   - third: the third need.
  ///   - create: creates an instance from the context and what is needed, in this order.
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

/// The state of a creation without needs; see ``Make``. Immutable, created once per component and version of the graph.
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

/// The state of a creation with one need; see ``Make``. Immutable, created once per component and version of the graph.
///
/// The closure takes ownership of what is needed, so that passing an instance requires no additional retain and release.
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

/// The state of a creation with two needs; see ``Creation1``.
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

/// The state of a creation with three needs; see ``Creation1``.
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
