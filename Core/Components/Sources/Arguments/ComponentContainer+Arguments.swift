extension ComponentContainer {
  /// Returns a new instance of a component with arguments.
  ///
  /// ```swift
  /// let session = try container.resolve(Session.self, arguments: "ann", 3)
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - name: the component's name; `nil` for the component without one.
  ///   - arguments: the arguments, in the order of the component's declaration. Optional arguments at the end
  ///     may be omitted.
  /// - Returns: the instance, which the container doesn't keep.
  /// - Throws: as ``resolve(_:named:)``, and with the code ``ComponentError/Code/arguments`` if the number or
  ///   the types of the arguments don't match, also if the component takes none. Nothing is created then.
  @export(implementation)
  public func resolve<Value: Sendable, each Argument: Sendable>(
    _ type: Value.Type = Value.self,
    named name: String? = nil,
    arguments: repeat each Argument
  ) throws -> Value {
    let thread = CurrentThread.current
    let slot = try slot(type, named: name, thread)
    guard slot.takes(repeat (each Argument).self) else {
      var values: [any Sendable] = []
      for argument in repeat each arguments { values.append(argument) }
      return try resolve(slot, values, thread)
    }
    return try thread.passing((repeat each arguments)) { try slot.request(thread) }
  }

  /// Returns a new instance of a component whose declared arguments aren't exactly of the given types: there
  /// are optional ones that are omitted, or a value is of a more specific type than declared.
  ///
  /// - Parameters:
  ///   - slot: the slot of the component.
  ///   - values: the arguments.
  ///   - thread: the calling thread.
  /// - Throws: as ``resolve(_:named:arguments:)``.
  @usableFromInline func resolve<Value: Sendable>(
    _ slot: Slot<Value>, _ values: [any Sendable], _ thread: CurrentThread
  ) throws -> Value {
    let taken = slot.component.definition.arguments
    guard taken.accept(values: values) else {
      throw ComponentError.wrongArguments(slot.key, taken: taken, given: values, path: thread.path)
    }
    thread.state.pointee.resolution.arguments = values
    defer { thread.state.pointee.resolution.arguments = [] }
    return try slot.request(thread)
  }
}
