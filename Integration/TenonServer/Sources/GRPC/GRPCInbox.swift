import TenonFoundation

/// The messages of a client that its call hasn't received. The stream isn't read while there are too many.
final class GRPCInbox: Sendable {
  /// The state. Continuations are resumed outside the lock.
  private struct State {
    var messages: [[UInt8]] = []
    var bytes = 0
    /// How the messages end; `nil` if they go on.
    var end: Result<Void, GRPCStatus>?
    /// Whether the call receives no more.
    var isClosed = false
    /// The call, if it waits for a message, and the stream, if it waits for the call.
    var receiver: CheckedContinuation<Void, Never>?
    var sender: CheckedContinuation<Void, Never>?

    /// Removes the next message.
    mutating func next(limit: Int) -> Next {
      guard !messages.isEmpty else { return isClosed ? .end(.success(())) : end.map { .end($0) } ?? .nothing }
      let message = messages.removeFirst()
      bytes -= message.count
      return .message(message, bytes < limit ? sender.take() : nil)
    }
  }

  /// What there is to receive.
  private enum Next {
    case message([UInt8], CheckedContinuation<Void, Never>?)
    case end(Result<Void, GRPCStatus>)
    case nothing
  }

  private let state = Lock(State())

  /// The size of the messages from which on the stream waits, in bytes.
  private static let limit = 1 << 20

  /// Adds a message, and waits while there are too many. Calls must not overlap.
  func put(_ message: [UInt8]) async {
    let receiver: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.messages.append(message)
      state.bytes += message.count
      return state.receiver.take()
    }
    receiver?.resume()
    await withCheckedContinuation { continuation in
      let waits = state.withLock { state in
        guard state.bytes >= Self.limit, !state.isClosed else { return false }
        state.sender = continuation
        return true
      }
      if !waits { continuation.resume() }
    }
  }

  /// Ends the messages.
  ///
  /// - Parameter error: why they can't be read; `nil` if they are complete.
  func finish(_ error: GRPCStatus? = nil) {
    let receiver: CheckedContinuation<Void, Never>? = state.withLock { state in
      state.end = state.end ?? error.map { .failure($0) } ?? .success(())
      return state.receiver.take()
    }
    receiver?.resume()
  }

  /// Ends the receiving.
  func close() {
    let (receiver, sender) = state.withLock { state in
      state.isClosed = true
      (state.messages, state.bytes) = ([], 0)
      return (state.receiver.take(), state.sender.take())
    }
    receiver?.resume()
    sender?.resume()
  }

  /// Returns the next message; `nil` at the end. Calls must not overlap.
  ///
  /// - Throws: ``GRPCStatus``; `CancellationError` if the task is cancelled.
  func next() async throws -> [UInt8]? { try await received().get() }

  /// Returns what ``next()`` returns or throws. It doesn't throw itself: Swift 6.3's optimiser crashes for a loop that waits and throws.
  private func received() async -> Result<[UInt8]?, any Error> {
    while !Task.isCancelled {
      switch state.withLock({ $0.next(limit: Self.limit) }) {
      case .message(let message, let sender):
        sender?.resume()
        return .success(message)
      case .end(.success): return .success(nil)
      case .end(.failure(let status)): return .failure(status)
      case .nothing: await wait()
      }
    }
    return .failure(CancellationError())
  }

  /// Returns the only message.
  ///
  /// - Throws: as ``next()``.
  func only() async throws -> [UInt8] {
    guard let message = try await next(), try await next() == nil else {
      throw GRPCStatus(.internal, "The method has exactly one request.")
    }
    return message
  }

  private func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          guard state.messages.isEmpty, state.end == nil, !state.isClosed, state.receiver == nil else {
            return false
          }
          state.receiver = continuation
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      close()
    }
  }
}
