package import Foundation
package import TenonStoreInterop

/// The two streams to a remote. What they receive is passed to ``RemoteStore``.
package protocol RemoteStreams: AnyObject {
  /// Opens the stream of targets for a user; requests may be sent at once.
  func openListen(for user: String?)
  func send(_ request: ListenRequest)
  func closeListen()
  /// Opens the stream of a user's writes; batches may be sent once it says that it is open.
  func openWrite(token: Data?, for user: String?)
  func send(_ batch: RemoteBatch)
  func closeWrite()
}

/// The state of one stream: it is opened when it is needed, and reopened with backoff when it fails.
final class RemoteStream {
  private enum State { case closed, waiting, open, failed }

  private var state = State.closed
  private var backoff: Backoff
  private let timers: any SyncTimers
  private let backoffTimer: SyncTimer
  private let idleTimer: SyncTimer
  private let open: () -> Void
  private let close: () -> Void
  /// Whether the remote has acknowledged the opening, so that it accepts what is sent.
  var isReady = false

  /// How long a stream that isn't needed stays open.
  static let idleTime = Duration.seconds(60)

  init(
    timers: any SyncTimers, backoffTimer: SyncTimer, idleTimer: SyncTimer, backoff: Backoff,
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

  /// The remote has ended the stream with an error.
  func failed(exhausted: Bool) {
    forgetTimers()
    if exhausted { backoff.resetToMost() }
    state = .failed
    isReady = false
  }

  /// The remote has ended the stream without an error.
  func ended() {
    forgetTimers()
    state = .closed
    isReady = false
  }

  /// The stream works: the next failure is a first one.
  func succeeded() { backoff.reset() }

  /// The stream isn't needed now; it is closed if that stays so.
  func becomeIdle() {
    guard isOpen else { return }
    timers.schedule(idleTimer, after: Self.idleTime) { [weak self] in self?.stop() }
  }

  func becomeBusy() { timers.cancel(idleTimer) }

  /// The next attempt is made without backoff.
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
