import Foundation
import TenonFoundation

/// The errors that were found, on any thread.
final class Findings: Sendable {
  private struct State {
    var count = 0
    var first: [String] = []
  }

  private let state = Lock(State())

  var isEmpty: Bool { state.withLock { $0.count == 0 } }

  var description: String {
    state.withLock { state in
      (["\(state.count) broken invariants"] + state.first).joined(separator: "\n  ")
    }
  }

  func add(_ finding: @autoclosure () -> String) {
    let finding = finding()
    state.withLock { state in
      state.count += 1
      if state.first.count < 20 { state.first.append(finding) }
    }
  }

  /// Adds a finding unless a condition holds.
  func expect(_ holds: Bool, _ finding: @autoclosure () -> String) {
    if !holds { add(finding()) }
  }
}

/// Ends the process if a part doesn't finish.
final class Watchdog: Sendable {
  private let isStopped = Lock(false)

  init(_ part: String, limit: Duration, _ findings: Findings) {
    let seconds = Double(limit.components.seconds)
    // A separate thread, because all threads of the pool may be blocked.
    Thread { [self] in
      Thread.sleep(forTimeInterval: seconds)
      guard !isStopped.withLock({ $0 }) else { return }
      print("\(part): hangs, after \(findings.description)")
      fflush(nil)
      abort()
    }.start()
  }

  func stop() { isStopped.withLock { $0 = true } }
}

/// SplitMix64 (https://prng.di.unimi.it/splitmix64.c).
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension ContinuousClock.Instant {
  var isPast: Bool { self <= .now }
}

/// Waits until a condition is true.
///
/// - Returns: whether it became true within `limit`.
func eventually(within limit: Duration = .seconds(60), _ condition: () async throws -> Bool) async rethrows
  -> Bool
{
  let deadline = ContinuousClock.now + limit
  while try await !condition() {
    if deadline.isPast { return false }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return true
}
