import Foundation
import TenonCore
import TenonTransport

/// Time that moves when it is told to.
final class TestTime: Sendable {
  private struct Sleeper {
    let end: TimeInterval
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var elapsed: TimeInterval = 0
    /// What the wall clock was set to besides.
    var skew: TimeInterval = 0
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var count = 0
  }

  private let state = Lock(State())
  private let start = ContinuousClock.now
  private let asked = AsyncStream.makeStream(of: TimeInterval.self)

  /// The waits that were asked for, in seconds.
  var waits: AsyncStream<TimeInterval> { asked.stream }

  var date: Date { state.withLock { Date(timeIntervalSince1970: 1_700_000_000 + $0.elapsed + $0.skew) } }

  var pace: RetryPace {
    RetryPace(
      now: { self.start + .seconds(self.state.withLock { $0.elapsed }) },
      date: { self.date },
      sleep: { try await self.sleep(for: $0) },
      random: { 0 }
    )
  }

  func advance(by seconds: TimeInterval) {
    let woken = state.withLock { state in
      state.elapsed += seconds
      let woken = state.sleepers.filter { $0.value.end <= state.elapsed }
      for id in woken.keys { state.sleepers[id] = nil }
      return woken.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Sets the wall clock forward or back. Nobody wakes from that.
  func set(by seconds: TimeInterval) { state.withLock { $0.skew += seconds } }

  private func sleep(for duration: Duration) async throws {
    let seconds = duration / .seconds(1)
    let id = state.withLock { state in
      state.count += 1
      return state.count
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.withLock { state in
          if state.cancelled.contains(id) { return true }
          state.sleepers[id] = Sleeper(end: state.elapsed + seconds, continuation: continuation)
          return false
        }
        if isCancelled { return continuation.resume(throwing: CancellationError()) }
        asked.continuation.yield(seconds)
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.cancelled.insert(id)
        return state.sleepers.removeValue(forKey: id)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}

/// Lets nobody pass before it is opened, and tells when somebody has arrived.
final class Gate: Sendable {
  private let arrivals = AsyncStream.makeStream(of: Void.self)
  private let passage = AsyncStream.makeStream(of: Void.self)

  func pass() async throws {
    arrivals.continuation.yield()
    for await _ in passage.stream {}
    try Task.checkCancellation()
  }

  /// Waits until somebody stands at the gate.
  func arrival() async {
    for await _ in arrivals.stream { return }
  }

  func open() { passage.continuation.finish() }
}
