import Observation
import TenonFoundation

/// Whether an observer was invalidated: whether anything has changed that it had read.
///
/// ```swift
/// let title = Invalidation { _ = note.title }
/// note.rating = 5
/// #expect(!title.hasHappened)
/// ```
@MainActor package final class Invalidation {
  private let changed = Lock(false)

  /// Observes what a closure reads, until it changes for the first time.
  package init(of read: () -> Void) {
    withObservationTracking(read) { [weak self] in self?.changed.withLock { $0 = true } }
  }

  /// Whether anything has changed that the closure had read.
  package var hasHappened: Bool { changed.withLock { $0 } }

  /// Waits until a condition is met that reads observed properties. It is checked again whenever one of them
  /// changes.
  package static func wait(until condition: () -> Bool) async {
    while true {
      let (changes, channel) = AsyncStream<Void>.makeStream()
      let isMet = withObservationTracking(condition) { channel.finish() }
      if isMet { return }
      // The change is complete when this task runs on the main actor again.
      for await _ in changes {}
    }
  }
}
