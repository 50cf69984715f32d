import TenonFoundation

/// The state machine of one stream: it is opened when needed, reopened with backoff after a failure, and
/// closed when idle.
///
/// It contains nothing of the protocol; ``RemoteExchange`` reports what happens to the stream. ``start()`` leads
/// from closed to open, and from failed through waiting to open. The end of a stream leads to closed, or to
/// failed after an error. The backoff is reset when the stream works, so the first attempt after a success is
/// immediate.
///
/// Good news ends the backoff (``hurry()``): the remote has answered something else, so a network that failed
/// works again. Attempts that good news has brought forward have a backoff of their own, which begins without
/// delay, so that a remote that answers reads and refuses writes isn't asked more often than another one that
/// fails. After a failure for which the remote can't be blamed, because it was never reached, that backoff is at
/// most that of the second retry.
final class StreamLifecycle {
  /// The state: `waiting` while the backoff lasts, `failed` between an error and the next
  /// ``StreamLifecycle/start()``.
  private enum State { case closed, waiting, open, failed }

  private var state = State.closed
  private var backoff: RetryDelays
  /// The delays of attempts that good news brings forward.
  private var hurries: RetryDelays
  /// Whether good news has brought the next attempt forward.
  private var isHurried = false
  /// Whether the backoff is for an exhausted quota, which good news doesn't end.
  private var isExhausted = false
  /// When the connection was last opened.
  private var openedAt: ContinuousClock.Instant?
  /// When the backoff ends; `nil` unless the stream waits.
  private(set) var waitsUntil: ContinuousClock.Instant?
  /// Whether the remote has answered since the connection was last opened.
  private(set) var hasSucceeded = false
  private let now: () -> ContinuousClock.Instant
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
  /// The age from which an attempt that wasn't answered is given up when there is good news: it may have begun
  /// while packets were lost, and repeats them more and more slowly.
  static let staleTime = Duration.seconds(3)

  /// - Parameters:
  ///   - timers: the timers of the engine.
  ///   - backoffTimer: the timer for the backoff of this stream.
  ///   - idleTimer: the timer for the idle time of this stream.
  ///   - backoff: the backoff after failures.
  ///   - now: returns the current instant.
  ///   - open: opens the connection.
  ///   - close: closes the connection.
  init(
    timers: any SyncTimers, backoffTimer: SyncTimer, idleTimer: SyncTimer, backoff: RetryDelays,
    now: @escaping () -> ContinuousClock.Instant, open: @escaping () -> Void, close: @escaping () -> Void
  ) {
    self.timers = timers
    self.backoffTimer = backoffTimer
    self.idleTimer = idleTimer
    self.backoff = backoff
    hurries = backoff
    self.now = now
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
      isHurried = false
      wait(backoff.next())
    } else {
      openNow()
    }
  }

  /// Opens the connection after a delay.
  private func wait(_ delay: Duration) {
    waitsUntil = now() + delay
    timers.schedule(backoffTimer, after: delay) { [weak self] in self?.openNow() }
  }

  /// Called with good news: the remote has answered something else. The backoff ends soon, once per wait.
  func hurry() {
    guard state == .waiting, !isHurried, !isExhausted, let waitsUntil else { return }
    isHurried = true
    let delay = hurries.next()
    if now() + delay < waitsUntil { wait(delay) }
  }

  /// Ends the backoff, because the app or the network has given reason to try now.
  func endBackoff() {
    guard state == .waiting else { return }
    timers.cancel(backoffTimer)
    backoff.reset()
    openNow()
  }

  /// Closes a connection that was opened a while ago, and on which nothing has been received; called with good
  /// news, for a stream whose requests can be repeated. No effect on an attempt that good news has brought
  /// forward.
  ///
  /// - Returns: whether it was closed, so that it must be started again.
  func stopsIfStale() -> Bool {
    guard state == .open, !hasSucceeded, !isHurried, let openedAt, now() - openedAt >= Self.staleTime
    else { return false }
    stop()
    isHurried = true
    return true
  }

  /// Opens the connection, without waiting.
  private func openNow() {
    state = .open
    isReady = false
    hasSucceeded = false
    waitsUntil = nil
    openedAt = now()
    open()
  }

  /// Closes the stream, or cancels its backoff. The next attempt is immediate.
  func stop() {
    forgetTimers()
    backoff.reset()
    hurries.reset()
    let wasOpen = state == .open
    state = .closed
    isReady = false
    if wasOpen { close() }
  }

  /// Called when the remote has ended the stream with an error. The connection needs no closing.
  ///
  /// - Parameters:
  ///   - exhausted: whether a quota was exhausted, so that the maximum backoff is used.
  ///   - unsent: whether the remote wasn't reached at all.
  func failed(exhausted: Bool, unsent: Bool) {
    forgetTimers()
    isExhausted = exhausted
    if exhausted { backoff.resetToMost() }
    if unsent { hurries.shorten() }
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
  func succeeded() {
    hasSucceeded = true
    isHurried = false
    backoff.reset()
    hurries.reset()
  }

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
    waitsUntil = nil
    state = .closed
    backoff.reset()
  }

  /// Cancels the backoff and the idle timer.
  private func forgetTimers() {
    waitsUntil = nil
    timers.cancel(backoffTimer)
    timers.cancel(idleTimer)
  }
}
