import Foundation
import TenonStore
import TenonStoreInterop

/// Time that passes when the script says so.
final class ScriptedTimers: SyncTimers {
  private struct Entry {
    let delay: Duration
    /// Counts the calls of ``schedule(_:after:_:)``.
    let number: Int
    let action: () -> Void
  }

  private var entries: [SyncTimer: Entry] = [:]
  private var lastNumber = 0
  /// The timers whose time passes at once.
  var skipped: Set<SyncTimer> = [.writeBackoff]

  func schedule(_ timer: SyncTimer, after delay: Duration, _ action: @escaping () -> Void) {
    lastNumber += 1
    entries[timer] = Entry(delay: delay, number: lastNumber, action: action)
  }

  func cancel(_ timer: SyncTimer) { entries[timer] = nil }

  /// The timers for which something waits.
  var waiting: Set<SyncTimer> { Set(entries.keys) }

  /// Runs what waits for the timers whose time passes at once.
  func runSkipped() { while let timer = skipped.first(where: { entries[$0] != nil }) { run(timer) } }

  /// Runs what waits for a timer.
  ///
  /// - Returns: whether something waited.
  @discardableResult
  func run(_ timer: SyncTimer) -> Bool {
    guard let entry = entries.removeValue(forKey: timer) else { return false }
    entry.action()
    return true
  }

  /// Runs everything that waits now, in the order in which it becomes due. What is scheduled meanwhile goes on waiting, and
  /// what is cancelled meanwhile isn't run.
  func runAll() {
    let due = entries.sorted { ($0.value.delay, $0.value.number) < ($1.value.delay, $1.value.number) }
    for (timer, entry) in due where entries[timer]?.number == entry.number { run(timer) }
  }
}

/// The streams of a remote that says what the script says.
final class ScriptedStreams: RemoteStreams {
  /// The targets that are watched.
  var activeTargets: [Int: ListenTarget] = [:]
  /// The requests that were sent on the listen stream that is open, or was last.
  var requests: [ListenRequest] = []
  /// The batches that were sent and not answered.
  var sent: [RemoteBatch] = []
  private(set) var isListenOpen = false
  private(set) var isWriteOpen = false
  /// How often each stream was opened: what belongs to an earlier one is lost.
  private(set) var listenOpenings = 0
  private(set) var writeOpenings = 0
  private(set) var listenRequests = 0
  private(set) var writeRequests = 0
  /// A write stream was opened whose opening the client must be told of.
  var mustTellOfOpening = false

  func openListen(for user: String?) {
    isListenOpen = true
    listenOpenings += 1
    activeTargets = [:]
    requests = []
  }

  func send(_ request: ListenRequest) {
    listenRequests += 1
    requests.append(request)
    switch request {
    case .add(let target): activeTargets[target.id] = target
    case .remove(let target): activeTargets[target] = nil
    }
  }

  func closeListen() {
    isListenOpen = false
    activeTargets = [:]
  }

  func openWrite(token: Data?, for user: String?) {
    isWriteOpen = true
    writeOpenings += 1
    sent = []
    writeRequests += 1
    mustTellOfOpening = true
  }

  func send(_ batch: RemoteBatch) {
    writeRequests += 1
    sent.append(batch)
  }

  func closeWrite() {
    // Before it closes a stream that was opened, a client says goodbye with a request that has no writes.
    if isWriteOpen, !mustTellOfOpening { writeRequests += 1 }
    loseWrite()
  }

  /// The remote ends the stream.
  func loseWrite() {
    isWriteOpen = false
    mustTellOfOpening = false
    sent = []
  }
}
