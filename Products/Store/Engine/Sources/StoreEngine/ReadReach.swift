package import TenonStoreInterop

/// Decides whether reads are sent to the remote. After an unanswered read, later ones are answered by the
/// cache immediately instead of waiting for the timeout, until the remote answers again: on a stream, or to a
/// probe in the background while there are readers.
///
/// The phase changes as follows:
/// - An unanswered read leads from `open` or `quiet` to `resting`, and an offline state of the streams from
///   `open` to `quiet`.
/// - The end of the backoff leads from `resting` to `probing` if a read was refused since the last probe, and
///   to `quiet` otherwise.
/// - A read leads from `quiet` to `probing`, and an unanswered probe to `resting`; the backoff grows with
///   each one.
/// - Any answer leads to `open`, and so does a minute in `quiet` while there are no targets.
///
/// If the remote answers a read while the listen stream fails, as behind a proxy that cuts streams, the state of
/// the streams says nothing about reads until the stream works again or a read isn't answered.
///
/// At most one probe is sent at a time, and none without readers, so an app that doesn't read causes no
/// traffic. Its lifetime is that of the open database; confined to the engine's executor.
final class ReadReach {
  /// The states of the decision.
  private enum Phase {
    /// Reads are sent to the remote.
    case open
    /// Reads aren't sent. If there were any, the remote is probed after a backoff.
    case resting
    /// Reads aren't sent. The next one starts a probe immediately.
    case quiet
    /// The remote is being probed.
    case probing
  }

  /// The time without a read after which the next one is sent to the remote: its caller would rather wait
  /// than get an old result.
  static let quietTime = Duration.seconds(60)

  private var phase = Phase.open { didSet { reportReach() } }
  /// Whether the remote has answered a read while the listen stream failed.
  private var isHeardPastStreams = false
  /// Whether a read was refused since the last probe began.
  private var hasReader = false
  /// The most recent request of a reader, which is the next probe; `nil` if none can serve as one.
  private var question: RemoteQuestion?
  private var probing: Task<Void, Never>?
  private var delays: RetryDelays
  private let timers: any SyncTimers
  private let remote: RemoteExchange
  private let probe: (RemoteQuestion) -> Task<Void, Never>?
  private let report: (Bool) -> Void

  /// Creates a decision in the state in which reads are sent.
  ///
  /// - Parameters:
  ///   - remote: the exchange with the remote.
  ///   - timers: the timers of the engine, of which `reading` is used.
  ///   - random: returns a random number in `0..<1`, for the backoff.
  ///   - probe: sends a request, and passes the outcome to ``probeEnded(wasAnswered:)`` unless the returned
  ///     task is cancelled.
  ///   - report: called with whether the remote may be in reach, at first and when that may have changed:
  ///     unless reads aren't sent because of an unanswered one, or the app has disabled the network.
  init(
    _ remote: RemoteExchange, timers: any SyncTimers, random: @escaping () -> Double,
    probe: @escaping (RemoteQuestion) -> Task<Void, Never>?, report: @escaping (Bool) -> Void
  ) {
    self.remote = remote
    self.timers = timers
    self.probe = probe
    self.report = report
    delays = RetryDelays(random: random)
    reportReach()
  }

  /// Whether reads are currently sent to the remote. Unlike ``mayAsk(_:)``, reading it doesn't count as a
  /// read.
  var isOpen: Bool { phase == .open && remote.mayBeRead }

  /// Called when the network was enabled, or the app has disabled it.
  func networkChanged() { reportReach() }

  /// Other causes for which the remote isn't read pass without a report, so they don't count.
  private func reportReach() { report(phase == .open && !remote.isDisabled) }

  /// Returns whether a read may be sent to the remote. If not, the remote is probed on behalf of
  /// the read.
  ///
  /// - Parameter question: the request with which the remote is probed if the read may not be sent; `nil` to
  ///   use the last one.
  /// - Returns: `false` also while the network is disabled or the database fails; the remote isn't probed
  ///   then.
  func mayAsk(_ question: RemoteQuestion?) -> Bool {
    guard remote.mayBeRead else { return false }
    guard phase != .open else { return true }
    self.question = question ?? self.question
    hasReader = true
    if phase == .quiet { startProbe() }
    return false
  }

  /// Called when a read wasn't answered: it timed out, or the remote couldn't be reached.
  ///
  /// - Parameter question: the request with which the remote is probed.
  func readFailed(_ question: RemoteQuestion) {
    remote.readFails()
    isHeardPastStreams = false
    self.question = question
    if phase == .open || phase == .quiet { rest() }
  }

  /// Called when the remote has sent something on a stream. An error is an answer as well.
  func streamAnswered() {
    isHeardPastStreams = false
    remoteAnswered()
  }

  /// Called when the remote has answered a read or a probe. An error is an answer as well.
  func readAnswered() {
    if remote.listenFails { isHeardPastStreams = true }
    remoteAnswered()
  }

  private func remoteAnswered() {
    guard phase != .open else { return }
    open()
    delays.reset()
  }

  /// Called when the streams have failed.
  func close() { if phase == .open, !isHeardPastStreams { beQuiet() } }

  /// Called when a probe has ended. Ignored unless a probe is expected, because a stream may have received
  /// something in the meantime.
  ///
  /// - Parameter wasAnswered: whether the remote has answered, with a result or an error.
  func probeEnded(wasAnswered: Bool) {
    guard phase == .probing else { return }
    if wasAnswered { readAnswered() } else { rest() }
  }

  /// Probes the remote now instead of after the backoff, because the network has changed. No effect in other
  /// phases.
  func probeNow() { if phase == .resting, remote.mayBeRead { startProbe() } }

  /// Cancels the probe and its timer.
  func stop() {
    timers.cancel(.reading)
    probing?.cancel()
  }

  /// Sends reads to the remote again, and ends the offline state.
  private func open() {
    stop()
    phase = .open
    hasReader = false
    remote.leaveOffline()
  }

  /// Stops sending reads, and probes the remote after a backoff if there are readers by then.
  private func rest() {
    phase = .resting
    timers.schedule(.reading, after: delays.next()) { [weak self] in
      guard let self else { return }
      if hasReader { startProbe() } else { beQuiet() }
    }
  }

  /// Stops sending reads without probing; the next read starts a probe. After the quiet time, reads are sent
  /// again unless there are listeners.
  private func beQuiet() {
    phase = .quiet
    timers.schedule(.reading, after: Self.quietTime) { [weak self] in
      guard let self else { return }
      // With listeners, the stream reconnects by itself.
      if remote.targets.isEmpty { open() } else { beQuiet() }
    }
  }

  /// Sends the most recent request of a reader as a probe.
  private func startProbe() {
    hasReader = false
    guard let question else { return beQuiet() }
    timers.cancel(.reading)
    phase = .probing
    probing = probe(question)
  }
}

/// An inexpensive request that probes whether the remote answers: at most one document is read.
package enum RemoteQuestion: Sendable {
  case document(ResourcePath)
  case query(StructuredQuery)

  /// The ID of the collection; `nil` if the query has none.
  var collection: String? {
    switch self {
    case .document(let path): path.parent?.id
    case .query(let query): query.collectionID
    }
  }

  /// Sends the request, and discards the answer. A query is sent with a limit of 1.
  ///
  /// - Parameters:
  ///   - remote: the remote.
  ///   - context: the database, and the user as whom it is asked.
  /// - Throws: the error of the remote.
  func ask(_ remote: any StoreRemote, in context: RemoteContext) async throws {
    switch self {
    case .document(let path): _ = try await remote.fetch([path], in: context)
    case .query(var query):
      query.limit = 1
      _ = try await remote.run(query, in: context)
    }
  }
}
