import Foundation
import TenonTestSupport

/// The duration and the seed of the fuzz tests.
enum FuzzSettings {
  /// The duration: a tenth of a second, 3 seconds in a deep run, or `TENON_FUZZ_SECONDS`.
  static let duration: Duration =
    environment("TENON_FUZZ_SECONDS").flatMap { Int64($0) }.map { .seconds($0) }
    ?? .milliseconds(DeepTests.count(100, deep: 3_000))

  /// The seed: a new one for each run, or `TENON_FUZZ_SEED`.
  static let seed =
    environment("TENON_FUZZ_SEED").flatMap { UInt64($0) } ?? UInt64(Date.now.timeIntervalSince1970 * 1_000)

  private static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
