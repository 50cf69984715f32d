extension ComponentContainer {
  /// Returns the instance of a type where an optional is expected; `nil` if nothing provides the type or its
  /// provider declines (R3).
  ///
  /// ```swift
  /// let radio: (any Radio)? = try container.resolve()
  /// car.radio = try container.resolve()
  /// ```
  ///
  /// This is the meaning of an optional everywhere: of a parameter in ``Component/init(from:file:line:)``,
  /// and of an ``Injected`` property. A component that provides the optional type itself
  /// (`Component(Int?.self) { … }`) is returned if the type is stated: `resolve(Int?.self)`.
  ///
  /// - Parameter name: the component's name; `nil` for the component without one.
  /// - Returns: the instance, created if necessary.
  /// - Throws: as ``resolveIfPresent(_:named:)``.
  @export(implementation)
  public func resolve<Wrapped: Sendable>(named name: String? = nil) throws -> Wrapped? {
    try resolveIfPresent(Wrapped.self, named: name)
  }

  /// Returns a new instance of a component with arguments where an optional is expected; `nil` if nothing
  /// provides its type or it declines (R3).
  ///
  /// - Parameters:
  ///   - name: the component's name; `nil` for the component without one.
  ///   - arguments: the arguments; see ``resolve(_:named:arguments:)``.
  /// - Returns: the instance.
  /// - Throws: as ``resolve(_:named:arguments:)``, except that a missing provider isn't an error.
  public func resolve<Wrapped: Sendable, each Argument: Sendable>(
    named name: String? = nil,
    arguments: repeat each Argument
  ) throws -> Wrapped? {
    let key = ComponentKey(Wrapped.self, named: name)
    guard let slot = try slot(key, .current) else { return nil }
    do {
      return try resolve(Wrapped.self, named: name, arguments: repeat each arguments)
    } catch let error as ComponentError where error.declines(slot) {
      return nil
    }
  }
}

extension App {
  /// Returns the app's instance of a type where an optional is expected, or `nil`; see
  /// ``ComponentContainer/resolve(named:)``.
  ///
  /// - Parameter name: the component's name; `nil` for the component without one.
  /// - Throws: ``ComponentError``, but not if nothing provides the type.
  @export(implementation)
  public func resolve<Wrapped: Sendable>(named name: String? = nil) throws -> Wrapped? {
    try container.resolve(named: name)
  }
}
