import TenonStoreInterop

/// Decides whether reads are sent to the remote. After an unanswered read, later ones are answered by the cache at once instead
/// of waiting for the timeout, until the remote answers again: on a stream, or to a probe in the background while there are
/// readers.
final class ReadReach {
  /// The states of the decision.
  private enum Phase {
    /// Reads are sent to the remote.
    case open
    /// Reads are not sent. If there were any, the remote is probed after a backoff.
    case resting
    /// Reads are not sent. The next one starts a probe at once.
    case quiet
    /// The remote is being probed.
    case probing
  }

  /// The time without a read after which the next one is sent to the remote: its caller would rather wait than get an old result.
  static let quietTime = Duration.seconds(60)

  private var phase = Phase.open
  private var hasReader = false
  private var question: RemoteQuestion?
  private var probing: Task<Void, Never>?
  private var delays: RetryDelays
  private let timers: any SyncTimers
  private let remote: RemoteStore
  private let probe: (RemoteQuestion) -> Task<Void, Never>?

  /// - Parameters:
  ///   - remote: the remote store.
  ///   - timers: the timers of the engine.
  ///   - random: returns a random number in `0..<1`, for the backoff.
  ///   - probe: sends a request, and passes the outcome to ``probeEnded(wasAnswered:)``.
  init(
    _ remote: RemoteStore, timers: any SyncTimers, random: @escaping () -> Double,
    probe: @escaping (RemoteQuestion) -> Task<Void, Never>?
  ) {
    self.remote = remote
    self.timers = timers
    self.probe = probe
    delays = RetryDelays(random: random)
  }

  /// Whether reads are sent to the remote at present.
  var isOpen: Bool { phase == .open && remote.mayBeRead }

  /// Returns whether a read may be sent to the remote.
  ///
  /// - Parameter question: the request with which the remote is probed if the read may not be sent.
  func mayAsk(_ question: RemoteQuestion?) -> Bool {
    guard remote.mayBeRead else { return false }
    guard phase != .open else { return true }
    self.question = question ?? self.question
    hasReader = true
    if phase == .quiet { startProbe() }
    return false
  }

  /// Called when a read was not answered.
  func readFailed(_ question: RemoteQuestion) {
    remote.readFails()
    self.question = question
    if phase == .open || phase == .quiet { rest() }
  }

  /// Called when the remote has answered.
  func remoteAnswered() {
    guard phase != .open else { return }
    open()
    delays.reset()
  }

  /// Called when it became known in another way that the remote cannot be reached.
  func close() { if phase == .open { beQuiet() } }

  /// Called when a probe has ended.
  func probeEnded(wasAnswered: Bool) {
    guard phase == .probing else { return }
    if wasAnswered { remoteAnswered() } else { rest() }
  }

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

  /// Stops sending reads without probing; the next read starts a probe. After the quiet time, reads are sent again unless there
  /// are listeners.
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

/// An inexpensive request that probes whether the remote answers.
enum RemoteQuestion: Sendable {
  case document(ResourcePath)
  case query(StructuredQuery)

  /// Sends the request, and discards the answer.
  func ask(_ remote: any StoreRemote, in context: RemoteContext) async throws {
    switch self {
    case .document(let path): _ = try await remote.fetch([path], in: context)
    case .query(var query):
      query.limit = 1
      _ = try await remote.run(query, in: context)
    }
  }
}
