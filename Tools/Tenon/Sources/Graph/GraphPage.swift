import Foundation
import TenonCore

/// A graph as one HTML file that needs nothing else. Without scripts, it is a list of the components with
/// their needs.
///
/// Names are text wherever they occur: the markup escapes them, and the script sets them only as text. A
/// security policy admits only the page's own script and style, by a random number, and nothing from
/// elsewhere.
struct GraphPage {
  let document: GraphDocument
  let analysis: GraphAnalysis
  var components: [ComponentGraph.ComponentNode] { document.graph.components }

  init(_ document: GraphDocument) {
    self.document = document
    analysis = GraphAnalysis(document.graph)
  }

  /// The page. Pages of equal documents differ only in the random number of the security policy.
  var html: String {
    get throws {
      let style = String(decoding: PackageResources.page_css, as: UTF8.self)
      let script = String(decoding: PackageResources.page_js, as: UTF8.self)
      let nonce = UUID().uuidString
      let policy =
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        + "style-src 'nonce-\(nonce)'; script-src 'nonce-\(nonce)'"
      return """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="\(policy)">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(escaped(document.title)) – component graph</title>
        <style nonce="\(nonce)">\(style)</style>
        </head>
        <body>
        <a class="skip" href="#content">Skip to the graph</a>
        <header>
        <h1>\(escaped(document.title))</h1>
        <p class="quiet">Component graph</p>
        \(figures)
        \(problems)
        </header>
        \(components.isEmpty ? emptyMain : try columns(script, nonce))
        </body>
        </html>
        """
    }
  }

  // MARK: - Parts

  private var emptyMain: String {
    """
    <main id="content" tabindex="-1"><p class="panel">\(GraphDocument.emptyNote)</p>\(libraryTable)</main>
    """
  }

  /// The list of components and what the page shows beside it, with the script and what it reads.
  private func columns(_ script: String, _ nonce: String) throws -> String {
    """
    <section class="panel drawing script" hidden aria-labelledby="drawing-title">
    <h2 id="drawing-title">Drawing</h2>
    <p class="quiet" id="drawing-text"></p>
    <div class="scroll" id="drawing-area" role="region" aria-labelledby="drawing-title" tabindex="0"></div>
    <svg hidden></svg>
    </section>
    <div class="columns">
    \(navigation)
    <main id="content" tabindex="-1">
    <section class="panel" id="details" hidden aria-labelledby="details-title">
    <div class="bar"><h2 id="details-title" tabindex="-1"></h2><button type="button" id="all" hidden>Show everything</button></div>
    <div id="details-body"></div>
    </section>
    <div class="tables">
    \(tables)
    </div>
    \(libraryTable)
    <noscript>
    <section class="panel"><h2>Components and their needs</h2>
    \(components.indices.map(staticDetails).joined(separator: "\n"))
    </section>
    </noscript>
    </main>
    </div>
    <script type="application/json" id="data">\(try data)</script>
    <script nonce="\(nonce)">\(script)</script>
    """
  }

  private var figures: String {
    let needs = components.flatMap(\.needs)
    let missing = needs.count(where: \.isMissing)
    let created = components.count(where: \.isCreated)
    // A container has components without libraries.
    let libraries = document.graph.libraries.count
    var figures =
      (libraries > 0 ? [("Libraries", "\(libraries)")] : []) + [
        ("Components", "\(components.count)"),
        ("Needs met", "\(needs.count(where: \.isPresent))"),
        ("Absent", "\(needs.count(where: \.isAbsent))"),
      ]
    if missing > 0 { figures.append(("Missing", "\(missing)")) }
    figures.append(("Longest path", "\(analysis.longestPath.count)"))
    if created > 0 { figures.append(("Created", "\(created)")) }
    let items = figures.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>" }.joined()
    return "<dl class=\"figures\">\(items)</dl>"
  }

  private var problems: String {
    guard !document.problems.isEmpty else { return "" }
    let items = document.problems.map { problem in
      let repairs = problem.repairs.map { "<li>\(escaped($0))</li>" }.joined()
      let place = problem.file.map {
        " <span class=\"quiet\">\(escaped($0))\(problem.line.map { ":\($0)" } ?? "")</span>"
      }
      return "<li>\(escaped(problem.message)) [\(escaped(problem.number))]\(place ?? "")"
        + (repairs.isEmpty ? "" : "<ul>\(repairs)</ul>") + "</li>"
    }
    return """
      <section class="panel problems" aria-labelledby="problems-title"><h2 id="problems-title">Problems (\(items.count))</h2>
      <ul>\(items.joined())</ul></section>
      """
  }

  private var navigation: String {
    var members = Dictionary(grouping: components.indices) { components[$0].library }
    var groups = document.graph.libraries.map {
      (title: "\($0.name) \($0.version)", indices: members.removeValue(forKey: $0.name) ?? [])
    }
    groups.insert(("No library", members.values.joined().sorted()), at: 0)
    let sections = groups.filter { !$0.indices.isEmpty }.map { title, indices in
      let items = indices.map { index in
        let count = analysis.dependents[index].count
        return "<li><a href=\"#c\(index)\">\(escaped(components[index].name))"
          + "<span class=\"quiet\"><span class=\"spoken\">, needed by </span>\(count)</span></a></li>"
      }
      let heading = document.graph.libraries.isEmpty ? "" : "<h3>\(escaped(title))</h3>"
      return "<section>\(heading)<ul>\(items.joined())</ul></section>"
    }
    return """
      <nav class="panel" aria-labelledby="list-title">
      <h2 id="list-title">Components</h2>
      <div class="script" hidden>
      <div class="field"><label for="search">Search names, libraries and services</label><input type="search" id="search" autocomplete="off" spellcheck="false"></div>
      <div class="field"\(document.graph.libraries.isEmpty ? " hidden" : "")><label for="library">Library</label><select id="library"><option value="">All</option></select></div>
      <label class="tick"><input type="checkbox" id="absent"> Only with absent needs</label>
      <p class="quiet keys"><kbd>/</kbd> search, <kbd>↑</kbd> <kbd>↓</kbd> move</p>
      <p class="quiet" id="count" role="status"></p>
      </div>
      <p class="quiet">The number is how many need it.</p>
      <div class="list">\(sections.joined(separator: "\n"))</div>
      </nav>
      """
  }

  private var tables: String {
    let slowest = components.indices.compactMap { index in
      components[index].creationSeconds.map { (index, $0) }
    }
    .sorted { ($1.1, $0.0) < ($0.1, $1.0) }.prefix(10)
    let needed = analysis.mostNeeded.prefix(10)
    var parts: [String] = []
    if analysis.longestPath.count > 1 {
      let items = analysis.longestPath.map { "<li>\(link($0))</li>" }.joined()
      parts.append(
        "<section class=\"panel\"><h2>Longest path</h2><p class=\"quiet\">Each component needs the next.</p>"
          + "<ol class=\"chain\">\(items)</ol></section>")
    }
    parts.append(
      table(
        "Needed by most", "Needed by", needed.map { ($0, "\(analysis.dependents[$0].count)") }))
    parts.append(
      table(
        "Slowest creations", "Time", slowest.map { ($0.0, Self.milliseconds($0.1)) }))
    return parts.joined(separator: "\n")
  }

  /// The libraries with the numbers of their components and of the libraries that they need.
  private var libraryTable: String {
    var counts: [String: Int] = [:]
    var needed: [String: Set<String>] = [:]
    for (index, component) in components.enumerated() {
      guard let library = component.library else { continue }
      counts[library, default: 0] += 1
      needed[library, default: []].formUnion(analysis.needed[index].compactMap { components[$0].library })
    }
    let rows = document.graph.libraries.map { library in
      let others = (needed[library.name] ?? []).subtracting([library.name])
      return "<tr><td>\(escaped(library.name))</td><td class=\"number\">\(counts[library.name] ?? 0)</td>"
        + "<td class=\"number\">\(others.count)</td></tr>"
    }
    guard !rows.isEmpty else { return "" }
    return """
      <section class="panel"><h2>Libraries</h2><table><thead><tr><th scope="col">Library</th>\
      <th scope="col" class="number wide">Components</th><th scope="col" class="number wide">Needs others</th></tr></thead>\
      <tbody>\(rows.joined())</tbody></table></section>
      """
  }

  private func table(_ title: String, _ column: String, _ rows: [(index: Int, value: String)]) -> String {
    guard !rows.isEmpty else { return "" }
    let lines = rows.map { "<tr><td>\(link($0.index))</td><td class=\"number\">\($0.value)</td></tr>" }
    return """
      <section class="panel"><h2>\(title)</h2><table><thead><tr><th scope="col">Component</th>\
      <th scope="col" class="number">\(column)</th></tr></thead><tbody>\(lines.joined())</tbody></table></section>
      """
  }

  /// Returns what the page without scripts says of a component.
  private func staticDetails(_ index: Int) -> String {
    let component = components[index]
    let needs = component.needs.map { need in
      let met = need.providers.map { name in analysis.indices[name].map(link) ?? escaped(name) }
      let state = need.isPresent ? met.joined(separator: ", ") : need.isMissing ? "missing" : "absent"
      return "<li>\(escaped(need.name)), \(escaped(need.kind)): \(state)</li>"
    }
    var facts = [component.library, component.scope, component.timing].compactMap(\.self)
    if let order = component.creationOrder {
      let time = component.creationSeconds.map { " in \(Self.milliseconds($0))" }
      facts.append("created as number \(order)\(time ?? "")")
    }
    facts.append("needed by \(analysis.dependents[index].count)")
    return "<h3 id=\"c\(index)\">\(escaped(component.name))</h3>"
      + "<p class=\"quiet\">\(escaped(facts.joined(separator: ", ")))</p>"
      + (needs.isEmpty ? "" : "<ul>\(needs.joined())</ul>")
  }

  private func link(_ index: Int) -> String {
    "<a href=\"#c\(index)\">\(escaped(components[index].name))</a>"
  }

  private static func milliseconds(_ seconds: Double) -> String {
    String(format: "%.3f ms", seconds * 1000)
  }

  private func escaped(_ text: String) -> String { Self.escaped(text) }

  /// Returns a text as it appears in HTML, in an element or in quotation marks.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension ComponentGraph.Edge {
  /// Whether nothing meets the need, and configuring fails because of it.
  var isMissing: Bool { !isPresent && ["required", "provider", "factory"].contains(kind) }

  /// Whether nothing meets the need, as is allowed.
  var isAbsent: Bool { !isPresent && !isMissing }
}
