import Foundation
import TenonStore
import TenonStoreInterop

/// Timers that fire when the script says so.
final class ScriptedTimers: SyncTimers {
  private struct Entry {
    let delay: Duration
    /// Counts the calls of ``schedule(_:after:_:)``.
    let number: Int
    let action: () -> Void
  }

  private var entries: [SyncTimer: Entry] = [:]
  private var lastNumber = 0
  /// The timers that fire at once.
  var skipped: Set<SyncTimer> = [.writeBackoff]

  func schedule(_ timer: SyncTimer, after delay: Duration, _ action: @escaping () -> Void) {
    lastNumber += 1
    entries[timer] = Entry(delay: delay, number: lastNumber, action: action)
  }

  func cancel(_ timer: SyncTimer) { entries[timer] = nil }

  /// The timers that are scheduled.
  var waiting: Set<SyncTimer> { Set(entries.keys) }

  /// Fires the scheduled timers that fire at once.
  func runSkipped() { while let timer = skipped.first(where: { entries[$0] != nil }) { run(timer) } }

  /// Fires a timer.
  ///
  /// - Returns: whether it was scheduled.
  @discardableResult
  func run(_ timer: SyncTimer) -> Bool {
    guard let entry = entries.removeValue(forKey: timer) else { return false }
    entry.action()
    return true
  }

  /// Fires the timers that are scheduled now, in the order of their deadlines. Timers that are scheduled meanwhile aren't fired, nor
  /// those that are cancelled meanwhile.
  func runAll() {
    let due = entries.sorted { ($0.value.delay, $0.value.number) < ($1.value.delay, $1.value.number) }
    for (timer, entry) in due where entries[timer]?.number == entry.number { run(timer) }
  }
}

/// The streams of a scripted remote.
final class ScriptedStreams: RemoteStreams {
  /// The targets that the remote listens to.
  var activeTargets: [Int: ListenTarget] = [:]
  /// The requests that were sent on the current or last listen stream.
  var requests: [ListenRequest] = []
  /// The batches that were sent and not answered.
  var sent: [RemoteBatch] = []
  private(set) var isListenOpen = false
  private(set) var isWriteOpen = false
  /// How often each stream was opened: what belongs to an earlier opening is lost.
  private(set) var listenOpenings = 0
  private(set) var writeOpenings = 0
  private(set) var listenRequests = 0
  private(set) var writeRequests = 0
  /// Whether the opening of a write stream has to be acknowledged to the client.
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
