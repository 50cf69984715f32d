import TenonCore
import TenonFoundation
import TenonTransport
import TenonTransportInterop
import TenonWebChannel

/// Runs the session of one ``ClientChannel`` over HTTP: it sends the channel's requests, passes on what
/// becomes of them, and keeps its deadlines.
///
/// Received messages are kept until ``take()``. Their size is bounded: above
/// `ClientSettings.unconsumedBytes`, nothing more is read from the server. A driver keeps itself alive until
/// its session has ended, so its owner must call ``close()``, also when nothing more is of interest: servers
/// keep a session that isn't terminated for minutes.
actor ChannelDriver {
  /// What a session needs from its connection.
  struct Route: Sendable {
    /// Sends the requests.
    let http: HTTPClient
    /// The URL of the channel, without a query, for example
    /// `https://firestore.googleapis.com/google.firestore.v1.Firestore/Listen/channel`.
    let url: String
  }

  private let route: Route
  /// The state machine, which decides everything.
  private var channel: ClientChannel
  /// The instant from which the channel's times are counted.
  private let start: ContinuousClock.Instant
  /// Sent whenever ``take()`` may return something new, or ``send(_:)`` accept more.
  private let signal: WakeSignal
  /// The requests under way, by number.
  private var requests: [Int: Task<Void, Never>] = [:]
  /// The back channels that currently don't read.
  private var paused: [Int: CheckedContinuation<Void, Never>] = [:]
  /// The wait for the channel's deadline.
  private var timer: (deadline: Duration, task: Task<Void, Never>)?
  /// The messages that were received and not taken, oldest last.
  private var received: [ChannelMessage] = []
  /// The messages that were received since ``received`` was filled, oldest first.
  private var arriving: [ChannelMessage] = []
  /// Why the channel has ended; `nil` while it hasn't.
  private var end: ChannelEnd?
  /// Why the last request that failed got no complete response; `nil` if none has failed.
  private(set) var lastFailure: (any Error)?

  /// The time from which the response to a termination is no longer awaited.
  private static let terminationTimeout = Duration.seconds(5)
  /// The time within which a POST must be answered if the channel doesn't give it up before.
  private static let postTimeout = Duration.seconds(120)

  /// Creates a driver. Nothing is sent before ``open(with:)``.
  ///
  /// - Parameters:
  ///   - channel: a channel that hasn't started.
  ///   - route: where to send its requests.
  ///   - signal: sent whenever ``take()`` may return or throw something new.
  init(_ channel: ClientChannel, route: Route, signal: WakeSignal) {
    self.channel = channel
    self.route = route
    self.signal = signal
    start = route.http.time.now()
  }

  // MARK: - Owner

  /// Starts the channel with its first messages.
  ///
  /// - Throws: `ChannelError` if a message is too large.
  func open(with messages: [Data]) throws(ChannelError) {
    let actions = try channel.start(messages, at: now)
    perform(actions)
  }

  /// Queues a message.
  ///
  /// - Throws: `ChannelError` with `full` if too much waits to be sent, and with `ended` if the channel has
  ///   ended.
  func send(_ message: Data) throws(ChannelError) {
    let actions = try channel.send(message, at: now)
    perform(actions)
  }

  /// Returns the next message that was received; `nil` if there is none now.
  ///
  /// - Throws: `ChannelEnd` if the channel has ended and all messages were taken.
  func take() throws(ChannelEnd) -> ChannelMessage? {
    if received.isEmpty {
      received = arriving.reversed()
      arriving = []
    }
    guard let message = received.popLast() else {
      if let end { throw end }
      return nil
    }
    perform(channel.consumed(message, at: now))
    return message
  }

  /// Ends the session, and terminates it at the server. Messages that weren't taken are dropped. Further
  /// calls have no effect.
  func close() {
    received = []
    arriving = []
    perform(channel.close(at: now))
  }

  // MARK: - Channel

  /// The time of the channel.
  private var now: Duration { route.http.time.now() - start }

  /// Does what the channel says.
  private func perform(_ actions: [ClientAction]) {
    for action in actions {
      switch action {
      case .send(let request): send(request)
      case .cancel(let number):
        requests.removeValue(forKey: number)?.cancel()
        paused.removeValue(forKey: number)?.resume()
      case .opened: break
      case .deliver(let message):
        arriving.append(message)
        signal.send()
      case .ended(let reason):
        end = reason
        for request in requests.values { request.cancel() }
        requests = [:]
        signal.send()
      }
    }
    if end != nil || channel.wantsBytes {
      for continuation in paused.values { continuation.resume() }
      paused = [:]
    }
    updateTimer()
  }

  /// Waits for the deadline of the channel, if it has changed.
  private func updateTimer() {
    let deadline = end == nil ? channel.deadline : nil
    guard deadline != timer?.deadline else { return }
    timer?.task.cancel()
    timer = deadline.map { deadline in
      (
        deadline,
        Task { [weak self, time = route.http.time, start] in
          do { try await time.sleep(start + deadline - time.now()) } catch { return }
          await self?.deadlinePasses(deadline)
        }
      )
    }
  }

  /// Called when the channel's deadline has been reached.
  private func deadlinePasses(_ deadline: Duration) {
    guard timer?.deadline == deadline else { return }
    timer = nil
    // A clock that isn't precise could be early, and the channel would do nothing.
    perform(channel.advance(to: max(now, deadline)))
  }

  // MARK: - Requests

  /// Sends a request of the channel, and reports what becomes of it.
  private func send(_ request: ClientRequest) {
    let isTermination = request.kind == .termination
    let sending = Task {
      await self.exchange(request)
      if !isTermination { self.requestEnds(request.number) }
    }
    // Nothing cancels a termination: it outlives the channel, until its own deadline.
    if !isTermination { requests[request.number] = sending }
  }

  /// Releases a request that has ended.
  private func requestEnds(_ number: Int) { requests[number] = nil }

  /// Reports an event of a request to the channel.
  private func report(_ event: ResponseEvent, of request: Int) {
    guard end == nil else { return }
    let wasFull = !channel.wantsMessages
    perform(channel.receive(event, of: request, at: now))
    if wasFull, channel.wantsMessages { signal.send() }
  }

  /// Reports the failure of a request to the channel.
  private func fails(_ request: Int, _ error: any Error) {
    if end == nil, !(error is CancellationError) { lastFailure = error }
    report(.failure, of: request)
  }

  /// Performs the exchange of one request.
  private nonisolated func exchange(_ request: ClientRequest) async {
    do {
      let response = try await route.http.stream(try httpRequest(request))
      let session = response.headers["X-HTTP-Session-Id"]
      await report(.head(status: response.status, stickySession: session), of: request.number)
      for try await bytes in response.body {
        await report(.bytes(bytes), of: request.number)
        if request.kind == .backChannel { await readiness(of: request.number) }
      }
      // The body of a cancelled reader ends early.
      try Task.checkCancellation()
      await report(.end, of: request.number)
    } catch {
      await fails(request.number, error)
    }
  }

  /// Waits while a back channel isn't to be read, because too much has been received and not been taken.
  private func readiness(of request: Int) async {
    while end == nil, !channel.wantsBytes, requests[request] != nil {
      await withCheckedContinuation { paused[request] = $0 }
    }
  }

  /// Returns a request of the channel in the form of HTTP.
  ///
  /// - Throws: `TransportError` if the URL is malformed.
  private nonisolated func httpRequest(_ request: ClientRequest) throws -> TransportRequest {
    guard let url = URL(string: "\(route.url)?\(request.query.encoded)") else {
      throw TransportError(.invalidRequest, "The address of a channel is malformed.")
    }
    // A redirect would move a session to a server that doesn't know it.
    let limits = HTTPLimits(redirects: 0)
    if request.kind == .backChannel {
      // The channel itself detects silence.
      return TransportRequest(.get, url, timeouts: HTTPTimeouts(inactivity: nil), limits: limits)
    }
    var post = TransportRequest(
      .post, url, body: .data(request.body ?? Data()),
      deadline: request.kind == .termination ? Self.terminationTimeout : Self.postTimeout,
      limits: limits)
    post.headers["Content-Type"] = "application/x-www-form-urlencoded"
    return post
  }
}
