extension ComponentError {
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
