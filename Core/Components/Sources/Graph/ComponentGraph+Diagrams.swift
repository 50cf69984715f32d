// Compiled into the programs that draw diagrams, so that others don't contain them.

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
  @export(implementation)
  public var mermaid: String {
    let nodes = nodesByLibrary
    let absentNames = absentNames
    var lines = ["flowchart LR"]
    for (index, library) in libraries.enumerated() {
      lines.append(
        "  subgraph l\(index)[\"\(Self.escaped(library.name, isMermaid: true)) \(library.version)\"]")
      lines += nodes[library.name, default: []].map {
        "    \(id($0))[\"\(Self.escaped(components[$0].name, isMermaid: true))\"]"
      }
      lines.append("  end")
    }
    lines += nodes[nil, default: []].map {
      "  \(id($0))[\"\(Self.escaped(components[$0].name, isMermaid: true))\"]"
    }
    for (number, name) in absentNames.enumerated() {
      lines.append("  a\(number)[\"\(Self.escaped(name, isMermaid: true))\"]:::absent")
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
  @export(implementation)
  public var dot: String {
    let nodes = nodesByLibrary
    let absentNames = absentNames
    var lines = ["digraph components {", "  rankdir=LR;", "  node [shape=box];"]
    for (index, library) in libraries.enumerated() {
      lines.append("  subgraph cluster_\(index) {")
      lines.append("    label=\"\(Self.escaped(library.name, isMermaid: false)) \(library.version)\";")
      lines += nodes[library.name, default: []].map {
        "    \(id($0)) [label=\"\(Self.escaped(components[$0].name, isMermaid: false))\"];"
      }
      lines.append("  }")
    }
    lines += nodes[nil, default: []].map {
      "  \(id($0)) [label=\"\(Self.escaped(components[$0].name, isMermaid: false))\"];"
    }
    for (number, name) in absentNames.enumerated() {
      lines.append("  a\(number) [label=\"\(Self.escaped(name, isMermaid: false))\", style=dashed];")
    }
    lines += arrows(absentNames).map { arrow in
      let style = arrow.isSolid ? "solid" : "dotted"
      return "  \(arrow.from) -> \(arrow.to) [label=\"\(arrow.kind)\", style=\(style)];"
    }
    lines.append("}")
    return lines.joined(separator: "\n")
  }

  // MARK: - Nodes and arrows

  /// A need, from a component to what meets it: the IDs of the component that has it, and of the component
  /// that meets it or the box of the absent key; the form of the need, see ``ComponentGraph/Edge/kind``; and
  /// whether it is required, which is drawn as a solid line. A tuple, which needs no metadata.
  @usableFromInline typealias Arrow = (from: String, to: String, kind: String, isSolid: Bool)

  /// Returns the ID of a component within the diagram.
  ///
  /// - Parameter index: the index of the component in `components`.
  @export(implementation) func id(_ index: Int) -> String { "c\(index)" }

  /// The indices of each library's components, in ascending order, by the library's name; under `nil`, those
  /// of components that no library declares.
  @export(implementation) var nodesByLibrary: [String?: [Int]] {
    Dictionary(grouping: components.indices) { components[$0].library }
  }

  /// The keys that optional needs refer to and that nothing provides, without duplicates, in the order of the
  /// needs. The index of a name is the number of its box.
  @export(implementation) var absentNames: [String] {
    var seen: Set<String> = []
    return components.flatMap(\.needs).filter {
      !$0.isPresent && $0.canBeAbsent
    }.map(\.name)
      .filter { seen.insert($0).inserted }
  }

  /// Returns the needs of all components; one per provider for a need with several. A need of contributions
  /// that nothing makes has no arrow.
  ///
  /// - Parameter absentNames: the names of the boxes, as ``absentNames`` returns them.
  @export(implementation) func arrows(_ absentNames: [String]) -> [Arrow] {
    let boxes = Dictionary(uniqueKeysWithValues: absentNames.enumerated().map { ($1, "a\($0)") })
    // Several components may have one name.
    let nodes = Dictionary(grouping: components.indices) { components[$0].name }
    return components.indices.flatMap { index in
      components[index].needs.flatMap { need -> [Arrow] in
        let targets =
          need.isPresent
          ? need.providers.flatMap { met(need, of: index, by: nodes[$0, default: []]).map(id) }
          : boxes[need.name].map { [$0] } ?? []
        return targets.map { target in
          (from: id(index), to: target, kind: need.kind, isSolid: need.isRequired)
        }
      }
    }
  }

  /// Returns the components that meet a need, of those with the name of its provider: what a decorator
  /// decorates has its name, and serves the key to the decorator only.
  @export(implementation) func met(_ need: Edge, of index: Int, by named: [Int]) -> [Int] {
    guard named.count > 1, need.isOfInstance else { return named }
    if components[index].provides.contains(need.name) { return named.filter { $0 != index } }
    let serving = named.filter { components[$0].provides.contains(need.name) }
    return serving.isEmpty ? named : serving
  }

  /// Returns a text as it appears between quotation marks.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - isMermaid: whether the language is
  ///     [Mermaid](https://mermaid.js.org/syntax/flowchart.html#entity-codes-to-escape-characters), which has
  ///     the entity `#quot;` for a quotation mark. Otherwise it is
  ///     [DOT](https://graphviz.org/doc/info/lang.html), in which a backslash escapes the next character.
  /// - Returns: the text, which can't end the quotation in which it is placed.
  @export(implementation) @inline(never)
  static func escaped(_ text: String, isMermaid: Bool) -> String {
    if isMermaid {
      return text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "#quot;")
    }
    return String(text.flatMap { "\"\\".contains($0) ? ["\\", $0] : [$0] })
  }
}
