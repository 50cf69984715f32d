/// Wakes one waiting task. A signal that is sent while no task waits is kept, and several count as one.
struct WakeSignal: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  /// Creates a signal that wasn't sent.
  init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  /// Wakes the task that waits, or the next one.
  func send() { continuation.yield() }

  /// Waits for a signal. Once a waiting task was cancelled, every call returns immediately.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  func wait() async throws {
    // Each iterator of the stream continues where the last one ended.
    for await _ in stream { break }
    try Task.checkCancellation()
  }
}
