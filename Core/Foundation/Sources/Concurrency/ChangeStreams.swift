/// Multicasts the changes of one value to any number of streams.
///
/// Each stream delivers a value when its key differs from the key of the value that the stream delivered
/// last. A slow reader skips intermediate values and receives the newest. Thread-safe: of concurrent calls of
/// ``send(_:)``, every stream delivers the values in the same order.
///
/// ```swift
/// let streams = ChangeStreams<User?>()
/// let names = streams.stream(of: { $0?.id }, { $0?.name })  // one element per change of the ID
/// streams.send(user)
/// for await name in names { print(name ?? "signed out") }
/// ```
package final class ChangeStreams<Value: Sendable>: Sendable {
  /// One stream, with its types erased.
  private struct Reader: Sendable {
    /// Returns whether the key of a value differs from that of the value that was delivered last.
    let isChange: @Sendable (_ value: Value, _ last: Value) -> Bool
    /// Passes a value to the stream, in place of one that hasn't been read.
    let deliver: @Sendable (Value) -> Void
    /// Ends the stream, after the value that hasn't been read.
    let finish: @Sendable () -> Void
    /// The value that was delivered last; `nil` before the first delivery.
    var last: Value?
  }

  /// The state, guarded by `state`'s lock.
  private struct State {
    /// The streams that haven't ended, by number.
    var readers: [Int: Reader] = [:]
    /// The number of streams so far, from which they are numbered.
    var count = 0
    /// Whether ``finish()`` has been called.
    var isFinished = false
  }

  private let state = Lock(State())

  /// Creates a source without a value. Streams deliver nothing before the first ``send(_:)``.
  package init() {}

  /// Returns a stream of the values that are sent from now on: the first one, then each whose key differs
  /// from the key of the value that the stream delivered last.
  ///
  /// The stream ends with ``finish()``. Ending the iteration removes it.
  ///
  /// - Parameters:
  ///   - key: returns the part of a value to compare. Called with the lock held; it must not call this
  ///     object.
  ///   - element: returns what the stream delivers for a value. Called with the lock held, too.
  /// - Returns: the stream, which one task may iterate. It doesn't keep this object alive.
  package func stream<Key: Equatable & SendableMetatype, Element: Sendable>(
    of key: @escaping @Sendable (Value) -> Key,
    _ element: @escaping @Sendable (Value) -> Element
  ) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: .bufferingNewest(1))
    let reader = Reader(
      isChange: { key($0) != key($1) },
      deliver: { continuation.yield(element($0)) },
      finish: { continuation.finish() }
    )
    let id: Int? = state.withLock { state in
      guard !state.isFinished else { return nil }
      state.count += 1
      state.readers[state.count] = reader
      return state.count
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      // The reader's captures are released outside the lock.
      _ = self?.state.withLock { $0.readers.removeValue(forKey: id) }
    }
    return stream
  }

  /// Sends a value to every stream for which it is a change. Never waits for readers.
  ///
  /// - Parameter value: the value. Sending one after ``finish()`` has no effect.
  /// - Complexity: O(*n*) in the number of streams.
  package func send(_ value: Value) {
    state.withLock { state in
      for (id, reader) in state.readers {
        if let last = reader.last, !reader.isChange(value, last) { continue }
        reader.deliver(value)
        state.readers[id]?.last = .some(value)
      }
    }
  }

  /// Ends every stream. Streams that are created later end immediately.
  package func finish() {
    let ended = state.withLock { state in
      state.isFinished = true
      defer { state.readers = [:] }
      return state.readers.values.map(\.finish)
    }
    for finish in ended { finish() }
  }
}
