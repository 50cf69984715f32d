package import TenonStoreInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The only source of time and randomness of an engine. Tests supply their own.
package struct EngineClock: Sendable {
  /// Returns the current time, with which writes are dated.
  package var now: @Sendable () -> Timestamp
  /// Waits for the delay of a timer or a timeout of the remote; throws if the task is cancelled.
  package var sleep: @Sendable (Duration) async throws -> Void
  /// Waits between two checks for changes of other processes, or for an idle database; throws if the task is cancelled.
  package var pause: @Sendable (Duration) async throws -> Void
  /// Returns the time since an arbitrary point, by a monotonic clock.
  package var uptime: @Sendable () -> Duration
  /// Returns a random number in the range `0..<1`.
  package var random: @Sendable () -> Double

  /// Creates a clock; by default, that of the system.
  package init(
    now: @escaping @Sendable () -> Timestamp = { Timestamp(date: Date()) },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
  ) {
    self.now = now
    self.sleep = sleep
    self.pause = pause
    self.random = random
    let start = ContinuousClock.now
    uptime = { ContinuousClock.now - start }
  }
}
