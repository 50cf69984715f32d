/// No test waits in a loop of its own until a condition holds: if a defect prevented it, the loop would never end.
///
/// `for await … { break }` waits as well, but in a test with a limit (see ``TestsHaveLimits``) it ends when the test is cancelled.
enum WaitsHaveLimits: LintRule {
  static let id = "waits-have-limits"
  static let summary =
    "Tests wait for a condition with `eventually`, which fails where it was called, and not in a loop."
  static let isOptional = true

  static func findings(in package: LintedPackage) -> [Finding] {
    package.files(of: Self.self).filter(\.isTest).flatMap { file in
      file.source.code.matches(
        of:
          /while (?!true\b|!Task\.isCancelled\b)(?:[^{}]|\{[^{}]*\})*\{\s*(?:try\??\s+)?(?:await\s+)?(?:Task\.(?:yield|sleep)|sched_yield|usleep|sleep|Thread\.sleep)\(/
      ).map {
        file.source.finding(
          id, at: $0.range.lowerBound, "a loop that may never end: use try await eventually { … }")
      }
    }
  }
}
