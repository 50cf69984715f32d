import Foundation
import TenonCore

/// Sleeps until a test says that it is enough, and tells how long was asked for.
final class Sleeper: Sendable {
  private struct State {
    var asleep: [Int: AsyncStream<Void>.Continuation] = [:]
    var count = 0
  }

  private let state = Lock(State())
  private let requests = AsyncStream.makeStream(of: TimeInterval.self)

  func sleep(_ seconds: TimeInterval) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let id = state.withLock { state in
      state.count += 1
      state.asleep[state.count] = continuation
      return state.count
    }
    requests.continuation.yield(seconds)
    for await _ in stream {}
    state.withLock { $0.asleep[id] = nil }
    try Task.checkCancellation()
  }

  /// Waits until somebody sleeps who wasn't told of yet, and tells how long they want to.
  func request() async -> TimeInterval? {
    for await seconds in requests.stream { return seconds }
    return nil
  }

  /// Wakes everybody.
  func wake() {
    let asleep = state.withLock { $0.asleep.values.map(\.self) }
    for continuation in asleep { continuation.finish() }
  }
}
