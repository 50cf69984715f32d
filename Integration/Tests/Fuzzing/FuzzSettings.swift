import Foundation

/// How long the fuzzers run, and with which numbers.
enum FuzzSettings {
  /// A few seconds, or as long as `TENON_FUZZ_SECONDS` says: a minute in CI, hours by hand.
  static let duration = Duration.seconds(environment("TENON_FUZZ_SECONDS").flatMap { Int64($0) } ?? 3)

  /// A new one each time, or the one that `TENON_FUZZ_SEED` repeats.
  static let seed =
    environment("TENON_FUZZ_SEED").flatMap { UInt64($0) } ?? UInt64(Date.now.timeIntervalSince1970 * 1_000)

  private static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
