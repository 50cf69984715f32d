extension ComponentGraph {
  /// The graph as a [Mermaid flowchart](https://mermaid.js.org/syntax/flowchart.html).
  ///
  /// Each library is a subgraph. A required need is a solid arrow, any other need a dotted one. A key that an
  /// optional need refers to and that nothing provides is a dashed box.
  ///
  /// An arrow leads from a component to each component that meets the need, and is labelled with the form of
  /// the need. Components that no library declares are outside of the subgraphs. The text contains no file
  /// names, addresses or times, so equal declarations have equal diagrams.
  ///
  /// - Complexity: O(*n*) in the number of components, of needs and of arrows.
  public var mermaid: String {
    let nodes = nodesByLibrary
    let absentNames = absentNames
    var lines = ["flowchart LR"]
    for (index, library) in libraries.enumerated() {
      lines.append(
        "  subgraph l\(index)[\"\(Self.escaped(library.name, for: .mermaid)) \(library.version)\"]")
      lines += nodes[library.name, default: []].map {
        "    \(id($0))[\"\(Self.escaped(components[$0].name, for: .mermaid))\"]"
      }
      lines.append("  end")
    }
    lines += nodes[nil, default: []].map {
      "  \(id($0))[\"\(Self.escaped(components[$0].name, for: .mermaid))\"]"
    }
    for (number, name) in absentNames.enumerated() {
      lines.append("  a\(number)[\"\(Self.escaped(name, for: .mermaid))\"]:::absent")
    }
    lines += arrows(absentNames).map { arrow in
      let line = arrow.isSolid ? "-->" : "-.->"
      return "  \(arrow.from) \(line)|\(arrow.kind)| \(arrow.to)"
    }
    lines.append("  classDef absent stroke-dasharray: 4")
    return lines.joined(separator: "\n")
  }

  /// The graph in the [DOT language](https://graphviz.org/doc/info/lang.html) of Graphviz, with the same
  /// content as ``mermaid``.
  ///
  /// - Complexity: as for ``mermaid``.
  public var dot: String {
    let nodes = nodesByLibrary
    let absentNames = absentNames
    var lines = ["digraph components {", "  rankdir=LR;", "  node [shape=box];"]
    for (index, library) in libraries.enumerated() {
      lines.append("  subgraph cluster_\(index) {")
      lines.append("    label=\"\(Self.escaped(library.name, for: .dot)) \(library.version)\";")
      lines += nodes[library.name, default: []].map {
        "    \(id($0)) [label=\"\(Self.escaped(components[$0].name, for: .dot))\"];"
      }
      lines.append("  }")
    }
    lines += nodes[nil, default: []].map {
      "  \(id($0)) [label=\"\(Self.escaped(components[$0].name, for: .dot))\"];"
    }
    for (number, name) in absentNames.enumerated() {
      lines.append("  a\(number) [label=\"\(Self.escaped(name, for: .dot))\", style=dashed];")
    }
    lines += arrows(absentNames).map { arrow in
      let style = arrow.isSolid ? "solid" : "dotted"
      return "  \(arrow.from) -> \(arrow.to) [label=\"\(arrow.kind)\", style=\(style)];"
    }
    lines.append("}")
    return lines.joined(separator: "\n")
  }

  // MARK: - Nodes and arrows

  /// A need, from a component to what meets it. The ends are IDs within the diagram.
  private struct Arrow {
    /// The component that has the need.
    let from: String
    /// The component that meets the need, or the box of the absent key.
    let to: String
    /// The form of the need; see ``ComponentGraph/Edge/kind``.
    let kind: String
    /// Whether the need is required, which is drawn as a solid line.
    let isSolid: Bool
  }

  /// Returns the ID of a component within the diagram.
  ///
  /// - Parameter index: the index of the component in `components`.
  private func id(_ index: Int) -> String { "c\(index)" }

  /// The indices of each library's components, in ascending order, by the library's name; under `nil`, those
  /// of components that no library declares.
  private var nodesByLibrary: [String?: [Int]] {
    Dictionary(grouping: components.indices) { components[$0].library }
  }

  /// The keys that optional needs refer to and that nothing provides, without duplicates, in the order of the
  /// needs. The index of a name is the number of its box.
  private var absentNames: [String] {
    var seen: Set<String> = []
    return components.flatMap(\.needs).filter {
      !$0.isPresent && $0.needKind?.canBeAbsent ?? false
    }.map(\.name)
      .filter { seen.insert($0).inserted }
  }

  /// Returns the needs of all components; one per provider for a need with several. A need of contributions
  /// that nothing makes has no arrow.
  ///
  /// - Parameter absentNames: the names of the boxes, as ``absentNames`` returns them.
  private func arrows(_ absentNames: [String]) -> [Arrow] {
    let boxes = Dictionary(uniqueKeysWithValues: absentNames.enumerated().map { ($1, "a\($0)") })
    // Several components may have one name.
    let nodes = Dictionary(grouping: components.indices) { components[$0].name }
    return components.indices.flatMap { index in
      components[index].needs.flatMap { need -> [Arrow] in
        let targets =
          need.isPresent
          ? need.providers.flatMap { met(need, of: index, by: nodes[$0, default: []]).map(id) }
          : boxes[need.name].map { [$0] } ?? []
        return targets.map {
          Arrow(from: id(index), to: $0, kind: need.kind, isSolid: need.needKind == .required)
        }
      }
    }
  }

  /// Returns the components that meet a need, of those with the name of its provider: what a decorator
  /// decorates has its name, and serves the key to the decorator only.
  private func met(_ need: Edge, of index: Int, by named: [Int]) -> [Int] {
    guard named.count > 1, need.needKind?.isOfInstance ?? false else { return named }
    if components[index].provides.contains(need.name) { return named.filter { $0 != index } }
    let serving = named.filter { components[$0].provides.contains(need.name) }
    return serving.isEmpty ? named : serving
  }

  /// A language with its own rules for escaping text.
  private enum Language {
    /// [Mermaid](https://mermaid.js.org/syntax/flowchart.html#entity-codes-to-escape-characters), which has
    /// entity codes.
    case mermaid
    /// [DOT](https://graphviz.org/doc/info/lang.html), in which a backslash escapes the next character.
    case dot
  }

  /// Returns a text as it appears between quotation marks.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - language: the language: Mermaid has the entity `#quot;` for a quotation mark, DOT escapes it and the
  ///     backslash with a backslash.
  /// - Returns: the text, which can't end the quotation in which it is placed.
  @inline(never) private static func escaped(_ text: String, for language: Language) -> String {
    switch language {
    case .mermaid: text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "#quot;")
    case .dot: String(text.flatMap { "\"\\".contains($0) ? ["\\", $0] : [$0] })
    }
  }
}
