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
  public func resolve<Value: Sendable, each Argument: Sendable>(
    _ type: Value.Type = Value.self,
    named name: String? = nil,
    arguments: repeat each Argument
  ) throws -> Value {
    var values: [any Sendable] = []
    for argument in repeat each arguments { values.append(argument) }
    let key = ComponentKey(type, named: name)
    let thread = CurrentThread.current
    guard let slot = try slot(key, thread)?.typed(type) else { throw missing(key, thread) }
    let taken = slot.component.definition.arguments
    guard taken.accept(values: values) else {
      throw ComponentError.wrongArguments(key, taken: taken, given: values, path: thread.path)
    }
    thread.state.pointee.resolution.arguments = values
    defer { thread.state.pointee.resolution.arguments = [] }
    return try slot.request(thread)
  }
}
