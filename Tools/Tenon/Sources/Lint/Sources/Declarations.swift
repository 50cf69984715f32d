/// Extracts the names that a file declares, by regular expressions.
enum Declarations {
  /// Returns all declared names, including parameters and local variables.
  static func all(_ code: String) -> Set<Substring> {
    let declared = code.matches(of: declaration).map { $0.2 }
    let parameters = code.matches(of: /(\w+)(?:[ \t]+(\w+))?\s*:/).flatMap {
      [$0.1] + ($0.2.map { [$0] } ?? [])
    }
    let closures = code.matches(of: /[({]\s*((?:\w+\s*,\s*)*\w+)\)?(?:\s+throws)?(?:\s*->[^\n{]*)?\s+in\b/)
      .flatMap {
        $0.1.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
      }
    return Set(declared + parameters + closures + ["some", "any", "self", "init"])
  }

  /// Returns the names that other files can use: types, and members of types and extensions, unless they are private. Functions of
  /// `Features` are not included: they are hooks, which the kernel declares.
  static func visible(_ code: String) -> Set<Substring> {
    var names: Set<Substring> = []
    var depth = 0
    var hiddenAbove: Int?
    for line in code.split(whereSeparator: \.isNewline) {
      if depth <= 1, hiddenAbove == nil {
        let isPrivate = line.contains(/\b(private|fileprivate)\b/)
        if depth == 0, isPrivate || line.contains(/^extension Features\b/) { hiddenAbove = depth }
        if !isPrivate, hiddenAbove == nil, let match = line.firstMatch(of: declaration) {
          names.insert(match.2)
        }
      }
      depth += line.count { $0 == "{" } - line.count { $0 == "}" }
      if let hidden = hiddenAbove, depth <= hidden, line.contains("}") { hiddenAbove = nil }
    }
    return names
  }

  /// Matches a keyword and the declared name.
  private static var declaration: Regex<(Substring, Substring, Substring)> {
    /\b(struct|class|enum|actor|protocol|typealias|func|var|let|case)\s+(\w+)/
  }

  /// Returns the names of the declared types and protocols, including nested ones.
  static func types(_ code: String) -> [String] {
    code.matches(of: /\b(?:struct|class|enum|actor|protocol|typealias|associatedtype)\s+(\w+)/).map {
      String($0.1)
    }
  }

  /// Returns the names of the declared protocols and where they are declared.
  static func protocols(_ code: String) -> [(name: String, position: String.Index)] {
    code.matches(of: /\bprotocol\s+(\w+)/).map { (String($0.1), $0.range.lowerBound) }
  }

  /// Returns the names in the lists of conformances and superclasses of types and extensions.
  static func conformances(_ code: String) -> Set<String> {
    let heads = code.matches(
      of: /\b(?:struct|class|enum|actor|extension)\s+\w[\w.]*(?:<[^>{]*>)?\s*:([^{};]*)\{/)
    return Set(
      heads.flatMap { head in
        let list = head.1.firstMatch(of: /\bwhere\b/).map { head.1[..<$0.range.lowerBound] } ?? head.1
        return list.matches(of: /\w+/).map { String($0.0) }
      })
  }
}
