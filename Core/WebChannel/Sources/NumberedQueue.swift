/// A queue whose elements have consecutive numbers.
struct NumberedQueue<Element: Sendable>: Sendable {
  /// The elements; those before ``head`` have left the queue.
  private var elements: [Element] = []
  private var head = 0
  /// The number of the first element, or of the next one if the queue is empty.
  private(set) var first: MessageNumber

  /// Creates an empty queue.
  ///
  /// - Parameter first: the number of the first element.
  init(first: MessageNumber) { self.first = first }

  /// The number of elements.
  var count: Int { elements.count - head }
  /// Whether the queue is empty.
  var isEmpty: Bool { count == 0 }
  /// The number that the next element gets.
  var next: MessageNumber { first + count }

  /// The element with a number, which must be in the queue.
  subscript(number: MessageNumber) -> Element { elements[head + (number - first)] }

  /// Appends an element.
  mutating func append(_ element: Element) { elements.append(element) }

  /// Removes the elements before a number, and returns them.
  ///
  /// - Complexity: amortized O(*k*) in the number of removed elements.
  mutating func removeAll(before number: MessageNumber) -> ArraySlice<Element> {
    let removed = min(max(number - first, 0), count)
    // Checked: at most the number of elements.
    let result = elements[head..<head + removed]
    head += removed
    first += removed
    if head > 32, head > elements.count / 2 {
      // Checked: at most the number of elements.
      elements.removeFirst(head)
      head = 0
    }
    return result
  }
}
