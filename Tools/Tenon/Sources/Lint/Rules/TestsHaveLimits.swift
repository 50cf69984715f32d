/// Every suite limits how long its tests may take, and how many of them run at once, so that a test that hangs fails by its name.
enum TestsHaveLimits: LintRule {
  static let id = "tests-have-limits"
  static let summary = "Every suite of tests has the trait `.limited`."
  static let isOptional = true

  static func findings(in package: LintedPackage) -> [Finding] {
    package.files(of: Self.self).filter(\.isTest).flatMap { file in
      outermostTypes(in: file.source.code).filter {
        $0.text.contains("@Test") && !$0.attributes.contains(".limited")
      }.map {
        file.source.finding(id, at: $0.position, "the suite \($0.name) has no limit: @Suite(.limited)")
      }
    }
  }

  /// A type that no other type encloses.
  private struct OutermostType {
    let name: Substring
    let position: String.Index
    /// What precedes the declaration, since the declaration before it.
    let attributes: Substring
    /// The declaration with its members.
    let text: Substring
  }

  private static func outermostTypes(in code: String) -> [OutermostType] {
    var types: [OutermostType] = []
    var depth = 0
    var (end, start) = (code.startIndex, code.startIndex)
    for index in code.utf8.indices {
      switch code.utf8[index] {
      case UInt8(ascii: "{"):
        if depth == 0 { start = index }
        depth += 1
      case UInt8(ascii: "}"):
        depth -= 1
        guard depth == 0 else { continue }
        let head = code[end..<start]
        if let declaration = head.firstMatch(of: /\b(?:struct|class|actor|enum) (\w+)/) {
          types.append(
            OutermostType(
              name: declaration.1, position: declaration.range.lowerBound,
              attributes: head[..<declaration.range.lowerBound], text: code[start...index]))
        }
        end = code.utf8.index(after: index)
      default: break
      }
    }
    return types
  }
}
