/// A property that gets its value from a container.
///
/// ```swift
/// final class Screen {
///   @Injected var clock: any Clock
///   @Injected(named: "backup") var store: any NoteStore
///   @Injected var auth: (any AuthInterop)?   // nil where nothing provides it
/// }
/// ```
///
/// The value comes from the container that ``ComponentContainer/inject(into:excluding:)`` was called on; otherwise, when
/// it is first read, from the container of ``ComponentContainer/withCurrent(_:isolation:operation:)``; otherwise from
/// the app, which is the default one unless `app:` names another. It is then kept, and reading it takes no lock.
///
/// Setting the property replaces the value, in a structure for that copy alone. What is injected is the same in all copies
/// that were made before the value was first read, because the one that is read first keeps it for all of them; so a
/// constant can have such a property, and ``ComponentContainer/inject(into:excluding:)`` can fill a structure.
///
/// A wrapped property is a variable to the compiler, so a `Sendable` class can't have one unless an actor, such as the
/// main one, isolates it. Structs can.
@propertyWrapper
public struct Injected<Value: Sendable>: Sendable {
  private let type: ComponentKey
  private let app: String?
  private let form: Form
  @usableFromInline var storage = InjectedStorage<Value>()

  /// How the value is had from a container.
  private struct Form: Sendable {
    let resolve: @Sendable (ComponentContainer, _ name: String?) throws -> Value
  }

  /// A value that is required, or `nil` where nothing provides it if the property's type is an optional.
  ///
  /// Reading a required one where nothing provides it stops the program with the reason. Call `$property.get()` to have an
  /// error instead.
  ///
  /// - Parameters:
  ///   - name: the component's name; `nil` for the one without.
  ///   - app: the name of the app; `nil` for the default one.
  public init(named name: String? = nil, app: String? = nil) {
    self.app = app
    // Told apart here: of two initializers, the compiler takes the one for required values for every property.
    if let optional = Value.self as? any OptionalType.Type,
      let form = Self.optional(sendable(optional.wrapped)) as? Form
    {
      type = ComponentKey(optional.wrapped, named: name)
      self.form = form
    } else {
      type = ComponentKey(Value.self, named: name)
      form = Form { container, name in try container.resolve(Value.self, named: name) }
    }
  }

  private static func optional<Wrapped: Sendable>(_ type: Wrapped.Type) -> any Sendable {
    Injected<Wrapped?>.Form { container, name in try container.resolveIfPresent(Wrapped.self, named: name) }
  }

  /// The value. Setting it replaces what was or would be injected.
  public var wrappedValue: Value {
    @inlinable get { storage.value ?? resolvedOrStopped() }
    set { storage = InjectedStorage(newValue) }
  }

  /// The value; stops the program where there is none.
  @usableFromInline func resolvedOrStopped() -> Value {
    do {
      return try resolved()
    } catch {
      preconditionFailure("@Injected can't get \(type): \(error)")
    }
  }

  /// The wrapper itself, for ``get()``.
  public var projectedValue: Injected<Value> { self }

  /// The value, or the reason why there is none.
  ///
  /// - Throws: ``ComponentError`` as `resolve`; ``ConfigurationError`` when there is no such app.
  @inlinable
  public func get() throws -> Value {
    if let value = storage.value { return value }
    return try resolved()
  }

  @usableFromInline func resolved() throws -> Value {
    // The first one stays, should two threads read at once.
    return storage.keep(try form.resolve(container(), type.name))
  }

  private func container() throws -> ComponentContainer {
    if let app { return try AppRegistry.app(app).container }
    return try ComponentContainer.current ?? App.default.container
  }
}

/// What an ``Injected`` property holds; nothing until it is read or filled.
@usableFromInline
final class InjectedStorage<Value: Sendable>: Sendable {
  // Written once, so that reading it takes no lock.
  @usableFromInline let instance: OnceInstance<Value>

  init() { instance = OnceInstance() }

  init(_ value: Value) { instance = OnceInstance(value) }

  @inlinable @inline(__always) var value: Value? { instance.value }

  /// Keeps a value, unless there is one.
  ///
  /// - Returns: the value that is kept.
  func keep(_ value: Value) -> Value { instance.keep(value) }
}

/// An `@Injected` property, whatever its type.
protocol InjectedProperty {
  /// What sets the property from a container; `nil` when it is set already.
  func injection(from container: ComponentContainer, property: String) throws -> (() -> Void)?
}

extension Injected: InjectedProperty {
  func injection(from container: ComponentContainer, property: String) throws -> (() -> Void)? {
    guard storage.value == nil else { return nil }
    // A component that bears the property's name comes before the one without a name.
    let byProperty = type.named(property)
    let name = type.name == nil && container.provides(byProperty) ? property : type.name
    let value = try form.resolve(container, name)
    return { [storage] in _ = storage.keep(value) }
  }
}
