package import TenonStoreInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Time and randomness: the one source of both in an engine. Tests supply their own.
package struct EngineClock: Sendable {
  /// Returns the current time, which dates writes.
  package var now: @Sendable () -> Timestamp
  /// Waits for the delay of a timer or for a timeout of the remote; throws if the task is cancelled.
  package var sleep: @Sendable (Duration) async throws -> Void
  /// Waits between two looks at what other processes have done, or whether the database is idle; throws if the task is cancelled.
  package var pause: @Sendable (Duration) async throws -> Void
  /// Returns the time since an arbitrary point, by a clock that is never set.
  package var uptime: @Sendable () -> Duration
  /// Returns a random number from 0 up to, but not including, 1.
  package var random: @Sendable () -> Double

  /// Creates a clock; by default, the system's.
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
