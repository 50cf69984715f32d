public import TenonCore

/// A source of memory pressure that a test drives.
public final class DrivenMemoryPressure: MemoryPressureSource {
  private let continuations = Lock<[AsyncStream<MemoryPressure>.Continuation]>([])

  /// A source without pressure.
  public init() {}

  /// The events that ``send(_:)`` is told of from now on.
  public var events: AsyncStream<MemoryPressure> {
    let (stream, continuation) = AsyncStream<MemoryPressure>.makeStream()
    continuations.withLock { $0.append(continuation) }
    return stream
  }

  /// Tells everybody who watches.
  public func send(_ pressure: MemoryPressure) {
    for continuation in continuations.withLock({ $0 }) { continuation.yield(pressure) }
  }
}
