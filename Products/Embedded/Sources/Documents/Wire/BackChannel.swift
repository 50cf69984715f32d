import TenonFoundation

/// The response of a back channel, between the session that writes it and its reader.
///
/// Its bytes are those of the session's outbox, which is limited, so writing never waits.
final class BackChannel: Sendable {
  /// The state. Continuations are resumed outside the lock.
  private struct State {
    /// The bytes that haven't been read.
    var bytes = Data()
    /// Whether everything was written.
    var isFinished = false
    /// Whether the reader has left.
    var isClosed = false
    /// The reader, if it is waiting.
    var reader: CheckedContinuation<Void, Never>?
  }

  private let state = Lock(State())

  /// Appends bytes. They are dropped if the reader has left.
  func write(_ bytes: Data) {
    let reader: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard !state.isClosed, !state.isFinished else { return nil }
      state.bytes += bytes
      return state.reader.take()
    }
    reader?.resume()
  }

  /// Ends the response after the bytes that were written.
  func finish() {
    let reader: CheckedContinuation<Void, Never>? = state.withLock { state in
      state.isFinished = true
      return state.reader.take()
    }
    reader?.resume()
  }

  /// Returns the bytes that were written since the last call, and waits if there are none; `nil` at the end.
  /// Calls must not overlap.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  func next() async throws -> Data? {
    while true {
      try Task.checkCancellation()
      let ready: Data?? = state.withLock { state in
        if !state.bytes.isEmpty { return .some(state.bytes.moved()) }
        return state.isFinished || state.isClosed ? .some(nil) : nil
      }
      if let ready { return ready }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let waits = state.withLock { state in
            guard state.bytes.isEmpty, !state.isFinished, !state.isClosed, state.reader == nil else {
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

  /// Ends the reading and drops the bytes that haven't been read.
  ///
  /// - Returns: whether the response was incomplete.
  @discardableResult func close() -> Bool {
    let (reader, isIncomplete): (CheckedContinuation<Void, Never>?, Bool) = state.withLock { state in
      let isIncomplete = !state.isClosed && (!state.isFinished || !state.bytes.isEmpty)
      state.isClosed = true
      state.bytes = Data()
      return (state.reader.take(), isIncomplete)
    }
    reader?.resume()
    return isIncomplete
  }
}

extension Data {
  /// Returns the bytes and leaves none behind.
  fileprivate mutating func moved() -> Data {
    let bytes = self
    self = Data()
    return bytes
  }
}

/// The reader of a back channel's response. When it is released, the session treats the connection as closed.
final class BackChannelReader: Sendable {
  private let channel: BackChannel
  private let number: Int
  private let session: ChannelSession

  /// Creates the reader of a session's back channel.
  init(_ channel: BackChannel, _ number: Int, of session: ChannelSession) {
    self.channel = channel
    self.number = number
    self.session = session
  }

  deinit {
    guard channel.close() else { return }
    Task { [session, number] in await session.backChannelBroke(number) }
  }

  /// Returns the next bytes; `nil` at the end.
  func next() async throws -> Data? { try await channel.next() }
}
