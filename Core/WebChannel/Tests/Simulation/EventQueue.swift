/// Events in the order of their times; those of one time in the order in which they were added.
struct EventQueue<Event> {
  private struct Entry {
    let time: Duration
    let order: Int
    let event: Event

    func precedes(_ other: Entry) -> Bool { time == other.time ? order < other.order : time < other.time }
  }

  /// A binary heap.
  private var heap: [Entry] = []
  private var order = 0

  /// The time of the first event.
  var time: Duration? { heap.first?.time }

  /// Adds an event.
  mutating func add(_ event: Event, at time: Duration) {
    order += 1
    heap.append(Entry(time: time, order: order, event: event))
    var index = heap.count - 1
    while index > 0, heap[index].precedes(heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes the first event.
  mutating func removeFirst() -> Event? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return first.event }
    heap[0] = last
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < heap.count && heap[child].precedes(heap[least]) {
        least = child
      }
      if least == index { return first.event }
      heap.swapAt(index, least)
      index = least
    }
  }
}
