// Overloads for up to three needs, which overload resolution prefers to the initializer with a parameter
// pack. They behave identically. The compiler specializes these but not code over a pack, so instances are
// passed without reference counting. The effect is visible in `tenon-bench core` as `unique-10-deep` and
// `unique-31-nodes`.

extension Component {
  /// Declares a component without needs.
  ///
  /// ```swift
  /// Component((any Clock).self) { _ in SystemClock() }
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  ///   - create: creates an instance. It throws ``ComponentUnavailable`` to decline; any other error becomes
  ///     the ``ComponentError/underlying`` of a ``ComponentError``.
  @export(implementation)
  public init(
    _ type: Value.Type,
    file: StaticString = #fileID,
    line: UInt = #line,
    create: @escaping @Sendable (ComponentContext) throws -> Value
  ) {
    self.init(type, needs: [], arguments: [], at: (file, line)) { _, context in
      Make(Creation0(context, create)) { state, _ in
        let creation = known(state, as: Creation0<Value>.self)
        return try creation.create(creation.context)
      }
    }
  }

  /// Declares a component with one need; see ``init(_:needs:file:line:create:)``.
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - first: the need.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  ///   - create: creates an instance from the context and what is needed. Called on the thread of the
  ///     request.
  @export(implementation)
  public init<Needed: Sendable>(
    _ type: Value.Type,
    needs first: Dependency<Needed>,
    file: StaticString = #fileID,
    line: UInt = #line,
    create: @escaping @Sendable (ComponentContext, __owned Needed) throws -> Value
  ) {
    self.init(type, needs: [first.need], arguments: [], at: (file, line)) {
      [bind = first.bind] builder, context in
      Make(Creation1(context, bind(builder), create)) { state, thread in
        let creation = known(state, as: Creation1<Value, Needed>.self)
        return try creation.create(creation.context, creation.first(thread))
      }
    }
  }

  /// Declares a component with two needs; see `init(_:needs:file:line:create:)`.
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - first: the first need.
  ///   - second: the second need.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  ///   - create: creates an instance from the context and what is needed, in this order.
  @export(implementation)
  public init<First: Sendable, Second: Sendable>(
    _ type: Value.Type,
    needs first: Dependency<First>,
    _ second: Dependency<Second>,
    file: StaticString = #fileID,
    line: UInt = #line,
    create: @escaping @Sendable (ComponentContext, __owned First, __owned Second) throws -> Value
  ) {
    self.init(type, needs: [first.need, second.need], arguments: [], at: (file, line)) {
      [first = first.bind, second = second.bind] builder, context in
      Make(Creation2(context, first(builder), second(builder), create)) { state, thread in
        let creation = known(state, as: Creation2<Value, First, Second>.self)
        return try creation.create(creation.context, creation.first(thread), creation.second(thread))
      }
    }
  }

  /// Declares a component with three needs; see `init(_:needs:file:line:create:)`.
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - first: the first need.
  ///   - second: the second need.
  ///   - third: the third need.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  ///   - create: creates an instance from the context and what is needed, in this order.
  @export(implementation)
  public init<First: Sendable, Second: Sendable, Third: Sendable>(
    _ type: Value.Type,
    needs first: Dependency<First>,
    _ second: Dependency<Second>,
    _ third: Dependency<Third>,
    file: StaticString = #fileID,
    line: UInt = #line,
    create:
      @escaping @Sendable (ComponentContext, __owned First, __owned Second, __owned Third) throws -> Value
  ) {
    self.init(
      type, needs: [first.need, second.need, third.need], arguments: [], at: (file, line)
    ) {
      [first = first.bind, second = second.bind, third = third.bind] builder, context in
      Make(Creation3(context, first(builder), second(builder), third(builder), create)) {
        state, thread in
        let creation = known(state, as: Creation3<Value, First, Second, Third>.self)
        return try creation.create(
          creation.context, creation.first(thread), creation.second(thread), creation.third(thread))
      }
    }
  }
}

// MARK: - What a creation works on

/// The state of a creation without needs; see ``Make``. Immutable, created once per component and version of
/// the graph.
///
/// The closures of the initializers above capture nothing: they receive this object and downcast it without a
/// check, because each is stored together with the state that it expects.
@usableFromInline
final class Creation0<Value: Sendable>: Sendable {
  /// The closure of the declaration.
  @usableFromInline typealias Create = @Sendable (ComponentContext) throws -> Value

  /// What the closure can access of its surroundings.
  @usableFromInline let context: ComponentContext
  /// Creates an instance.
  @usableFromInline let create: Create

  /// Creates the state.
  ///
  /// - Parameters:
  ///   - context: what the closure receives first.
  ///   - create: creates an instance.
  @export(implementation) init(_ context: ComponentContext, _ create: @escaping Create) {
    self.context = context
    self.create = create
  }
}

/// The state of a creation with one need; see ``Make``. Immutable, created once per component and version of
/// the graph.
///
/// The closure takes ownership of what is needed, so that passing an instance requires no additional retain
/// and release.
@usableFromInline
final class Creation1<Value: Sendable, First: Sendable>: Sendable {
  /// The closure of the declaration, which owns what it receives.
  @usableFromInline typealias Create = @Sendable (ComponentContext, __owned First) throws -> Value

  /// What the closure can access of its surroundings.
  @usableFromInline let context: ComponentContext
  /// Fetches what is needed, for each creation.
  @usableFromInline let first: Fetch<First>
  /// Creates an instance.
  @usableFromInline let create: Create

  /// Creates the state.
  ///
  /// - Parameters:
  ///   - context: what the closure receives first.
  ///   - first: fetches what is needed.
  ///   - create: creates an instance.
  @export(implementation)
  init(_ context: ComponentContext, _ first: Fetch<First>, _ create: @escaping Create) {
    self.context = context
    self.first = first
    self.create = create
  }
}

/// The state of a creation with two needs; see ``Creation1``.
@usableFromInline
final class Creation2<Value: Sendable, First: Sendable, Second: Sendable>: Sendable {
  /// The closure of the declaration, which owns what it receives.
  @usableFromInline typealias Create =
    @Sendable (ComponentContext, __owned First, __owned Second) throws -> Value

  @usableFromInline let context: ComponentContext
  /// Fetches the first need, for each creation.
  @usableFromInline let first: Fetch<First>
  /// Fetches the second need, after the first.
  @usableFromInline let second: Fetch<Second>
  @usableFromInline let create: Create

  /// Creates the state.
  ///
  /// - Parameters:
  ///   - context: what the closure receives first.
  ///   - first: fetches the first need.
  ///   - second: fetches the second need.
  ///   - create: creates an instance.
  @export(implementation) init(
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
  /// The closure of the declaration, which owns what it receives.
  @usableFromInline typealias Create =
    @Sendable (ComponentContext, __owned First, __owned Second, __owned Third) throws -> Value

  @usableFromInline let context: ComponentContext
  /// Fetches the first need, for each creation.
  @usableFromInline let first: Fetch<First>
  /// Fetches the second need, after the first.
  @usableFromInline let second: Fetch<Second>
  /// Fetches the third need, after the second.
  @usableFromInline let third: Fetch<Third>
  @usableFromInline let create: Create

  /// Creates the state.
  ///
  /// - Parameters:
  ///   - context: what the closure receives first.
  ///   - first: fetches the first need.
  ///   - second: fetches the second need.
  ///   - third: fetches the third need.
  ///   - create: creates an instance.
  @export(implementation) init(
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
