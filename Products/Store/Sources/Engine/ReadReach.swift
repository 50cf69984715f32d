import TenonStoreInterop

/// Whether reads ask the remote. After a read that wasn't answered, others aren't sent, so that each doesn't run into the timeout,
/// until the remote answers again: on a stream, or to a probe in the background while there are readers.
final class ReadReach {
  private enum Phase {
    /// Reads ask the remote.
    case open
    /// Reads don't ask the remote; if there were any, the remote is probed after a backoff.
    case resting
    /// Reads don't ask the remote; the next one starts a probe at once.
    case quiet
    /// The remote is being probed.
    case probing
  }

  /// The time without a read after which the next one asks the remote itself: it would rather wait than get an old result.
  static let quietTime = Duration.seconds(60)

  private var phase = Phase.open
  private var hasReader = false
  private var question: RemoteQuestion?
  private var probing: Task<Void, Never>?
  private var backoff: Backoff
  private let timers: any SyncTimers
  private let remote: RemoteStore
  private let probe: (RemoteQuestion) -> Task<Void, Never>?

  /// - Parameter probe: asks the remote, and passes the outcome to ``probeEnded(wasAnswered:)``.
  init(
    _ remote: RemoteStore, timers: any SyncTimers, random: @escaping () -> Double,
    probe: @escaping (RemoteQuestion) -> Task<Void, Never>?
  ) {
    self.remote = remote
    self.timers = timers
    self.probe = probe
    backoff = Backoff(random: random)
  }

  /// Whether reads ask the remote now.
  var isOpen: Bool { phase == .open && remote.mayBeRead }

  /// Whether a read may ask.
  ///
  /// - Parameter question: the probe whether the remote can be reached, if the read may not ask.
  func mayAsk(_ question: RemoteQuestion?) -> Bool {
    guard remote.mayBeRead else { return false }
    guard phase != .open else { return true }
    self.question = question ?? self.question
    hasReader = true
    if phase == .quiet { startProbe() }
    return false
  }

  /// A read wasn't answered.
  func readFailed(_ question: RemoteQuestion) {
    remote.readFails()
    self.question = question
    if phase == .open || phase == .quiet { rest() }
  }

  /// The remote has answered.
  func remoteAnswered() {
    guard phase != .open else { return }
    open()
    backoff.reset()
  }

  /// It became known otherwise that the remote can't be reached.
  func close() { if phase == .open { beQuiet() } }

  /// A probe was answered, or it was not.
  func probeEnded(wasAnswered: Bool) {
    guard phase == .probing else { return }
    if wasAnswered { remoteAnswered() } else { rest() }
  }

  /// Cancels a probe and its timer.
  func stop() {
    timers.cancel(.reading)
    probing?.cancel()
  }

  private func open() {
    stop()
    phase = .open
    hasReader = false
    remote.leaveOffline()
  }

  private func rest() {
    phase = .resting
    timers.schedule(.reading, after: backoff.next()) { [weak self] in
      guard let self else { return }
      if hasReader { startProbe() } else { beQuiet() }
    }
  }

  private func beQuiet() {
    phase = .quiet
    timers.schedule(.reading, after: Self.quietTime) { [weak self] in
      guard let self else { return }
      // If there are listeners, the stream keeps trying.
      if remote.targets.isEmpty { open() } else { beQuiet() }
    }
  }

  private func startProbe() {
    hasReader = false
    guard let question else { return beQuiet() }
    timers.cancel(.reading)
    phase = .probing
    probing = probe(question)
  }
}

/// A cheap request that probes whether the remote answers.
enum RemoteQuestion: Sendable {
  case document(ResourcePath)
  case query(StructuredQuery)

  func ask(_ remote: any StoreRemote, in context: RemoteContext) async throws {
    switch self {
    case .document(let path): _ = try await remote.fetch([path], in: context)
    case .query(var query):
      query.limit = 1
      _ = try await remote.run(query, in: context)
    }
  }
}
