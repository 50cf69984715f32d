import TenonTestSupport
import TenonTesting

/// How many random cases a test tries.
enum CaseCount {
  /// Returns the number of cases of this run: few by default, and many in deep runs, of which
  /// `TENON_RULES_SHARE` is the part that is tried: 10 for a tenth, because all of them take a quarter of an
  /// hour.
  static func of(_ few: Int, deep many: Int) -> Int {
    guard DeepTests.areIncluded else { return few }
    return max(few, many / max(1, TestSeeds.count("TENON_RULES_SHARE", 1)))
  }

  /// Returns the parts in which the pairs of rules and requests are tried.
  ///
  /// `TENON_RULES_TIMES` multiplies the 20 parts of a deep run, of 1,000 pairs each: 10 for 200,000 pairs, which
  /// take two hours. `TENON_RULES_FROM` is the first part, for a run that continues an earlier one.
  static var parts: Range<Int> {
    guard DeepTests.areIncluded else { return 0..<4 }
    // Limited, so that the sum can't overflow.
    let first = min(1_000_000, max(0, TestSeeds.count("TENON_RULES_FROM", 0)))
    return first..<first + 20 * min(10_000, max(1, TestSeeds.count("TENON_RULES_TIMES", 1)))
  }
}
