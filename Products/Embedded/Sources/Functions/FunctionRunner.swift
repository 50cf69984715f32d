import TenonCore
import TenonFoundation

/// Runs the closures of functions, each on a dedicated thread and for a limited time.
///
/// One that ignores its cancellation goes on running, but its caller gets an error, and the number of such
/// closures is limited.
final class FunctionRunner: Sendable {
  /// The number of closures that are running, including those that ignore their cancellation.
  private let running = Lock(0)
  /// The clock.
  private let time: TimeSource
  /// The calls that have ended.
  let calls = FunctionCallLog()

  /// The maximum number of closures that run at a time.
  private static let mostRunning = 1_000

  init(time: TimeSource) { self.time = time }

  /// Runs the closure of a function, and records the call.
  ///
  /// - Parameters:
  ///   - name: the name of the function.
  ///   - timeout: the maximum duration.
  ///   - body: the closure. It is cancelled when the time is over and when the task is.
  /// - Throws: ``CallableError`` with `DEADLINE_EXCEEDED` if the time is over, and with `RESOURCE_EXHAUSTED`
  ///   if too many closures are running; the closure's error; `CancellationError`.
  func run<Result: Sendable>(
    _ name: String, timeout: Duration, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let (start, begin) = (time.timestamp(), time.now())
    do {
      let result = try await admitted(name, timeout: timeout, body)
      calls.add(name, start: start, duration: time.now() - begin, error: nil)
      return result
    } catch {
      calls.add(name, start: start, duration: time.now() - begin, error: error)
      throw error
    }
  }

  /// Runs a closure, unless too many are running.
  private func admitted<Result: Sendable>(
    _ name: String, timeout: Duration, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let isAdmitted = running.withLock { running in
      guard running < Self.mostRunning else { return false }
      running += 1
      return true
    }
    guard isAdmitted else {
      throw CallableError(.resourceExhausted, "\(Self.mostRunning) functions are running already.")
    }
    let result = try await time.value(by: time.now() + timeout.limited) { [self] in
      defer { running.withLock { $0 -= 1 } }
      // A child task begins on its thread, whereas `withTaskExecutorPreference` stays on the current one
      // until it suspends.
      return try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask(executorPreference: FunctionThread()) { try await body() }
        guard let outcome = try await group.next() else { throw CancellationError() }
        return outcome
      }
    }
    if let result { return result }
    throw CallableError(.deadlineExceeded, "The function \(name) didn't end within \(timeout).")
  }
}
