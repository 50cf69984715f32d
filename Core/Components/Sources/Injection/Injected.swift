import TenonBasics

/// A property whose value comes from a container.
///
/// ```swift
/// final class Screen {
///   @Injected var clock: any Clock
///   @Injected(named: "backup") var store: any NoteStore
///   @Injected var auth: (any AuthInterop)?   // nil if nothing provides it
/// }
/// ```
///
/// The value comes from the container on which ``ComponentContainer/inject(into:excluding:)`` was called.
/// Otherwise it is resolved at the first read, from the container of
/// ``ComponentContainer/withCurrent(_:isolation:operation:)`` if there is one, and from the app if not: the
/// default app, unless `app:` names another. The value is then kept, and reading it takes no lock.
///
/// Setting the property replaces the value; in a structure, only for that copy. An injected value is shared
/// by all copies made before the first read, which keeps it for all of them. A constant can therefore have
/// such a property, and ``ComponentContainer/inject(into:excluding:)`` can fill a structure.
///
/// To the compiler, a wrapped property is a variable. A `Sendable` class therefore can't have one unless an
/// actor, such as the main actor, isolates it. Structures can.
@propertyWrapper
public struct Injected<Value: Sendable>: Sendable {
  /// The key to resolve. For an optional property, its type is the wrapped one.
  private let type: ComponentKey
  /// The name of the app to resolve from; `nil` for the default app.
  private let app: String?
  /// How the value is resolved: as a required or an optional one.
  private let form: Form
  /// The value, shared by copies of the property until one is set.
  @usableFromInline var storage = InjectedStorage<Value>()

  /// How to resolve the value.
  private struct Form: Sendable {
    let resolve: @Sendable (ComponentContainer, _ name: String?) throws -> Value
  }

  /// Declares a value that is required, or one that is `nil` if nothing provides it if the property's type is
  /// an optional.
  ///
  /// Reading a required value that nothing provides stops the program with the reason. To get an error
  /// instead, call `$property.get()`.
  ///
  /// - Parameters:
  ///   - name: the component's name; `nil` for the component without one.
  ///   - app: the app's name; `nil` for the default app.
  public init(named name: String? = nil, app: String? = nil) {
    self.app = app
    // Distinguished here: of two initializers, the compiler would choose the one for required values for
    // every property.
    if let optional = Value.self as? any OptionalType.Type,
      let form = Self.optional(sendable(optional.wrappedType)) as? Form
    {
      type = ComponentKey(optional.wrappedType, named: name)
      self.form = form
    } else {
      type = ComponentKey(Value.self, named: name)
      form = Form { container, name in try container.resolve(Value.self, named: name) }
    }
  }

  /// Returns how to resolve an optional property; in a separate function, which opens the metatype.
  private static func optional<Wrapped: Sendable>(_ type: Wrapped.Type) -> any Sendable {
    Injected<Wrapped?>.Form { container, name in try container.resolveIfPresent(Wrapped.self, named: name) }
  }

  /// The value. Setting it replaces what was or would be injected.
  public var wrappedValue: Value {
    @export(implementation) get { storage.value ?? resolvedOrStopped() }
    set { storage = InjectedStorage(newValue) }
  }

  /// Resolves the value, and stops the program if that fails.
  @usableFromInline func resolvedOrStopped() -> Value {
    do {
      return try resolved()
    } catch {
      preconditionFailure("@Injected can't get \(type): \(error)")
    }
  }

  /// The wrapper itself, for ``get()`` and ``reset()``.
  public var projectedValue: Injected<Value> {
    get { self }
    set { self = newValue }
  }

  /// Empties the property, so that the next read or
  /// ``ComponentContainer/inject(into:excluding:)`` fills it again: `$clock.reset()`.
  ///
  /// Copies that were made before keep the value.
  public mutating func reset() { storage = InjectedStorage() }

  /// Returns the value, or throws the reason why there is none.
  ///
  /// - Throws: ``ComponentError`` as ``ComponentContainer/resolve(_:named:)``; ``ConfigurationError`` if
  ///   there is no such app.
  @export(implementation)
  public func get() throws -> Value {
    if let value = storage.value { return value }
    return try resolved()
  }

  /// Resolves the value and stores it.
  ///
  /// - Throws: as ``get()``.
  @usableFromInline func resolved() throws -> Value {
    // If two threads read at the same time, the first value is kept.
    return storage.keep(try form.resolve(container(), type.name))
  }

  /// Returns the container to resolve from.
  ///
  /// An app that the declaration names takes precedence over the container of the task.
  ///
  /// - Throws: ``ConfigurationError`` with the code ``ConfigurationError/Code/notConfigured``.
  private func container() throws -> ComponentContainer {
    if let app { return try AppRegistry.app(app).container }
    return try ComponentContainer.current ?? App.default.container
  }
}

/// The value of an ``Injected`` property; none until it is read or injected. Thread-safe.
@usableFromInline
final class InjectedStorage<Value: Sendable>: Sendable {
  // Written once, so reading it takes no lock.
  @usableFromInline let instance: OnceInstance<Value>

  /// Creates a storage without a value.
  init() { instance = OnceInstance() }

  /// Creates a storage with a value, which it keeps.
  ///
  /// - Parameter value: the value.
  init(_ value: Value) { instance = OnceInstance(value) }

  /// The value, or `nil`. Takes no lock.
  @export(implementation) @inline(__always) var value: Value? { instance.value }

  /// Stores a value, unless there is one.
  ///
  /// - Returns: the value that is stored.
  func keep(_ value: Value) -> Value { instance.keep(value) }
}

/// An ``Injected`` property of any type.
protocol InjectedProperty {
  /// Returns a function that sets the property from a container, or `nil` if the property is set.
  ///
  /// - Parameters:
  ///   - container: the container.
  ///   - property: the name of the property.
  /// - Throws: ``ComponentError`` if the value can't be resolved.
  func injection(from container: ComponentContainer, property: String) throws -> (() -> Void)?
}

extension Injected: InjectedProperty {
  func injection(from container: ComponentContainer, property: String) throws -> (() -> Void)? {
    guard storage.value == nil else { return nil }
    // A component with the property's name takes precedence over the one without a name.
    let byProperty = type.named(property)
    let name = type.name == nil && container.provides(byProperty) ? property : type.name
    let value = try form.resolve(container, name)
    return { [storage] in _ = storage.keep(value) }
  }
}
