extension ComponentGraph {
  /// The graph as a Mermaid flowchart (https://mermaid.js.org/syntax/flowchart.html): a box per library, a solid arrow
  /// per required need, a dotted one per other need, and a dashed box for what is absent.
  public var mermaid: String {
    var lines = ["flowchart LR"]
    for (index, library) in libraries.enumerated() {
      lines.append(
        "  subgraph l\(index)[\"\(Self.escaped(library.name, for: .mermaid)) \(library.version)\"]")
      lines += nodes(of: library.name).map {
        "    \(id($0))[\"\(Self.escaped(components[$0].name, for: .mermaid))\"]"
      }
      lines.append("  end")
    }
    lines += nodes(of: nil).map { "  \(id($0))[\"\(Self.escaped(components[$0].name, for: .mermaid))\"]" }
    for (number, name) in absentNames.enumerated() {
      lines.append("  a\(number)[\"\(Self.escaped(name, for: .mermaid))\"]:::absent")
    }
    lines += arrows.map { arrow in
      let line = arrow.isSolid ? "-->" : "-.->"
      return "  \(arrow.from) \(line)|\(arrow.kind)| \(arrow.to)"
    }
    lines.append("  classDef absent stroke-dasharray: 4")
    return lines.joined(separator: "\n")
  }

  /// The graph in the DOT language (https://graphviz.org/doc/info/lang.html), drawn as ``mermaid`` is.
  public var dot: String {
    var lines = ["digraph components {", "  rankdir=LR;", "  node [shape=box];"]
    for (index, library) in libraries.enumerated() {
      lines.append("  subgraph cluster_\(index) {")
      lines.append("    label=\"\(Self.escaped(library.name, for: .dot)) \(library.version)\";")
      lines += nodes(of: library.name).map {
        "    \(id($0)) [label=\"\(Self.escaped(components[$0].name, for: .dot))\"];"
      }
      lines.append("  }")
    }
    lines += nodes(of: nil).map { "  \(id($0)) [label=\"\(Self.escaped(components[$0].name, for: .dot))\"];" }
    for (number, name) in absentNames.enumerated() {
      lines.append("  a\(number) [label=\"\(Self.escaped(name, for: .dot))\", style=dashed];")
    }
    lines += arrows.map { arrow in
      let style = arrow.isSolid ? "solid" : "dotted"
      return "  \(arrow.from) -> \(arrow.to) [label=\"\(arrow.kind)\", style=\(style)];"
    }
    lines.append("}")
    return lines.joined(separator: "\n")
  }

  // MARK: - Nodes and arrows

  private struct Arrow {
    let from: String
    let to: String
    let kind: String
    /// Whether the need is required, which is drawn as a solid line.
    let isSolid: Bool
  }

  private func id(_ index: Int) -> String { "c\(index)" }

  private func nodes(of library: String?) -> [Int] {
    components.indices.filter { components[$0].library == library }
  }

  /// What optional needs ask for and nothing provides, each once.
  private var absentNames: [String] {
    var seen: Set<String> = []
    return components.flatMap(\.needs).filter {
      !$0.isPresent && $0.needKind?.canBeAbsent ?? false
    }.map(\.name)
      .filter { seen.insert($0).inserted }
  }

  private var arrows: [Arrow] {
    let absent = Dictionary(uniqueKeysWithValues: absentNames.enumerated().map { ($1, "a\($0)") })
    return components.indices.flatMap { index in
      components[index].needs.flatMap { need -> [Arrow] in
        let targets =
          need.isPresent
          ? need.providers.flatMap { name in components.indices.filter { components[$0].name == name }.map(id)
          }
          : absent[need.name].map { [$0] } ?? []
        return targets.map {
          Arrow(from: id(index), to: $0, kind: need.kind, isSolid: need.needKind == .required)
        }
      }
    }
  }

  private enum Language {
    case mermaid
    case dot
  }

  private static func escaped(_ text: String, for language: Language) -> String {
    switch language {
    case .mermaid: text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "#quot;")
    case .dot: String(text.flatMap { "\"\\".contains($0) ? ["\\", $0] : [$0] })
    }
  }
}
