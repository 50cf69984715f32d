import Foundation

/// The declarations of a source, by their names as in documents.
enum DeclaredNames {
  /// Returns whether a source declares a type or a member.
  ///
  /// - Parameters:
  ///   - name: `Type`, or `Type.member`, of which `Type` may also be extended by the source. A function may
  ///     have labels: `Type.function(_:label:)`.
  ///   - source: the text of the source.
  static func declare(_ name: String, in source: String) -> Bool {
    let path = name.prefix { $0 != "(" }.split(separator: ".")
    guard let last = path.last, last != "_" else { return false }
    let types = "(?:struct|class|enum|actor|protocol|typealias)"
    if path.count == 1 { return contains(#"\b\#(types) \#(last)\b"#, source) }
    guard contains(#"\b(?:\#(types)|extension) (?:\w+\.)*\#(path[path.count - 2])\b"#, source) else {
      return false
    }
    guard let parenthesis = name.firstIndex(of: "(") else {
      return last == "init"
        ? contains(#"\binit[?!]?[<(]"#, source)
        : contains(#"\b(?:func|var|let|case|\#(types)) `?\#(last)\b"#, source)
    }
    let labels = name[parenthesis...].dropFirst().dropLast().split(separator: ":")
    let declarations = matches(last == "init" ? #"\binit[?!]?[<(]"# : #"\bfunc `?\#(last)`?[<(]"#, source)
    return declarations.contains { start in
      let text = source[start...].prefix(2_000).replacing("\n", with: " ")
      return APIPages.Function(declaration: text[...])?.parameters.map(\.label) == labels.map(String.init)
    }
  }

  private static func contains(_ pattern: String, _ source: String) -> Bool {
    !matches(pattern, source).isEmpty
  }

  /// Returns where the matches of a pattern begin.
  private static func matches(_ pattern: String, _ source: String) -> [String.Index] {
    guard let expression = try? Regex(pattern) else { return [] }
    return source.matches(of: expression).map(\.range.lowerBound)
  }
}
