import TenonFoundation
import TenonWebChannel

/// A WebChannel session of a client: the driver of ``ServerSession``, which knows neither connections nor
/// clocks.
///
/// A session ends when its client terminates it or sends no requests for a while, when its call ends, or with
/// the backend. The call runs in a separate task: it receives the client's messages by ``next()``, and sends
/// its own by ``send(_:)``, which waits while the client hasn't acknowledged the earlier ones. A client that
/// sends faster than the call receives waits for the response to its POST.
actor ChannelSession {
  /// The ID of the session.
  nonisolated let id: String
  /// The protocol.
  private var session: ServerSession
  /// The clock, and the instant from which the session's times are counted.
  private let time: TimeSource
  private let start: ContinuousClock.Instant
  /// The open back channels by their numbers.
  private var channels: [Int: BackChannel] = [:]
  private var lastChannel = 0
  /// The messages of the client that the call hasn't received, and their size in bytes.
  private var inbox: [ChannelMessage] = []
  private var inboxBytes = 0
  /// The call, if it waits for a message, and those of its tasks that wait for room to send one.
  private var receiver: CheckedContinuation<Void, Never>?
  private var senders: [CheckedContinuation<Void, Never>] = []
  /// The POSTs that wait until the call has received messages.
  private var posts: [CheckedContinuation<Void, Never>] = []
  /// The task of the call.
  private var call: Task<Void, Never>?
  /// Waits for the session's deadline, which isn't before the time.
  private var timer: (task: Task<Void, Never>, end: Duration)?
  /// Removes the session from the service.
  private let onEnd: @Sendable (String) -> Void

  /// The size of the client's messages from which on further POSTs wait, in bytes.
  private static let inboxLimit = 4 << 20

  /// Creates a session.
  ///
  /// - Parameters:
  ///   - id: a random ID.
  ///   - settings: the times and limits.
  ///   - time: the clock.
  ///   - onEnd: called with the ID when the session has ended.
  init(id: String, _ settings: ServerSettings, time: TimeSource, onEnd: @escaping @Sendable (String) -> Void)
  {
    self.id = id
    self.time = time
    self.onEnd = onEnd
    start = time.now()
    session = ServerSession(id: id, settings: settings, at: .zero)
  }

  /// The time since the session's start.
  private var now: Duration { time.now() - start }

  // MARK: - Requests

  /// Answers the handshake and begins the call.
  ///
  /// - Parameter call: runs the call. The session ends with it: with its error as a failure, otherwise in an
  ///   orderly way.
  /// - Returns: the body of the response.
  /// - Throws: `ChannelError`.
  func begin(
    _ query: ChannelQuery, _ form: ChannelForm,
    call: @escaping @Sendable (ChannelSession) async throws(ChannelFailed) -> Void
  ) throws(ChannelError) -> Data {
    let answer = try session.handshake(query, form, at: now)
    perform(answer.actions)
    if !session.isEnded {
      self.call = Task {
        do throws(ChannelFailed) {
          try await call(self)
          self.end(nil)
        } catch {
          self.end(error.failure)
        }
      }
    }
    return answer.body
  }

  /// Accepts a POST, after waiting until the call has received enough of the earlier messages.
  ///
  /// - Returns: the body of the response.
  /// - Throws: `ChannelError`.
  func forward(_ query: ChannelQuery, _ form: ChannelForm) async throws -> Data {
    while inboxBytes >= Self.inboxLimit, !session.isEnded {
      await withCheckedContinuation { posts.append($0) }
    }
    let answer = try session.forward(query, form, at: now)
    perform(answer.actions)
    return answer.body
  }

  /// Opens a back channel.
  ///
  /// - Returns: the reader of its response.
  /// - Throws: `ChannelError`.
  func openBackChannel(_ query: ChannelQuery) throws(ChannelError) -> BackChannelReader {
    lastChannel += 1
    let channel = BackChannel()
    channels[lastChannel] = channel
    do throws(ChannelError) {
      perform(try session.openBackChannel(lastChannel, query, at: now))
    } catch {
      channels[lastChannel] = nil
      throw error
    }
    return BackChannelReader(channel, lastChannel, of: self)
  }

  /// Takes note that the reader of a back channel has left.
  func backChannelBroke(_ number: Int) {
    guard channels.removeValue(forKey: number) != nil else { return }
    session.backChannelBroke(number, at: now)
    perform([])
  }

  /// Ends the session.
  func terminate() { perform(session.terminate(at: now)) }

  // MARK: - The call

  /// Returns the next message of the client; `nil` if the session has ended or the task is cancelled. Calls
  /// must not overlap.
  func next() async -> Data? {
    while inbox.isEmpty, !session.isEnded, !Task.isCancelled {
      await withTaskCancellationHandler {
        await withCheckedContinuation { receiver = $0 }
      } onCancel: {
        Task { await self.wake() }
      }
    }
    guard !session.isEnded, !Task.isCancelled else { return nil }
    let message = inbox.removeFirst()
    inboxBytes -= message.cost
    if inboxBytes < Self.inboxLimit { resumePosts() }
    return message.payload
  }

  /// Sends a message, after waiting until the client has acknowledged enough of the earlier ones.
  ///
  /// - Throws: `CancellationError` if the session has ended or the task is cancelled.
  func send(_ payload: Data) async throws {
    while !session.wantsMessages, !session.isEnded, !Task.isCancelled {
      await withTaskCancellationHandler {
        await withCheckedContinuation { senders.append($0) }
      } onCancel: {
        Task { await self.wake() }
      }
    }
    guard !session.isEnded, !Task.isCancelled else { throw CancellationError() }
    perform(try session.send(payload, at: now))
  }

  /// Ends the call.
  ///
  /// - Parameter failure: the failure that the client receives; `nil` for an orderly end.
  private func end(_ failure: ChannelFailure?) {
    guard !session.isEnded else { return }
    perform(failure.map { session.fail($0, at: now) } ?? session.close(at: now))
  }

  /// Ends the call and the session, without waiting until the client has received the failure.
  func abort(_ failure: ChannelFailure) {
    end(failure)
    if !session.isEnded { terminate() }
  }

  /// Lets the call find out that its task was cancelled.
  private func wake() {
    receiver.take()?.resume()
    resumeSenders()
  }

  // MARK: - Actions

  /// Does what the protocol says.
  private func perform(_ actions: [ServerAction]) {
    for action in actions {
      switch action {
      case .write(let bytes, to: let number): channels[number]?.write(bytes)
      case .end(let number): channels.removeValue(forKey: number)?.finish()
      case .deliver(let message):
        inbox.append(message)
        inboxBytes += message.cost
        receiver.take()?.resume()
      case .wantsMessages: resumeSenders()
      case .ended: finish()
      }
    }
    setTimer()
  }

  /// Releases everything after the end of the session.
  private func finish() {
    for channel in channels.values { channel.finish() }
    (channels, inbox, inboxBytes) = ([:], [], 0)
    call?.cancel()
    call = nil
    wake()
    resumePosts()
    onEnd(id)
  }

  private func resumeSenders() {
    let waiting = senders
    senders = []
    for sender in waiting { sender.resume() }
  }

  private func resumePosts() {
    let waiting = posts
    posts = []
    for post in waiting { post.resume() }
  }

  /// Waits for the deadline of the session. A timer that ends before it is kept: it sets the next one.
  private func setTimer() {
    guard let deadline = session.deadline, !session.isEnded else {
      timer?.task.cancel()
      timer = nil
      return
    }
    if let timer, timer.end <= deadline { return }
    timer?.task.cancel()
    let wait = deadline - now
    let task = Task { [weak self, time] in
      do { try await time.sleep(wait) } catch { return }
      await self?.advance(deadline)
    }
    timer = (task, deadline)
  }

  /// Does what is due at a deadline.
  private func advance(_ deadline: Duration) {
    guard timer?.end == deadline else { return }
    timer = nil
    perform(session.advance(to: now))
  }
}

/// The failure of a call, which its client receives.
struct ChannelFailed: Error {
  /// The status and the message.
  let failure: ChannelFailure
}
