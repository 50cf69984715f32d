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

  /// Returns the number of parts in which the pairs of rules and requests are tried. `TENON_RULES_TIMES`
  /// multiplies those of a deep run: 10 for 200,000 pairs, which take some hours.
  static var parts: Int {
    // Limited, so that the product can't overflow.
    DeepTests.areIncluded ? 20 * min(10_000, max(1, TestSeeds.count("TENON_RULES_TIMES", 1))) : 4
  }
}
