import TenonFoundation
import TenonStoreInterop

/// The events of a listen stream, between the database that computes them and their reader.
///
/// While ``capacity`` events or more wait for the reader, the database computes no further ones for the
/// stream: it sends the changes that a slow reader has missed together, as the difference between two states.
/// The events of one request, such as the documents of a new target, are added together and may exceed the
/// capacity.
final class ListenQueue: Sendable {
  /// The state. Continuations are resumed, and closures called, outside the lock.
  private struct State {
    /// The events, of which those before `position` have been read.
    var events: [ListenEvent] = []
    var position = 0
    /// The error with which the stream ends, once it has ended.
    var end: Result<Void, any Error>?
    /// Whether the reader has left.
    var isClosed = false
    /// The reader, if it is waiting.
    var reader: CheckedContinuation<Void, Never>?
    /// The task that waits for room before it handles a request, if it is waiting.
    var writer: CheckedContinuation<Void, Never>?
    /// Whether the database has skipped the stream because it was full.
    var isSkipped = false
    /// Makes the database compute the changes that it skipped.
    var onRoom: (@Sendable () -> Void)?

    /// The number of events that haven't been read.
    var count: Int { events.count - position }
  }

  /// The number of events from which on no further ones are computed.
  static let capacity = 1_000

  /// The number of events that haven't been read in the queues of all remote clients.
  final class Total: Sendable {
    /// The number from which on requests of remote clients wait. The events of one request may exceed it.
    static let limit = 100_000
    private let number = Lock(0)

    /// Whether requests have to wait.
    var isReached: Bool { number.withLock { $0 >= Self.limit } }

    /// Adds to the number.
    fileprivate func add(_ count: Int) { number.withLock { $0 += count } }
  }

  private let state = Lock(State())
  /// The total to which the events count; `nil` for clients in this process.
  let total: Total?

  /// Creates an empty queue.
  ///
  /// - Parameter total: the total of remote clients; `nil` for a client in this process.
  init(total: Total? = nil) { self.total = total }

  deinit { close() }

  // MARK: - For the database

  /// The number of events that haven't been read.
  var count: Int { state.withLock { $0.count } }

  /// Sets the closure that is called when there is room again after ``hasRoom()`` returned `false`.
  func onRoom(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onRoom = action } }

  /// Returns whether the next events may be computed. If not, the closure of ``onRoom(_:)`` is called once
  /// there is room.
  func hasRoom() -> Bool {
    state.withLock { state in
      guard state.count >= Self.capacity else { return true }
      state.isSkipped = true
      return false
    }
  }

  /// Appends events. They are dropped if the stream has ended or the reader has left.
  func append(_ events: [ListenEvent]) {
    let reader: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard !events.isEmpty, state.end == nil, !state.isClosed else { return nil }
      if state.position == state.events.count {
        state.events = events
        state.position = 0
      } else {
        state.events += events
      }
      total?.add(events.count)
      return state.reader.take()
    }
    reader?.resume()
  }

  /// Ends the stream after the events that were appended before. Only the first call has an effect.
  ///
  /// - Parameter error: the error that the reader receives at the end; `nil` for none.
  func finish(_ error: (any Error)?) {
    let woken: [CheckedContinuation<Void, Never>?] = state.withLock { state in
      guard state.end == nil else { return [] }
      state.end = error.map { .failure($0) } ?? .success(())
      state.onRoom = nil
      return [state.reader.take(), state.writer.take()]
    }
    for continuation in woken { continuation?.resume() }
  }

  /// Waits until there is room for the events of a request, the stream has ended, the reader has left, or the
  /// task is cancelled. Calls must not overlap.
  func waitForRoom() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          guard state.count >= Self.capacity, state.end == nil, !state.isClosed, !Task.isCancelled else {
            return false
          }
          state.writer = continuation
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.writer.take() }?.resume()
    }
  }

  // MARK: - For the reader

  /// Returns the next event, and waits for it if necessary; `nil` at the end. Calls must not overlap.
  ///
  /// - Throws: the error of the stream; `CancellationError` if the task is cancelled, after which the queue
  ///   is closed.
  func next() async throws -> ListenEvent? {
    while true {
      if let outcome = take() { return try outcome.get() }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let waits = state.withLock { state in
            guard state.count == 0, state.end == nil, !state.isClosed, state.reader == nil else {
              return false
            }
            state.reader = continuation
            return true
          }
          if !waits { continuation.resume() }
        }
      } onCancel: {
        close()
      }
    }
  }

  /// Removes the first event, and calls for further ones if there is room again.
  ///
  /// - Returns: the event, `nil` in it at the end; `nil` if the reader has to wait.
  private func take() -> Result<ListenEvent?, any Error>? {
    var writer: CheckedContinuation<Void, Never>?
    var refill: (@Sendable () -> Void)?
    defer {
      writer?.resume()
      refill?()
    }
    return state.withLock { state in
      guard !state.isClosed, !Task.isCancelled else { return .failure(CancellationError()) }
      guard state.count > 0 else { return state.end.map { $0.map { nil } } }
      let event = state.events[state.position]
      state.position += 1
      total?.add(-1)
      if state.position == state.events.count { (state.events, state.position) = ([], 0) }
      if state.count < Self.capacity {
        writer = state.writer.take()
        if state.isSkipped { (refill, state.isSkipped) = (state.onRoom, false) }
      }
      return .success(event)
    }
  }

  /// Ends the reading and drops the events that haven't been read.
  func close() {
    let woken: [CheckedContinuation<Void, Never>?] = state.withLock { state in
      state.isClosed = true
      total?.add(-state.count)
      (state.events, state.position, state.onRoom) = ([], 0, nil)
      return [state.reader.take(), state.writer.take()]
    }
    for continuation in woken { continuation?.resume() }
  }
}

/// The reader of a listen stream. Releasing it ends the stream.
final class ListenReader: Sendable {
  private let queue: ListenQueue
  /// Handles the requests of the stream.
  private let handling: Task<Void, Never>

  /// Creates the reader of a queue whose requests a task handles.
  init(_ queue: ListenQueue, handling: Task<Void, Never>) {
    self.queue = queue
    self.handling = handling
  }

  deinit { stop() }

  private func stop() {
    handling.cancel()
    queue.close()
  }

  /// Returns the next event; `nil` at the end.
  ///
  /// - Throws: the error of the stream; `CancellationError` if the task is cancelled, which ends the stream.
  func next() async throws -> ListenEvent? {
    do { return try await queue.next() } catch let error as CancellationError {
      stop()
      throw error
    }
  }
}
