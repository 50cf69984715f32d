extension ComponentGraph: CustomStringConvertible {
  /// The graph as indented text: libraries, their components, and the needs of each. Components without a
  /// library come first.
  ///
  /// A need that nothing meets is `absent`, or `missing` if configuring would fail because of it.
  ///
  /// ```text
  /// tenon-functions 1.0.0
  ///   Functions (shared, lazy)
  ///     any AuthInterop, optional: Auth
  ///     any AppCheckInterop, optional: absent
  /// ```
  ///
  /// The text is for reading. To process a graph, use its properties or its `Codable` form.
  public var description: String {
    let nodes = Dictionary(grouping: components, by: \.library)
    var lines: [String] = nodes[nil, default: []].flatMap { text(of: $0, indent: "") }
    for library in libraries {
      lines.append("\(library.name) \(library.version)")
      lines += nodes[library.name, default: []].flatMap { text(of: $0, indent: "  ") }
    }
    return lines.joined(separator: "\n")
  }

  /// Returns the lines for one component: its properties, then its services, contributions and needs.
  ///
  /// - Parameters:
  ///   - component: the component.
  ///   - indent: the spaces before its name. What belongs to it is indented by two more.
  private func text(of component: ComponentNode, indent: String) -> [String] {
    var facts = [component.scope, component.timing]
    if !component.arguments.isEmpty { facts.append("takes \(component.arguments.joined(separator: ", "))") }
    if component.isInherited { facts.append("of the parent") }
    if let order = component.creationOrder { facts.append("created as number \(order)") }
    var lines = ["\(indent)\(component.name) (\(facts.joined(separator: ", ")))"]
    let further = component.provides.filter { $0 != component.name }
    if !further.isEmpty { lines.append("\(indent)  provides \(further.joined(separator: ", "))") }
    if !component.contributes.isEmpty {
      lines.append("\(indent)  contributes to \(component.contributes.joined(separator: ", "))")
    }
    for need in component.needs {
      let note = need.unregisteredProduct.map { " (\($0) is linked, but not registered)" } ?? ""
      let met =
        need.isPresent ? need.providers.joined(separator: ", ") : need.isDemanded ? "missing" : "absent"
      lines.append("\(indent)  \(need.name), \(need.kind): \(met)\(note)")
    }
    return lines
  }
}
