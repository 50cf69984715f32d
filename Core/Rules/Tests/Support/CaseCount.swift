import Foundation
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
  /// `TENON_RULES_PARTS` lists the parts instead, for example `31,35`, after these had differences.
  static var parts: [Int] {
    guard DeepTests.areIncluded else { return Array(0..<4) }
    let list = ProcessInfo.processInfo.environment["TENON_RULES_PARTS"] ?? ""
    let listed = list.split(separator: ",").compactMap { Int($0) }.filter { (0...1_000_000).contains($0) }
    guard listed.isEmpty else { return listed }
    // Limited, so that the sum can't overflow.
    let first = min(1_000_000, max(0, TestSeeds.count("TENON_RULES_FROM", 0)))
    return Array(first..<first + 20 * min(10_000, max(1, TestSeeds.count("TENON_RULES_TIMES", 1))))
  }
}
