// Unsafe code; see `SharedInstances.swift`. The arguments of a request are on the stack of the function that
// makes it, and are read in the type that is recorded with their address.

/// The arguments of a request whose types are exactly those that the component declares: the address of a
/// tuple, or of the only argument. Valid during the request, on its thread.
@usableFromInline
struct PassedArguments {
  /// The type of the tuple.
  @usableFromInline let type: ObjectIdentifier
  /// The address of the tuple.
  @usableFromInline let address: UnsafeRawPointer

  /// Refers to a tuple.
  ///
  /// - Parameters:
  ///   - address: the address of the tuple.
  ///   - type: the type of the tuple.
  @export(implementation) init<Tuple>(_ address: UnsafePointer<Tuple>, _ type: Tuple.Type) {
    self.type = ObjectIdentifier(type)
    self.address = UnsafeRawPointer(address)
  }

  /// Returns the tuple; `nil` if its type is another one.
  ///
  /// - Parameter type: the type of the tuple that the component declares.
  @export(implementation) @inline(__always) func tuple<Tuple>(of type: Tuple.Type) -> Tuple? {
    guard self.type == ObjectIdentifier(type) else { return nil }
    return address.assumingMemoryBound(to: type).pointee
  }
}

extension CurrentThread {
  /// Makes a request with arguments.
  ///
  /// - Parameters:
  ///   - tuple: the arguments, whose types must be exactly those that the component declares.
  ///   - request: makes the request.
  /// - Returns: what `request` returns.
  /// - Throws: what `request` throws.
  @export(implementation) @inline(__always)
  func passing<Tuple, Result>(_ tuple: Tuple, to request: () throws -> Result) rethrows -> Result {
    try withUnsafePointer(to: tuple) { address in
      state.pointee.passed = PassedArguments(address, Tuple.self)
      defer { state.pointee.passed = nil }
      return try request()
    }
  }

  /// Returns the arguments of the request, which the component's needs, created next, don't see.
  ///
  /// - Parameters:
  ///   - type: the type of the tuple that the component declares.
  ///   - types: the same types as a list.
  ///   - context: the context of the creation, for errors.
  ///   - read: returns the tuple from a list of arguments whose types may differ: optional ones at the end
  ///     are omitted, and a value may be of a more specific type than declared.
  /// - Throws: ``ComponentError`` with ``ComponentError/Code/arguments`` if the arguments don't match.
  @export(implementation) func takeArguments<Tuple>(
    _ type: Tuple.Type, _ types: [ComponentKey], _ context: ComponentContext,
    _ read: (ArgumentList) throws -> Tuple
  ) throws -> Tuple {
    if let passed = state.pointee.passed {
      state.pointee.passed = nil
      if let tuple = passed.tuple(of: type) { return tuple }
    }
    return try read(argumentList(types, context))
  }

  /// Returns the arguments of the request as a list.
  ///
  /// - Parameters:
  ///   - types: the types that the component declares.
  ///   - context: the context of the creation.
  /// - Throws: as ``takeArguments(_:_:_:_:)``.
  @usableFromInline func argumentList(_ types: [ComponentKey], _ context: ComponentContext) throws
    -> ArgumentList
  {
    try ArgumentList(types, of: context.component, self)
  }
}
