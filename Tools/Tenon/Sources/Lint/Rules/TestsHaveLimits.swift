/// Every suite of tests has the trait `.limited` of TenonTestSupport, so that a test that can't go on fails
/// by its name instead of stopping the run, and so that only a few tests run at the same time.
///
/// A suite is a type at the top level of a file that contains `@Test`; those inside it have its trait. An
/// extension of a suite is accepted if another file of the same tests declares the suite with the trait. A
/// test outside of types needs the trait itself.
///
/// The limit also covers what waits for one element of a stream, such as `for await _ in events { break }`:
/// if the element never arrives, the test is cancelled after its limit, a minute by default, and reported by
/// its name.
enum TestsHaveLimits: LintRule {
  static let id = "tests-have-limits"
  static let summary =
    "Every suite of tests has the trait `.limited`, and so has every test outside of a suite."
  static let isOptional = true

  static func findings(in package: LintedPackage) -> [Finding] {
    Dictionary(grouping: package.tests(of: Self.self)) { folder(of: $0.path) }
      .sorted { $0.key < $1.key }
      .flatMap { _, sources in
        let limited = Set(sources.flatMap { limitedSuites($0.code) })
        return sources.flatMap { source in
          unlimited(source.code, limited: limited).map { name, position in
            source.finding(
              id, at: position,
              name.map { "the suite \($0) has no limit; add @Suite(.limited)" }
                ?? "a test outside of a suite has no limit; add @Test(.limited)")
          }
        }
      }
  }

  /// Returns the folder `Tests` of a path.
  private static func folder(of path: String) -> Substring {
    path.firstRange(of: "Tests/").map { path[..<$0.upperBound] } ?? path[...]
  }

  /// Returns the names of the types that have the trait.
  private static func limitedSuites(_ code: String) -> [String] {
    guard code.utf8.contains("@Suite".utf8) else { return [] }
    return code.matches(of: /@Suite\s*\(/).compactMap { suite in
      let traits = Functions.enclosed(code[suite.range.upperBound...])
      guard traits.contains(/\.limited\b/) else { return nil }
      return code[traits.endIndex...].firstMatch(of: /\b(?:struct|class|enum|actor)\s+(\w+)/).map {
        String($0.1)
      }
    }
  }

  /// Returns what has tests and no limit: types at the top level by their names, and tests outside of types
  /// without one.
  private static func unlimited(
    _ code: String, limited: Set<String>
  ) -> [(name: String?, position: String.Index)] {
    // Searching for text is faster than matching.
    guard code.utf8.contains("@Test".utf8) else { return [] }
    let heads = code.matches(
      of: /\b(?:struct|class|enum|actor|extension)\s+(?!func\b|var\b|let\b|subscript\b)(\w+)[^{}]*\{/)
    var found: [(name: String?, position: String.Index)] = []
    var end = code.startIndex
    /// Notes the tests between two types.
    func visit(_ outside: Substring) {
      for test in outside.matches(of: /@Test\b\s*(\()?/)
      where test.1 == nil || !Functions.enclosed(outside[test.range.upperBound...]).contains(/\.limited\b/) {
        found.append((nil, test.range.lowerBound))
      }
    }
    for head in heads where head.range.lowerBound >= end {
      visit(code[end..<head.range.lowerBound])
      let body = Functions.enclosed(code[head.range.upperBound...])
      end = body.endIndex
      if body.contains(/@Test\b/), !limited.contains(String(head.1)) {
        found.append((String(head.1), head.range.lowerBound))
      }
    }
    visit(code[end...])
    return found
  }
}
