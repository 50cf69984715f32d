import TenonFoundation

/// A value that changes now and then, for any number of readers. Thread-safe.
final class LatestValue<Value: Sendable & Equatable>: Sendable where Value: SendableMetatype {
  /// The value; `nil` before the first one. Streams receive values with the lock held, so that all see the
  /// same order.
  private let current = Lock<Value?>(nil)
  private let streams = ChangeStreams<Value>()

  /// The current value; `nil` before the first one.
  var value: Value? { current.withLock { $0 } }

  /// Replaces the value.
  func send(_ value: Value) {
    current.withLock { current in
      current = value
      streams.send(value)
    }
  }

  /// Returns a stream of the current value and of each later one. A slow reader receives the newest.
  func stream() -> AsyncStream<Value> {
    current.withLock { current in
      let stream = streams.stream(of: { $0 }, { $0 })
      if let value = current { streams.send(value) }
      return stream
    }
  }

  /// Ends the streams.
  func finish() { streams.finish() }
}
