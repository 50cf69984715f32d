/// No loop in a test waits for a condition, because it would never end if a defect prevented the condition.
///
/// The rule rejects `while` and `repeat` loops that yield or sleep. `eventually(within:_:)` of TenonTesting
/// waits with a limit, and fails where it was called. A loop with a number of rounds, such as
/// `for _ in 0..<20 { await Task.yield() }`, ends by itself and is accepted. An iteration of a stream is
/// limited by the trait that `tests-have-limits` requires.
enum WaitsHaveLimits: LintRule {
  static let id = "waits-have-limits"
  static let summary = "No loop in a test yields or sleeps until a condition holds."
  static let isOptional = true

  static func findings(in package: LintedPackage) -> [Finding] {
    package.tests(of: Self.self).flatMap { source in
      waits(source.code).map {
        source.finding(
          id, at: $0,
          "a loop that may never end waits for a condition; use eventually(within:_:) of TenonTesting")
      }
    }
  }

  /// Returns the positions of the loops that wait.
  private static func waits(_ code: String) -> [String.Index] {
    // Searching for text is faster than matching, and few files contain any of it.
    guard ["yield", "sleep"].contains(where: { code.utf8.contains($0.utf8) }) else { return [] }
    return code.matches(of: /\b(?:while|repeat)\b/).compactMap { loop in
      guard !endsRepeat(loop.range.lowerBound, in: code) else { return nil }
      // The condition may contain closures, but only in parentheses.
      var depth = 0
      let condition = code[loop.range.upperBound...].prefix { character in
        if "([".contains(character) { depth += 1 }
        if ")]".contains(character) { depth -= 1 }
        return depth > 0 || character != "{"
      }
      let body = Functions.enclosed(code[condition.endIndex...].dropFirst())
      // No word begins at the name of a member, because a period between letters is part of a word.
      let wait = /\bTask\s*\.\s*yield\b|\bsched_yield\b|sleep\s*\(/
      return condition.contains(wait) || body.contains(wait) ? loop.range.lowerBound : nil
    }
  }

  /// Whether `while` is that of a `repeat` loop: it is on the line of the brace that closes the body.
  private static func endsRepeat(_ position: String.Index, in code: String) -> Bool {
    code[..<position].last { $0.isNewline || !$0.isWhitespace } == "}"
  }
}
