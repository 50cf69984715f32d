/// The declaration of what a library provides, what it needs, and how it is created.
///
/// ```swift
/// Component((any Greeter).self, needs: .required((any Clock).self), .optional((any AuthInterop).self)) {
///   context, clock, auth in
///   PoliteGreeter(clock: clock, auth: auth)
/// }
/// ```
///
/// `Value` is the type under which the component is requested: usually an interface (`any Greeter`), or the
/// class of a product that nothing else builds on. The creation receives exactly the declared needs, which
/// the compiler checks, and it can reach nothing else of the container.
public struct Component<Value: Sendable>: Sendable {
  /// The key under which the component is served. The first need of a decorator is a need for this key.
  private(set) var key: ComponentKey
  /// How long an instance is used.
  var scope: Scope
  /// When a shared instance is created.
  var timing = InstantiationTiming.lazy
  /// The declared needs, in order.
  private(set) var needs: [Need]
  /// The types of the arguments that `resolve` must pass.
  let arguments: [ComponentKey]
  /// Where the component is declared.
  let place: DeclarationPlace
  /// Binds the creation to the slots of its needs. Called once per component and version of the graph.
  let bind: @Sendable (WiringBuilder, ComponentContext) -> Make<Value>
  /// The additional types under which the instance is served.
  var services: [Service] = []
  /// The types to which the instance contributes.
  var contributions: [Service] = []
  /// Whether the component is served under `key`.
  var isServed = true
  /// Whether the component was declared as a decorator.
  var isDecorator = false
  /// Whether forms of the name are served as well.
  var hasAutomaticAliases = false
  /// Whether instances are created on the main actor, so that starting must resolve them there.
  var isOnMainActor = false
  /// The events that release the instance.
  var resetTriggers: [ResetTrigger] = []
  /// What must or may be provided for ``injection``, in the order of declaration.
  var injectedNeeds: [Need] = []
  /// What is injected into each instance after its creation, and the hooks around it, combined. It is called
  /// once for each phase.
  var injection: (@Sendable (Value, ComponentContainer, InjectionPhase) throws -> Void)?
  /// The `onCreate` actions, combined.
  var completion: (@Sendable (Value, ComponentContainer) throws -> Void)?
  /// The `onStart` actions, combined.
  var start: (@Sendable (Value) async throws -> Void)?
  /// The `onDelete` actions, combined.
  var deletion: (@Sendable (Value) async -> Void)?

  /// Declares a component in the form to which all other initializers convert theirs.
  ///
  /// - Parameters:
  ///   - type: the type under which it is requested.
  ///   - needs: the declared needs, in order.
  ///   - arguments: the types of the arguments that `resolve` must pass.
  ///   - place: where the component is declared.
  ///   - bind: binds the creation to the slots of its needs.
  @usableFromInline
  init(
    _ type: Value.Type,
    needs: [Need],
    arguments: [ComponentKey],
    at place: DeclarationPlace,
    bind: @escaping @Sendable (WiringBuilder, ComponentContext) -> Make<Value>
  ) {
    key = ComponentKey(type)
    self.needs = needs
    self.arguments = arguments
    // An instance that is kept would have the arguments of the first request only.
    scope = arguments.isEmpty ? .shared : .unique
    self.place = place
    self.bind = bind
  }

  /// Sets the key, which a decorator needs as well.
  ///
  /// - Parameter key: the new key, for the same type.
  mutating func setKey(_ key: ComponentKey) {
    self.key = key
    if isDecorator { needs[0] = Need(needs[0].kind, key) }
  }

  /// Declares a component.
  ///
  /// - Parameters:
  ///   - type: the type under which it is requested.
  ///   - needs: the dependencies, one for each parameter of `create` after the context.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  ///   - create: creates an instance. It throws ``ComponentUnavailable`` to decline; any other error becomes
  ///     the ``ComponentError/underlying`` of a ``ComponentError``.
  @export(implementation)
  public init<each Needed: Sendable>(
    _ type: Value.Type,
    needs: repeat Dependency<each Needed>,
    file: StaticString = #fileID,
    line: UInt = #line,
    create: @escaping @Sendable (ComponentContext, repeat each Needed) throws -> Value
  ) {
    var declared: [Need] = []
    for dependency in repeat each needs { declared.append(dependency.need) }
    self.init(type, needs: declared, arguments: [], at: (file, line)) { builder, context in
      let bound = (repeat (each needs).bind(builder).make)
      return Make { thread in try create(context, repeat (each bound)(thread)) }
    }
  }

  /// Declares a component by a function whose parameters are its needs: an initializer, a method or a
  /// closure.
  ///
  /// ```swift
  /// Component(from: Catalog.init(database:cache:))
  /// ```
  ///
  /// A parameter of type `T?` is an optional need, and one of type `[T]` receives all contributions.
  /// ``Provider``, ``Deferred`` and ``Factory`` are recognized; every other type is a required need. To need
  /// something by name, use ``init(from:needs:file:line:)``; to use the context, an initializer with a
  /// closure.
  ///
  /// - Parameters:
  ///   - create: creates an instance from what it needs.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  public init<each Needed: Sendable>(
    from create: @escaping @Sendable (repeat each Needed) throws -> Value,
    file: StaticString = #fileID,
    line: UInt = #line
  ) {
    self.init(from: create, needs: repeat Dependency<each Needed>.inferred, file: file, line: line)
  }

  /// Declares a component by a function whose parameters are its needs, with a dependency for each of them,
  /// so that it can need something by name.
  ///
  /// ```swift
  /// Component(from: Catalog.init(database:cache:), needs: .named("main"), .inferred)
  /// ```
  ///
  /// - Parameters:
  ///   - create: creates an instance from what it needs.
  ///   - needs: the dependencies, one for each parameter: ``Dependency/named(_:)``, ``Dependency/inferred``
  ///     or any other of the parameter's type.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  public init<each Needed: Sendable>(
    from create: @escaping @Sendable (repeat each Needed) throws -> Value,
    needs: repeat Dependency<each Needed>,
    file: StaticString = #fileID,
    line: UInt = #line
  ) {
    var declared: [Need] = []
    for dependency in repeat each needs { declared.append(dependency.need) }
    self.init(Value.self, needs: declared, arguments: [], at: (file, line)) { builder, _ in
      let bound = (repeat (each needs).bind(builder).make)
      return Make { thread in try create(repeat (each bound)(thread)) }
    }
  }
}

/// Where a component is declared: its module and file as `#fileID` has them (`Shop/Cart.swift`, and no path,
/// which a program would disclose), and the line. It refers to the text that the compiler has put into the
/// program, and copies nothing.
@usableFromInline typealias DeclarationPlace = (file: StaticString, line: UInt)
