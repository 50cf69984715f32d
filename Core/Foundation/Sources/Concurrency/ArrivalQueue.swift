/// Elements that arrive one at a time and are processed together: all that have arrived while the previous
/// ones were processed. The number of elements isn't limited. Thread-safe.
///
/// ```swift
/// let queue = ArrivalQueue<String>()
/// queue.add("tea")
/// queue.add("coffee")
/// queue.end()
/// for await _ in queue.signals {
///   queue.removeAll()  // → ["tea", "coffee"]
/// }
/// ```
package final class ArrivalQueue<Element: Sendable>: Sendable {
  /// A value whenever there are elements, until ``end()`` was called. It is for one reader.
  package let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  private let elements = Lock<[Element]>([])

  /// Creates an empty queue.
  package init() { (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  /// Adds an element.
  package func add(_ element: Element) {
    elements.withLock { $0.append(element) }
    signal.yield()
  }

  /// Ends the signals, after the one for the elements that have been added.
  package func end() { signal.finish() }

  /// Removes all elements, and returns them in their order.
  package func removeAll() -> [Element] {
    elements.withLock { elements in
      defer { elements = [] }
      return elements
    }
  }
}
