public import TenonCore

/// A source of memory pressure that a test drives.
public final class DrivenMemoryPressure: MemoryPressureSource {
  private let continuations = Lock<[AsyncStream<MemoryPressure>.Continuation]>([])

  /// Creates a source without events.
  public init() {}

  /// A stream of the events that are sent from now on.
  public var events: AsyncStream<MemoryPressure> {
    let (stream, continuation) = AsyncStream<MemoryPressure>.makeStream()
    continuations.withLock { $0.append(continuation) }
    return stream
  }

  /// Sends an event to all streams.
  public func send(_ pressure: MemoryPressure) {
    for continuation in continuations.withLock({ $0 }) { continuation.yield(pressure) }
  }
}
