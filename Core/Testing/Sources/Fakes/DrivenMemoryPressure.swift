public import TenonCore
import TenonFoundation

/// A source of memory-pressure events that a test sends. It can be used from any thread.
///
/// ```swift
/// let pressure = DrivenMemoryPressure()
/// container.resetUnderMemoryPressure(pressure)
/// pressure.send(.critical)
/// ```
public final class DrivenMemoryPressure: MemoryPressureSource {
  /// The streams that were created so far, including those that are no longer read.
  private let continuations = Lock<[AsyncStream<MemoryPressure>.Continuation]>([])

  /// Creates a source without events.
  public init() {}

  /// A new stream of the events that are sent from now on. Events before its creation aren't repeated.
  ///
  /// The stream buffers events without a limit, and the source never ends it.
  public var events: AsyncStream<MemoryPressure> {
    let (stream, continuation) = AsyncStream<MemoryPressure>.makeStream()
    continuations.withLock { $0.append(continuation) }
    return stream
  }

  /// Sends an event to all streams that exist. Returns before the events are processed.
  ///
  /// - Parameter pressure: the event.
  public func send(_ pressure: MemoryPressure) {
    for continuation in continuations.withLock({ $0 }) { continuation.yield(pressure) }
  }
}
