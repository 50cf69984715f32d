import TenonStoreInterop

/// Whether reads ask the remote. After one that wasn't answered the others are turned away, so that each doesn't wait anew,
/// until the remote is heard of again: by a stream, or by one question at a time that is asked in the background while
/// somebody wants to read.
final class ReadReach {
  private enum Phase {
    /// Reads ask.
    case open
    /// Reads are turned away; if there were any, it is looked again after a while.
    case resting
    /// Reads are turned away; the next one makes it be looked again at once.
    case quiet
    /// It is being looked whether the remote answers.
    case probing
  }

  /// After how long without a read nothing is known any more. Then the next read asks by itself: one that comes this late
  /// would rather wait than get what is old.
  static let quietTime = Duration.seconds(60)

  private var phase = Phase.open
  private var isWanted = false
  private var question: RemoteQuestion?
  private var probing: Task<Void, Never>?
  private var backoff: Backoff
  private let timers: any SyncTimers
  private let remote: RemoteStore
  private let probe: (RemoteQuestion) -> Task<Void, Never>?

  /// - Parameter probe: asks, and tells the answer to ``probeEnds(isAnswered:)``.
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
  /// - Parameter question: what tells whether the remote can be reached, if the read isn't allowed to ask.
  func mayAsk(_ question: RemoteQuestion?) -> Bool {
    guard remote.mayBeRead else { return false }
    guard phase != .open else { return true }
    self.question = question ?? self.question
    isWanted = true
    if phase == .quiet { look() }
    return false
  }

  /// A read wasn't answered.
  func failed(_ question: RemoteQuestion) {
    remote.readFails()
    self.question = question
    if phase == .open || phase == .quiet { rest() }
  }

  /// The remote has told something.
  func heard() {
    guard phase != .open else { return }
    open()
    backoff.reset()
  }

  /// It was found out elsewhere that the remote can't be reached.
  func close() { if phase == .open { beQuiet() } }

  /// What was asked in the background was answered, or it was not.
  func probeEnds(isAnswered: Bool) {
    guard phase == .probing else { return }
    if isAnswered { heard() } else { rest() }
  }

  /// Nothing is asked any more.
  func stop() {
    timers.cancel(.reading)
    probing?.cancel()
  }

  private func open() {
    stop()
    phase = .open
    isWanted = false
    remote.leaveOffline()
  }

  private func rest() {
    phase = .resting
    timers.schedule(.reading, after: backoff.next()) { [weak self] in
      guard let self else { return }
      if isWanted { look() } else { beQuiet() }
    }
  }

  private func beQuiet() {
    phase = .quiet
    timers.schedule(.reading, after: Self.quietTime) { [weak self] in
      guard let self else { return }
      // Where somebody listens, the stream goes on looking.
      if remote.targets.isEmpty { open() } else { beQuiet() }
    }
  }

  private func look() {
    isWanted = false
    guard let question else { return beQuiet() }
    timers.cancel(.reading)
    phase = .probing
    probing = probe(question)
  }
}

/// A question that costs little, of which only counts whether it is answered.
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
