/// Whether the remote can be reached, as far as is known.
enum OnlineState: Sendable {
  /// A connection is being made, or nobody needs one.
  case unknown
  /// The remote has answered, and the connection stands.
  case online
  /// The remote hasn't answered for long, or the network was switched off. What is here is told as it is.
  case offline
}

/// Finds out from the life of the listen stream whether the remote can be reached.
final class OnlineStateTracker {
  /// How long a first answer may take.
  static let timeout = Duration.seconds(10)
  /// How many attempts may fail.
  private static let attempts = 1

  private(set) var state = OnlineState.unknown
  private var failures = 0
  private let timers: any SyncTimers
  var onChange: (OnlineState) -> Void = { _ in }

  init(timers: any SyncTimers) { self.timers = timers }

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

  /// A read wasn't answered: until a stream says something else, there is nothing to wait for.
  func readFails() {
    failures = max(failures, Self.attempts)
    timers.cancel(.onlineState)
    change(to: .offline)
  }

  /// It is known.
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
