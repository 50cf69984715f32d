/// Extracts the names that a file declares, by regular expressions.
enum Declarations {
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
