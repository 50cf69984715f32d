/// Streams of one value's changes, for any number of readers. Each hears what is news to it; a slow one the newest.
///
/// ```swift
/// let streams = ChangeStreams<User?>()
/// for await name in streams.stream(of: { $0?.id }, { $0?.name }) { … }   // tells each time the id changes
/// streams.tell(user)
/// ```
package final class ChangeStreams<Value: Sendable>: Sendable {
  private struct Reader: Sendable {
    let isNews: @Sendable (_ value: Value, _ last: Value) -> Bool
    let deliver: @Sendable (Value) -> Void
    let finish: @Sendable () -> Void
    /// What was delivered last; `nil` before the first delivery.
    var last: Value?
  }

  private struct State {
    var readers: [Int: Reader] = [:]
    var count = 0
    var isFinished = false
  }

  private let state = Lock(State())

  package init() {}

  /// A stream of what is told from now on: the first value, and then each whose `key` differs from the last one's.
  package func stream<Key: Equatable & SendableMetatype, Element: Sendable>(
    of key: @escaping @Sendable (Value) -> Key,
    _ element: @escaping @Sendable (Value) -> Element
  ) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: .bufferingNewest(1))
    let reader = Reader(
      isNews: { key($0) != key($1) },
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
      // The reader ends outside the lock.
      _ = self?.state.withLock { $0.readers.removeValue(forKey: id) }
    }
    return stream
  }

  /// Tells a value to everybody to whom it is news, for a start to those who know nothing yet.
  package func tell(_ value: Value) {
    state.withLock { state in
      for (id, reader) in state.readers {
        if let last = reader.last, !reader.isNews(value, last) { continue }
        reader.deliver(value)
        state.readers[id]?.last = .some(value)
      }
    }
  }

  /// Ends every stream, and those to come at once.
  package func finish() {
    let ended = state.withLock { state in
      state.isFinished = true
      defer { state.readers = [:] }
      return state.readers.values.map(\.finish)
    }
    for finish in ended { finish() }
  }
}
