package import TenonFoundation
package import TenonStoreInterop

/// The two streams to a remote. Their events are passed to ``RemoteExchange``.
///
/// Opening a stream only begins to connect: success shows in its first event, and failure in its end. An
/// implementation reports the end of each stream once, unless it was closed. ``EngineStreams`` is the
/// implementation; tests supply their own, and produce every order of events.
package protocol RemoteStreams: AnyObject {
  /// The number of batches that may be sent on the write stream before the first of them has been answered.
  var pipelineDepth: Int { get }
  /// Opens the listen stream for a user. Requests may be sent immediately.
  ///
  /// - Parameter user: the user's ID; `nil` if no user is signed in.
  func openListen(for user: String?)
  /// Sends a request on the listen stream. Requests reach the remote in the order in which they are sent.
  func send(_ request: ListenRequest)
  /// Closes the listen stream, if it is open; no further events are passed on.
  func closeListen()
  /// Opens the write stream for a user. Batches may be sent once the `opened` event has been received.
  ///
  /// - Parameters:
  ///   - token: the last stream token of the user; `nil` if there is none.
  ///   - user: the user's ID; `nil` if no user is signed in.
  func openWrite(token: Data?, for user: String?)
  /// Sends a batch on the write stream, without waiting for the answer to the previous one.
  func send(_ batch: RemoteBatch)
  /// Closes the write stream, if it is open; no further events are passed on.
  func closeWrite()
}

extension RemoteStreams {
  /// 10, as in Firestore's clients.
  package var pipelineDepth: Int { 10 }
}

/// The state machine of one stream: it is opened when needed, reopened with backoff after a failure, and
/// closed when idle.
///
/// It contains nothing of the protocol; ``RemoteExchange`` reports what happens to the stream. ``start()``
/// leads from closed to open, and from failed through waiting to open. The end of a stream leads to closed,
/// or to failed after an error. The backoff is reset when the stream works, so the first attempt after a
/// success is immediate.
final class StreamLifecycle {
  /// The state: `waiting` while the backoff lasts, `failed` between an error and the next
  /// ``StreamLifecycle/start()``.
  private enum State { case closed, waiting, open, failed }

  private var state = State.closed
  private var backoff: RetryDelays
  private let timers: any SyncTimers
  private let backoffTimer: SyncTimer
  private let idleTimer: SyncTimer
  private let open: () -> Void
  private let close: () -> Void
  /// Whether the remote has acknowledged the opening, and accepts requests. Only used for the write stream;
  /// ``RemoteExchange`` sets it, and it is reset when the stream is opened or ends.
  var isReady = false

  /// How long an unused stream stays open.
  static let idleTime = Duration.seconds(60)

  /// - Parameters:
  ///   - timers: the timers of the engine.
  ///   - backoffTimer: the timer for the backoff of this stream.
  ///   - idleTimer: the timer for the idle time of this stream.
  ///   - backoff: the backoff after failures.
  ///   - open: opens the connection.
  ///   - close: closes the connection.
  init(
    timers: any SyncTimers, backoffTimer: SyncTimer, idleTimer: SyncTimer, backoff: RetryDelays,
    open: @escaping () -> Void, close: @escaping () -> Void
  ) {
    self.timers = timers
    self.backoffTimer = backoffTimer
    self.idleTimer = idleTimer
    self.backoff = backoff
    self.open = open
    self.close = close
  }

  /// Whether the connection was opened, and its end was neither reported nor requested.
  var isOpen: Bool { state == .open }
  /// Whether the stream is open, or will be after the backoff.
  var isStarted: Bool { state == .open || state == .waiting }

  /// Opens the stream; after a failure, with backoff. No effect if it is open or waiting.
  func start() {
    guard !isStarted else { return }
    if state == .failed {
      state = .waiting
      timers.schedule(backoffTimer, after: backoff.next()) { [weak self] in self?.openNow() }
    } else {
      openNow()
    }
  }

  /// Opens the connection, without waiting.
  private func openNow() {
    state = .open
    isReady = false
    open()
  }

  /// Closes the stream, or cancels its backoff. The next attempt is immediate.
  func stop() {
    forgetTimers()
    backoff.reset()
    let wasOpen = state == .open
    state = .closed
    isReady = false
    if wasOpen { close() }
  }

  /// Called when the remote has ended the stream with an error. The connection needs no closing.
  ///
  /// - Parameter exhausted: whether a quota was exhausted, so that the maximum backoff is used.
  func failed(exhausted: Bool) {
    forgetTimers()
    if exhausted { backoff.resetToMost() }
    state = .failed
    isReady = false
  }

  /// Called when the remote has ended the stream without an error. The next ``start()`` opens it immediately.
  func ended() {
    forgetTimers()
    state = .closed
    isReady = false
  }

  /// Resets the backoff because the stream works.
  func succeeded() { backoff.reset() }

  /// Closes the stream after the idle time, unless ``becomeBusy()`` is called before. No effect unless it is
  /// open.
  func becomeIdle() {
    guard isOpen else { return }
    timers.schedule(idleTimer, after: Self.idleTime) { [weak self] in self?.stop() }
  }

  /// Cancels the idle timer, because the stream is in use.
  func becomeBusy() { timers.cancel(idleTimer) }

  /// Makes the next attempt immediate. Called after an error that says nothing about the connection, because
  /// it rejected a batch.
  func inhibitBackoff() {
    timers.cancel(backoffTimer)
    state = .closed
    backoff.reset()
  }

  /// Cancels the backoff and the idle timer.
  private func forgetTimers() {
    timers.cancel(backoffTimer)
    timers.cancel(idleTimer)
  }
}
