package import TenonCore
package import TenonFoundation
import TenonStoreInterop

/// Why the remote can't be reached, for errors, for the state of the queue, and for the log.
///
/// One line is logged when the remote can't be reached, at most one a minute while that lasts, and one when it
/// answers again. An outage begins with a failed attempt to open a stream or to read; that a stream ends which
/// has worked is none, because servers end streams regularly. A refusal is logged when it is repeated, because
/// one can be that of a user who has just signed out. Thread-safe: reads report from any thread.
package final class RemoteOutage: Sendable {
  /// What is known.
  private struct State {
    /// The last failure; `nil` while there is no outage.
    var failure: StoreRemoteError?
    /// The number of failures since the last answer.
    var failures = 0
    /// When the outage began.
    var begin: ContinuousClock.Instant?
    /// When a failure was last logged.
    var logged: ContinuousClock.Instant?
    /// Whether the present outage was logged.
    var isLogged = false
    /// Whether the present outage was counted.
    var isCounted = false
    /// Whether the app has disabled the network.
    var isDisabled = false
  }

  /// The shortest time between two lines about failures.
  static let logInterval = Duration.seconds(60)

  private let state = Lock(State())
  private let logger: AppLogger?
  private let telemetry: StoreTelemetry
  private let time: TimeSource

  /// Creates the state of a remote that nothing is known about.
  ///
  /// - Parameters:
  ///   - logger: receives the lines; `nil` for none.
  ///   - telemetry: counts and measures the outages; not at all by default.
  ///   - time: the time.
  package init(logger: AppLogger?, telemetry: StoreTelemetry = .silent, time: TimeSource) {
    self.logger = logger
    self.telemetry = telemetry
    self.time = time
  }

  /// The last failure; `nil` if the remote has answered since then, or wasn't asked.
  var failure: StoreRemoteError? { state.withLock { $0.failure } }

  /// What to add to a sentence that says that the remote can't be reached: why.
  var sentence: String {
    state.withLock { state in
      if state.isDisabled { return "the network is disabled. Call enableNetwork()." }
      guard let failure = state.failure else { return "the remote can't be reached." }
      return Self.sentence(failure)
    }
  }

  /// Records whether the app has disabled the network.
  func setDisabled(_ isDisabled: Bool) { state.withLock { $0.isDisabled = isDisabled } }

  /// Records that the remote wasn't reached, or answered that it can't serve now.
  func failed(_ error: StoreRemoteError) {
    let now = time.now()
    let (begin, isFirst): (ContinuousClock.Instant?, Bool) = state.withLock { state in
      state.failure = error
      state.failures += 1
      let begin = state.begin ?? now
      state.begin = begin
      guard error.isUnreachable || state.failures > 1 else { return (nil, false) }
      let isFirst = !state.isCounted
      state.isCounted = true
      if let logged = state.logged, now - logged < Self.logInterval { return (nil, isFirst) }
      state.logged = now
      state.isLogged = true
      return (begin, isFirst)
    }
    if isFirst { telemetry.outageBegins(error) }
    guard let begin else { return }
    let duration = begin == now ? "" : " (for \(Self.seconds(now - begin)))"
    logger?.warning(
      "Writes and listeners wait, because \(Self.sentence(error))\(duration)",
      fields: ["error.type": error.code.rawValue])
  }

  /// Records that the remote has answered.
  func answered() {
    let now = time.now()
    let ended: (begin: ContinuousClock.Instant, isLogged: Bool, isCounted: Bool)? = state.withLock { state in
      guard let begin = state.begin else { return nil }
      defer {
        (state.failure, state.failures, state.begin) = (nil, 0, nil)
        (state.isLogged, state.isCounted) = (false, false)
      }
      return (begin, state.isLogged, state.isCounted)
    }
    guard let ended else { return }
    if ended.isCounted { telemetry.outageEnds(after: now - ended.begin) }
    if ended.isLogged {
      logger?.notice("The remote answers again, after \(Self.seconds(now - ended.begin)).")
    }
  }

  private static func sentence(_ error: StoreRemoteError) -> String {
    let verb = error.isUnreachable ? "can't be reached" : "refuses all requests (\(error.code.rawValue))"
    return "the remote \(verb): \(error.message)"
  }

  private static func seconds(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    return seconds == 1 ? "1 second" : "\(seconds) seconds"
  }
}
