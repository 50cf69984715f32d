import Foundation
import TenonStoreEngine
import TenonStoreInterop

/// Timers that fire only when a script requests it. Time doesn't pass.
final class ScriptedTimers: SyncTimers {
  /// A scheduled timer.
  private struct Entry {
    let delay: Duration
    /// The sequence number of the call of ``schedule(_:after:_:)``. It orders timers of equal delay.
    let number: Int
    let action: () -> Void
  }

  /// The scheduled timers.
  private var entries: [SyncTimer: Entry] = [:]
  private var lastNumber = 0
  /// The timers whose delays are skipped: ``runSkipped()`` fires them.
  var skipped: Set<SyncTimer> = [.writeBackoff]

  /// Schedules a timer, replacing an earlier schedule of the same timer.
  func schedule(_ timer: SyncTimer, after delay: Duration, _ action: @escaping () -> Void) {
    lastNumber += 1
    entries[timer] = Entry(delay: delay, number: lastNumber, action: action)
  }

  /// Cancels a timer, if it is scheduled.
  func cancel(_ timer: SyncTimer) { entries[timer] = nil }

  /// The timers that are scheduled.
  var waiting: Set<SyncTimer> { Set(entries.keys) }

  /// Fires the timers in ``skipped`` until none of them is scheduled.
  func runSkipped() { while let timer = skipped.first(where: { entries[$0] != nil }) { run(timer) } }

  /// Fires a timer immediately.
  ///
  /// - Returns: whether it was scheduled.
  @discardableResult
  func run(_ timer: SyncTimer) -> Bool {
    guard let entry = entries.removeValue(forKey: timer) else { return false }
    entry.action()
    return true
  }

  /// Fires all currently scheduled timers in the order of their deadlines, except those that are cancelled or
  /// scheduled again while earlier ones run.
  func runAll() {
    let due = entries.sorted { ($0.value.delay, $0.value.number) < ($1.value.delay, $1.value.number) }
    for (timer, entry) in due where entries[timer]?.number == entry.number { run(timer) }
  }
}

/// The streams to a scripted remote. They record what the client sends; the responses come from the script.
final class ScriptedStreams: RemoteStreams {
  /// The targets that the remote is listening to, by their IDs.
  var activeTargets: [Int: ListenTarget] = [:]
  /// The requests sent on the current or the most recent listen stream.
  var requests: [ListenRequest] = []
  /// The batches that have been sent and not yet been answered.
  var sent: [RemoteBatch] = []
  /// Whether the listen stream is open.
  private(set) var isListenOpen = false
  /// Whether the write stream is open.
  private(set) var isWriteOpen = false
  /// The number of times the listen stream was opened.
  private(set) var listenOpenings = 0
  /// The number of times the write stream was opened.
  private(set) var writeOpenings = 0
  /// The number of requests on all listen streams, which scripts check (`watchStreamRequestCount`).
  private(set) var listenRequests = 0
  /// The number of requests on all write streams, handshakes included, which scripts check
  /// (`writeStreamRequestCount`).
  private(set) var writeRequests = 0
  /// Whether the client hasn't yet been informed that the write stream is open.
  var hasUnreportedOpening = false

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
    hasUnreportedOpening = true
  }

  func send(_ batch: RemoteBatch) {
    writeRequests += 1
    sent.append(batch)
  }

  func closeWrite() {
    // A client ends an open write stream with a request without writes.
    if isWriteOpen, !hasUnreportedOpening { writeRequests += 1 }
    loseWrite()
  }

  /// Ends the write stream as if the remote had closed it.
  func loseWrite() {
    isWriteOpen = false
    hasUnreportedOpening = false
    sent = []
  }
}
