/// Whether the remote can be reached, as far as is known.
package enum OnlineState: Sendable {
  /// A connection is being established, or none is needed.
  case unknown
  /// The remote has answered, and the connection is open.
  case online
  /// The remote has not answered for some time, or the network is disabled. Listeners receive the cached documents.
  case offline
}

/// Determines from the listen stream whether the remote can be reached.
final class OnlineStateTracker {
  /// How long the first answer may take before the remote counts as offline.
  static let timeout = Duration.seconds(10)
  /// The number of failed attempts after which the remote counts as offline.
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

  /// Called when a listen stream is being opened.
  func streamStarts() {
    guard failures == 0 else { return }
    change(to: .unknown)
    timers.schedule(.onlineState, after: Self.timeout) { [weak self] in self?.change(to: .offline) }
  }

  /// Called when a listen stream has ended although it is needed.
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

  /// Called when a read was not answered: the remote counts as offline until a stream receives an answer.
  func readFails() {
    failures = max(failures, Self.attempts)
    timers.cancel(.onlineState)
    change(to: .offline)
  }

  /// Sets a state that is known for certain.
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
