import TenonFoundation

/// The thread on which a publisher delivers.
public enum StreamDelivery: Sendable, Hashable {
  /// The main actor, as in Firebase. Closures that are written in code of the main actor can be passed to
  /// `sink` and other operators.
  case mainActor
  /// Any thread. Closures that are passed to operators must be `@Sendable`, because the process is stopped if
  /// code of the main actor is called elsewhere. For servers, and for programs that block the main thread.
  case anyThread
}

/// Receives what a ``DemandedReader`` reads.
protocol DemandedReceiver<Element, Failure>: Sendable {
  associatedtype Element
  associatedtype Failure: Error

  /// Receives an element, and returns how many more than before are demanded; `Int.max` for any number.
  func receive(_ element: Element) -> Int

  /// Receives the end of the stream, with its error if there is one.
  func end(_ failure: Failure?)
}

/// Reads a stream as its receiver demands, and passes on one element after the other. Thread-safe.
///
/// An element is read only when it is demanded, so a stream that keeps the newest element for a slow reader
/// keeps it for a slow receiver. The receiver is released after the end and when the reader is cancelled;
/// nothing is received after that, except by a call that has already begun on another thread.
final class DemandedReader<Element: Sendable, Failure: Error>: Sendable {
  /// The state, guarded by the lock.
  private struct State {
    /// The number of elements that are demanded and haven't been read; `Int.max` for any number.
    var demand = 0
    /// The receiver; `nil` after the end.
    var receiver: (any DemandedReceiver<Element, Failure>)?
    /// Reads the stream; `nil` before the start.
    var task: Task<Void, Never>?
    /// Waits for demand. It is resumed with whether an element may be read.
    var waiter: CheckedContinuation<Bool, Never>?

    /// Takes the demand for one element, if there is any.
    mutating func takeDemand() -> Bool {
      guard demand > 0 else { return false }
      if demand < .max { demand -= 1 }
      return true
    }
  }

  private let state: Lock<State>
  private let delivery: StreamDelivery

  /// Creates a reader that reads nothing yet.
  ///
  /// - Parameters:
  ///   - receiver: receives the elements.
  ///   - delivery: the thread on which it receives them.
  init(_ receiver: any DemandedReceiver<Element, Failure>, delivery: StreamDelivery) {
    state = Lock(State(receiver: receiver))
    self.delivery = delivery
  }

  /// Whether the stream has ended or the reader was cancelled.
  var isOver: Bool { state.withLock { $0.receiver == nil } }

  /// Starts to read a stream. Called once.
  ///
  /// - Parameter stream: the stream, of which this is the only reader. It is released at the end.
  func start<Stream: AsyncSequence & Sendable>(_ stream: Stream)
  where Stream.Element == Element, Stream.Failure == Failure {
    let task = Task.detached { await self.read(stream) }
    let isOver = state.withLock { state in
      state.task = task
      return state.receiver == nil
    }
    if isOver { task.cancel() }
  }

  /// Demands further elements.
  ///
  /// - Parameter count: the number; `Int.max` for any number. Numbers below 1 have no effect.
  func demand(_ count: Int) {
    guard count > 0 else { return }
    let waiter: CheckedContinuation<Bool, Never>? = state.withLock { state in
      let (sum, isTooLarge) = state.demand.addingReportingOverflow(count)
      state.demand = isTooLarge ? .max : sum
      return state.waiter != nil && state.takeDemand() ? state.waiter.take() : nil
    }
    waiter?.resume(returning: true)
  }

  /// Ends the reading, and with it the stream, and releases the receiver. Calling it again has no effect.
  func cancel() {
    let (receiver, task, waiter) = state.withLock { state in
      (state.receiver.take(), state.task, state.waiter.take())
    }
    task?.cancel()
    waiter?.resume(returning: false)
    // Released outside the lock, because releasing it may call this reader.
    withExtendedLifetime(receiver) {}
  }

  /// Reads the stream to its end.
  private func read<Stream: AsyncSequence & Sendable>(_ stream: Stream) async
  where Stream.Element == Element, Stream.Failure == Failure {
    var iterator = stream.makeAsyncIterator()
    do throws(Failure) {
      while await isDemanded() {
        guard let element = try await iterator.next(isolation: nil) else {
          return await deliver { self.end(nil) }
        }
        await deliver { self.receive(element) }
      }
    } catch {
      await deliver { self.end(error) }
    }
  }

  /// Waits until an element is demanded.
  ///
  /// - Returns: `false` if the reader was cancelled.
  private func isDemanded() async -> Bool {
    await withCheckedContinuation { continuation in
      let answer: Bool? = state.withLock { state in
        if state.receiver == nil { return false }
        if state.takeDemand() { return true }
        state.waiter = continuation
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  /// Calls a closure where the receiver wants to be called.
  private func deliver(_ body: @Sendable () -> Void) async {
    switch delivery {
    case .mainActor: await MainActor.run(body: body)
    case .anyThread: body()
    }
  }

  /// Passes on an element.
  private func receive(_ element: Element) {
    guard let receiver = state.withLock({ $0.receiver }) else { return }
    demand(receiver.receive(element))
  }

  /// Passes on the end.
  private func end(_ failure: Failure?) { state.withLock { $0.receiver.take() }?.end(failure) }
}
