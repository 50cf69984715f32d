import TenonDocuments
import TenonFoundation

extension Embedded {
  /// Returns the events that functions didn't handle and that aren't attempted any more, the newest first. At
  /// least the last 1,000 of each function are kept.
  ///
  /// - Parameter limit: the greatest number of events; 100 by default.
  /// - Throws: an error if the database can't be read.
  public func failedEvents(limit: Int = 100) async throws -> [FailedEvent] {
    var failures: [FailedEvent] = []
    for source in [EventKind.Source.documents, .others] {
      failures += try await eventSource(source).withEvents { try $0.failures(limit: limit) }
    }
    failures.sort { $0.time.compare($1.time) > 0 }
    while failures.count > max(0, limit) { failures.removeLast() }
    return failures
  }

  /// Attempts an event again that has failed. Its age counts from now.
  ///
  /// - Parameter id: the ID of the event.
  /// - Returns: whether there is such an event.
  /// - Throws: an error if the database can't be written.
  @discardableResult public func retryFailedEvent(_ id: String) async throws -> Bool {
    let now = time.timestamp()
    for (source, dispatcher) in [
      (EventKind.Source.documents, documentEvents), (.others, otherEvents),
    ] where try await eventSource(source).withEvents({ try $0.retry(id, now: now) }) {
      dispatcher.wake()
      return true
    }
    return false
  }

  /// Waits until the functions of this process have handled all events that were recorded so far, or don't
  /// attempt them any more. A test that uses it needn't wait for a function's effect. Writes of the functions
  /// themselves have events, too, for which it also waits.
  ///
  /// - Throws: an error if the database can't be read; `CancellationError`.
  public func waitForPendingEvents() async throws {
    repeat {
      await documentEvents.waitUntilIdle()
      await otherEvents.waitUntilIdle()
      try Task.checkCancellation()
    } while try await !documentEvents.isIdle()
  }

  /// Whether the writes of this process are events for functions. What is written in between isn't an event
  /// later either, as in the emulator suite, whose tests prepare their data this way.
  package var areBackgroundTriggersEnabled: Bool {
    get { events.areEnabled }
    set { events.areEnabled = newValue }
  }

  /// Returns the database of events.
  func eventSource(_ source: EventKind.Source) -> any EventSource {
    switch source {
    case .documents: documentDatabase
    case .others: database
    }
  }

  /// Registers a function that receives events, and begins to call it.
  ///
  /// - Throws: ``FunctionRegistrationError`` with `invalidName` or `alreadyExists`.
  func register(_ function: EventFunction) throws {
    try FunctionRegistrationError.check(name: function.name)
    guard !functions.contains(function.name), !requests.contains(function.name) else {
      throw RequestService.exists(function.name)
    }
    try events.add(function, now: time.timestamp())
    (function.kind.source == .documents ? documentEvents : otherEvents).start()
  }
}
