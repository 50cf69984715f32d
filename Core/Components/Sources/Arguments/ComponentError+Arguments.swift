extension ComponentError {
  /// Returns the error for a request whose arguments don't match.
  ///
  /// - Parameters:
  ///   - key: the key of the component.
  ///   - taken: the types of the arguments that the component declares.
  ///   - given: the arguments of the request. Only their types appear in the message.
  ///   - path: the keys from the first request to the component.
  /// - Returns: an error with the code ``ComponentError/Code/arguments`` and the call that would match as its
  ///   repair.
  static func wrongArguments(
    _ key: ComponentKey, taken: [ComponentKey], given: [any Sendable], path: [ComponentKey]
  ) -> ComponentError {
    let types = given.map { "\(type(of: $0))" }.joined(separator: ", ")
    return ComponentError(
      .arguments,
      key,
      taken.isEmpty
        ? "\(key) takes no arguments, but was given (\(types))."
        : "\(key) takes the arguments \(taken.list), but was given (\(types)).",
      path: path,
      repairs: [
        taken.isEmpty
          ? "Resolve it without arguments."
          : "Call resolve(\(key.reference), arguments: …) with \(taken.list)."
      ]
    )
  }
}
