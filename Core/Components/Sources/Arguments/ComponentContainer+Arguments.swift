extension ComponentContainer {
  /// A new instance of `type` from arguments.
  ///
  /// ```swift
  /// let session = try container.resolve(Session.self, arguments: "ann", 3)
  /// ```
  ///
  /// - Parameters:
  ///   - type: what the component provides.
  ///   - name: the component's name; `nil` for the one without.
  ///   - arguments: what the component takes, in the order of its declaration. Optional arguments at the end may be
  ///     left out.
  /// - Throws: as ``resolve(_:named:)``; ``ComponentError/Code/arguments`` when they aren't what the component takes.
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
