package import Foundation
package import TenonStoreInterop

/// The two streams to a remote. Their events are passed to ``RemoteStore``.
package protocol RemoteStreams: AnyObject {
  /// Opens the listen stream for a user. Requests may be sent at once.
  func openListen(for user: String?)
  /// Sends a request on the listen stream.
  func send(_ request: ListenRequest)
  /// Closes the listen stream; no further events are passed on.
  func closeListen()
  /// Opens the write stream for a user. Batches may be sent once the `opened` event has been received.
  func openWrite(token: Data?, for user: String?)
  /// Sends a batch on the write stream.
  func send(_ batch: RemoteBatch)
  /// Closes the write stream; no further events are passed on.
  func closeWrite()
}

/// The state machine of one stream: it is opened when needed, reopened with backoff after a failure, and closed when idle.
final class RemoteStream {
  private enum State { case closed, waiting, open, failed }

  private var state = State.closed
  private var backoff: RetryDelays
  private let timers: any SyncTimers
  private let backoffTimer: SyncTimer
  private let idleTimer: SyncTimer
  private let open: () -> Void
  private let close: () -> Void
  /// Whether the remote has acknowledged the opening, and accepts requests.
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

  var isOpen: Bool { state == .open }
  var isStarted: Bool { state == .open || state == .waiting }

  /// Opens the stream; after a failure, with backoff.
  func start() {
    guard !isStarted else { return }
    if state == .failed {
      state = .waiting
      timers.schedule(backoffTimer, after: backoff.next()) { [weak self] in self?.openNow() }
    } else {
      openNow()
    }
  }

  private func openNow() {
    state = .open
    isReady = false
    open()
  }

  /// Closes the stream.
  func stop() {
    forgetTimers()
    backoff.reset()
    let wasOpen = state == .open
    state = .closed
    isReady = false
    if wasOpen { close() }
  }

  /// Called when the remote has ended the stream with an error.
  ///
  /// - Parameter exhausted: whether a quota was exhausted, so that the maximum backoff is used.
  func failed(exhausted: Bool) {
    forgetTimers()
    if exhausted { backoff.resetToMost() }
    state = .failed
    isReady = false
  }

  /// Called when the remote has ended the stream without an error.
  func ended() {
    forgetTimers()
    state = .closed
    isReady = false
  }

  /// Resets the backoff because the stream works.
  func succeeded() { backoff.reset() }

  /// Closes the stream after the idle time, unless ``becomeBusy()`` is called before.
  func becomeIdle() {
    guard isOpen else { return }
    timers.schedule(idleTimer, after: Self.idleTime) { [weak self] in self?.stop() }
  }

  /// Cancels the idle timer, because the stream is in use.
  func becomeBusy() { timers.cancel(idleTimer) }

  /// Makes the next attempt immediate.
  func inhibitBackoff() {
    timers.cancel(backoffTimer)
    state = .closed
    backoff.reset()
  }

  private func forgetTimers() {
    timers.cancel(backoffTimer)
    timers.cancel(idleTimer)
  }
}
