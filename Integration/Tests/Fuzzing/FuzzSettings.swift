import Foundation

/// The duration and the seed of the fuzz tests.
enum FuzzSettings {
  /// The duration: a few seconds, or `TENON_FUZZ_SECONDS`.
  static let duration = Duration.seconds(environment("TENON_FUZZ_SECONDS").flatMap { Int64($0) } ?? 3)

  /// The seed: a new one for each run, or `TENON_FUZZ_SEED`.
  static let seed =
    environment("TENON_FUZZ_SEED").flatMap { UInt64($0) } ?? UInt64(Date.now.timeIntervalSince1970 * 1_000)

  private static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
