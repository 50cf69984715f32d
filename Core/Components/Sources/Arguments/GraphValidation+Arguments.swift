extension GraphValidation {
  /// Components with arguments whose scope isn't `.unique`, contributions that require arguments, and needs
  /// whose arguments don't match those of their providers.
  ///
  /// Collecting contributions passes no arguments, so a contribution that requires some can never be created.
  /// A need is compared with the component that serves its key in this graph, or else in the parent's; one
  /// that nothing serves isn't a problem here. A need that passes no arguments matches a provider that
  /// declares optional ones only. A need for contributions isn't compared: a component that has the same key
  /// doesn't serve it.
  var badArguments: [ConfigurationError.Problem] {
    nodes.indices.flatMap { index -> [ConfigurationError.Problem] in
      let definition = nodes[index].definition
      var problems: [ConfigurationError.Problem] = []
      if !definition.arguments.isEmpty, definition.scope != .unique {
        problems.append(
          problem(
            .arguments,
            "\(definition.key) of \(title(index)) takes the arguments \(definition.arguments.list), "
              + "but its scope .\(definition.scope) keeps an instance for others, who give other arguments.",
            repairs: [
              "Use the scope .unique.", "Keep what is shared in a separate component, and need that.",
            ],
            at: [index]
          )
        )
      }
      if !definition.contributions.isEmpty, !definition.arguments.accept(types: []) {
        problems.append(
          problem(
            .arguments,
            "\(definition.key) of \(title(index)) contributes to \(definition.contributions[0]), but takes the "
              + "arguments \(definition.arguments.list), which collecting contributions doesn't pass.",
            repairs: [
              "Make its arguments optional.", "Contribute a component without arguments that creates it.",
            ],
            at: [index]
          )
        )
      }
      for need in nodes[index].needs where !need.kind.takesContributions {
        let provider = provider(of: need.key, for: index)
        guard
          let wanted =
            (provider.map { nodes[$0].definition } ?? inherited(need.key, for: index)?.component.definition)?
            .arguments
        else { continue }
        guard
          wanted.isEmpty
            ? need.arguments?.isEmpty == false : !wanted.accept(types: need.arguments ?? [])
        else { continue }
        problems.append(
          problem(
            .arguments,
            "\(definition.key) of \(title(index)) needs \(need.key) with the arguments "
              + "\((need.arguments ?? []).list), but it takes \(wanted.list).",
            repairs: [
              wanted.isEmpty
                ? "Declare the need as .required(\(need.key.reference))."
                : "Declare the need as \(need.key.factory(taking: wanted))."
            ],
            at: [index] + (provider.map { [$0] } ?? [])
          )
        )
      }
      return problems
    }
  }
}
