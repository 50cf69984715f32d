/// Whether the remote can be reached, as far as is known.
///
/// It decides whether a listener's first snapshot waits for the remote, and whether results count as
/// complete. It doesn't decide whether requests are sent.
package enum OnlineState: Sendable {
  /// A connection is being established, or none is needed.
  case unknown
  /// The remote has answered, and the connection is open.
  case online
  /// The remote hasn't answered for some time, or the network is disabled. Listeners receive the cached
  /// documents.
  case offline
}

/// Determines from the listen stream whether the remote can be reached.
///
/// Opening a stream makes the state unknown for at most ten seconds; without an answer by then, or after one
/// failed attempt, it becomes offline. After a failed attempt, further ones don't make it unknown again until
/// one succeeds, so that listeners don't wait for each. The rules and numbers are those of Firestore's
/// clients. Owned by ``RemoteExchange``.
final class OnlineStateTracker {
  /// How long the first answer may take before the remote counts as offline.
  static let timeout = Duration.seconds(10)
  /// The number of failed attempts after which the remote counts as offline.
  private static let attempts = 1

  private(set) var state = OnlineState.unknown
  /// The number of failed attempts since the state was last known for certain. A read that wasn't answered
  /// counts as one.
  private var failures = 0
  private let timers: any SyncTimers
  private let onChange: (OnlineState) -> Void

  /// Creates a tracker in the unknown state.
  ///
  /// - Parameters:
  ///   - timers: the timers of the engine, of which `onlineState` is used.
  ///   - onChange: called with each new state, after ``state`` has changed.
  init(timers: any SyncTimers, onChange: @escaping (OnlineState) -> Void) {
    self.timers = timers
    self.onChange = onChange
  }

  /// Called when a listen stream is being opened. The state remains offline if earlier attempts have failed.
  func streamStarts() {
    guard failures == 0 else { return }
    change(to: .unknown)
    timers.schedule(.onlineState, after: Self.timeout) { [weak self] in self?.change(to: .offline) }
  }

  /// Called when a listen stream has ended although it is needed. A stream that was online may have ended
  /// regularly, so the state is unknown first; the next attempt decides.
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

  /// Called when a read wasn't answered: the remote counts as offline until a stream receives an answer.
  func readFails() {
    failures = max(failures, Self.attempts)
    timers.cancel(.onlineState)
    change(to: .offline)
  }

  /// Sets a state that is known for certain: online after an event, offline while the network is disabled,
  /// unknown when no stream is needed.
  func set(_ state: OnlineState) {
    timers.cancel(.onlineState)
    failures = 0
    change(to: state)
  }

  /// Changes the state, and reports it if it is another one.
  private func change(to new: OnlineState) {
    guard new != state else { return }
    state = new
    onChange(new)
  }
}
