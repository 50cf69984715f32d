import TenonFoundation

/// The bytes of a streamed response, between the function that sends them and the reader of the response.
///
/// The function waits for the reader while ``capacity`` bytes or more are waiting, so that a function that
/// sends without end can't fill the memory.
final class ChunkChannel: Sendable {
  /// A reader and senders that can continue.
  private typealias Woken = (
    reader: CheckedContinuation<Data?, Never>?, senders: [CheckedContinuation<Void, Never>]
  )

  /// The state. Continuations are resumed outside the lock.
  private struct State {
    /// The bytes that haven't been read.
    var bytes = Data()
    /// Whether the last bytes have been sent.
    var isFinished = false
    /// Whether the reader has left.
    var isClosed = false
    /// The reader, if it is waiting.
    var reader: CheckedContinuation<Data?, Never>?
    /// The senders that wait for the reader, by number.
    var senders: [Int: CheckedContinuation<Void, Never>] = [:]
    /// The number of senders so far that had to wait.
    var count = 0
    /// When the last bytes were sent.
    var lastSending: ContinuousClock.Instant
  }

  /// The number of bytes for which a function needn't wait.
  static let capacity = 64 << 10

  private let state: Lock<State>
  /// The clock of heartbeats.
  private let time: TimeSource

  /// Creates a channel.
  init(time: TimeSource) {
    self.time = time
    state = Lock(State(lastSending: time.now()))
  }

  // MARK: - For the function

  /// Sends bytes, after waiting for the reader if necessary.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, the reader has left, or the response is
  ///   complete.
  func send(_ bytes: Data) async throws {
    while true {
      try Task.checkCancellation()
      if try attempt(bytes) { return }
      await waitForRoom()
    }
  }

  /// Sends bytes if there is room.
  ///
  /// - Returns: whether there was.
  /// - Throws: `CancellationError` if the reader has left, or the response is complete.
  private func attempt(_ bytes: Data) throws -> Bool {
    let now = time.now()
    let (reader, isSent): (CheckedContinuation<Data?, Never>?, Bool) = try state.withLock { state in
      guard !state.isClosed, !state.isFinished else { throw CancellationError() }
      guard state.bytes.count < Self.capacity else { return (nil, false) }
      state.lastSending = now
      if let reader = state.reader.take() { return (reader, true) }
      state.bytes += bytes
      return (nil, true)
    }
    reader?.resume(returning: bytes)
    return isSent
  }

  /// Waits until the reader has read something or left, or the task is cancelled.
  private func waitForRoom() async {
    let id = state.withLock { state in
      state.count += 1
      return state.count
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          guard state.bytes.count >= Self.capacity, !state.isClosed, !Task.isCancelled else { return false }
          state.senders[id] = continuation
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.senders.removeValue(forKey: id) }?.resume()
    }
  }

  /// Sends the last bytes, without waiting. Has no effect if the reader has left.
  func finish(_ bytes: Data) {
    let woken: Woken = state.withLock { state in
      guard !state.isClosed, !state.isFinished else { return (nil, []) }
      state.isFinished = true
      let reader = state.reader.take()
      if reader == nil { state.bytes += bytes }
      defer { state.senders = [:] }
      return (reader, Array(state.senders.values))
    }
    woken.reader?.resume(returning: bytes)
    for sender in woken.senders { sender.resume() }
  }

  /// Sends bytes whenever nothing has been sent for a while, until the task is cancelled.
  ///
  /// - Parameters:
  ///   - beat: the bytes.
  ///   - interval: the time without other bytes after which they are sent.
  func sendHeartbeats(_ beat: Data, every interval: Duration) async {
    while !Task.isCancelled {
      let next = state.withLock { $0.lastSending } + interval
      let now = time.now()
      if now < next {
        do { try await time.sleep(next - now) } catch { return }
        continue
      }
      // If bytes are waiting, it is the reader that is slow.
      let reader = state.withLock { state in
        state.lastSending = now
        return state.isFinished ? nil : state.reader.take()
      }
      reader?.resume(returning: beat)
    }
  }

  // MARK: - For the reader

  /// Returns the bytes that have been sent since the last call, and waits if there are none; `nil` at the
  /// end, and if the task is cancelled. Calls must not overlap.
  func next() async -> Data? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (ready, senders): (Data??, [CheckedContinuation<Void, Never>]) = state.withLock { state in
          if !state.bytes.isEmpty {
            defer { (state.bytes, state.senders) = (Data(), [:]) }
            return (.some(state.bytes), Array(state.senders.values))
          }
          if state.isFinished || state.isClosed || state.reader != nil { return (.some(nil), []) }
          state.reader = continuation
          return (nil, [])
        }
        for sender in senders { sender.resume() }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      close()
    }
  }

  /// Ends the reading: drops the bytes that haven't been read, and ends the waits of senders.
  func close() {
    let woken: Woken = state.withLock { state in
      state.isClosed = true
      state.bytes = Data()
      defer { state.senders = [:] }
      return (state.reader.take(), Array(state.senders.values))
    }
    woken.reader?.resume(returning: nil)
    for sender in woken.senders { sender.resume() }
  }
}
