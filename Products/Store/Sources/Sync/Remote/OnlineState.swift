/// Whether the remote can be reached, as far as is known.
package enum OnlineState: Sendable {
  /// A connection is being made, or none is needed.
  case unknown
  /// The remote has answered, and the connection is open.
  case online
  /// The remote hasn't answered for a while, or the network was disabled. Listeners get what is in the cache.
  case offline
}

/// Determines from the state of the listen stream whether the remote can be reached.
final class OnlineStateTracker {
  /// How long a first answer may take.
  static let timeout = Duration.seconds(10)
  /// The number of attempts that may fail.
  private static let attempts = 1

  private(set) var state = OnlineState.unknown
  private var failures = 0
  private let timers: any SyncTimers
  private let onChange: (OnlineState) -> Void

  /// - Parameter onChange: called with each new state.
  init(timers: any SyncTimers, onChange: @escaping (OnlineState) -> Void) {
    self.timers = timers
    self.onChange = onChange
  }

  /// A listen stream is being opened.
  func streamStarts() {
    guard failures == 0 else { return }
    change(to: .unknown)
    timers.schedule(.onlineState, after: Self.timeout) { [weak self] in self?.change(to: .offline) }
  }

  /// A listen stream has ended, though it is needed.
  func streamFails() {
    if state == .online {
      change(to: .unknown)
      return
    }
    failures += 1
    guard failures >= Self.attempts else { return }
    timers.cancel(.onlineState)
    change(to: .offline)
  }

  /// A read wasn't answered: the remote counts as offline until a stream is answered.
  func readFails() {
    failures = max(failures, Self.attempts)
    timers.cancel(.onlineState)
    change(to: .offline)
  }

  /// Sets a state that is known.
  func set(_ state: OnlineState) {
    timers.cancel(.onlineState)
    failures = 0
    change(to: state)
  }

  private func change(to new: OnlineState) {
    guard new != state else { return }
    state = new
    onChange(new)
  }
}
