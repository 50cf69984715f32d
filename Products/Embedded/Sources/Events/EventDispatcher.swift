import TenonCore
import TenonDocuments
import TenonFoundation
import TenonValues

/// A database in which events are recorded.
protocol EventSource: Actor {
  /// Runs a closure on the events in a transaction that can write.
  func withEvents<Result: Sendable>(_ body: @Sendable (EventTable) throws -> Result) throws -> Result
  /// Returns whether another process has committed since the last call, and marks the functions of this
  /// process as present if an hour has passed. `false` for a database in memory.
  func hasForeignEvents() throws -> Bool
  /// Whether other processes can write to the database.
  nonisolated var isShared: Bool { get }
}

/// Calls the functions of this process for the events of one database.
///
/// It begins with the first function that is registered. Events of one lane are handled one after another, and
/// others concurrently.
final class EventDispatcher: Sendable {
  private struct State {
    /// The tasks that handle signals and look for commits of other processes; empty before the first function.
    var tasks: [Task<Void, Never>] = []
    /// The attempts that are running, by the numbers of their events.
    var running: [Int64: Task<Void, Never>] = [:]
    /// The end of the timer that ends first; `nil` without one.
    var timerEnd: ContinuousClock.Instant?
    /// Those who wait until all events were handled, by the numbers of their waits.
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastWait = 0
    var isClosed = false
  }

  private let source: any EventSource
  private let kind: EventKind.Source
  private let registry: EventRegistry
  private let runner: FunctionRunner
  private let time: TimeSource
  private let logger: AppLogger?
  private let state = Lock(State())
  private let signals = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// The greatest number of attempts that run at a time.
  private static let mostRunning = 100
  /// The time between two checks for commits of other processes.
  private static let pollInterval: Duration = .milliseconds(250)
  /// The time after which the events are read again if they can't be read.
  private static let failureDelay: Duration = .seconds(1)

  init(
    _ source: any EventSource, of kind: EventKind.Source, registry: EventRegistry, runner: FunctionRunner,
    time: TimeSource, logger: AppLogger?
  ) {
    (self.source, self.kind, self.registry, self.runner) = (source, kind, registry, runner)
    (self.time, self.logger) = (time, logger)
  }

  /// Begins to call functions, unless it has begun.
  func start() {
    state.withLock { state in
      guard state.tasks.isEmpty, !state.isClosed else { return }
      state.tasks.append(
        Task { [signals] in
          for await _ in signals.stream {
            guard !Task.isCancelled else { return }
            await self.round()
          }
        })
      guard source.isShared else { return }
      state.tasks.append(
        Task {
          await time.poll(every: Self.pollInterval) {
            if (try? await source.hasForeignEvents()) == true { wake() }
            return true
          }
        })
    }
    wake()
  }

  /// Makes the dispatcher look for events.
  func wake() { signals.continuation.yield() }

  /// Cancels the attempts, which are repeated by the next process, and waits until they have ended.
  func close() async {
    let (tasks, waiters) = state.withLock { state in
      state.isClosed = true
      defer { (state.tasks, state.waiters) = ([], [:]) }
      return (state.tasks + state.running.values, state.waiters)
    }
    for task in tasks { task.cancel() }
    signals.continuation.finish()
    for waiter in waiters.values { waiter.resume() }
    for task in tasks { await task.value }
  }

  // MARK: - Waiting

  /// Returns whether all events were handled or have failed.
  func isIdle() async throws -> Bool {
    let functions = registry.functions(of: kind)
    guard !functions.isEmpty else { return true }
    return try await source.withEvents { try $0.isIdle(functions) }
  }

  /// Waits until all events were handled or have failed, the dispatcher is closed, or the task is cancelled.
  func waitUntilIdle() async {
    let number = state.withLock { state in
      state.lastWait += 1
      return state.lastWait
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          // Checked while the lock is held: an earlier cancellation found no waiter, and a later one finds it.
          guard !state.isClosed, !state.tasks.isEmpty, !Task.isCancelled else { return false }
          state.waiters[number] = continuation
          return true
        }
        if !waits { continuation.resume() }
        wake()
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
    }
  }

  // MARK: - Rounds

  /// Begins the attempts that are due.
  private func round() async {
    do {
      try await recordSchedules()
      let functions = registry.functions(of: kind)
      while true {
        let running = state.withLock { Set($0.running.keys) }
        let room = Self.mostRunning - running.count
        // The end of an attempt begins another round.
        guard room > 0 else { return }
        let now = time.timestamp()
        let (events, next) = try await source.withEvents { table in
          let events = try table.claim(of: functions, limit: room, except: running, now: now)
          return (events, try table.nextAttempt(of: functions))
        }
        for event in events { begin(event) }
        guard events.count < room else { continue }
        let times = [next, kind == .others ? registry.nextSchedule : nil].compactMap { $0 }
        if let first = times.min(by: { $0.compare($1) < 0 }) {
          let wait = first.millisecondsSince1970 - now.millisecondsSince1970
          setTimer(.wait(seconds: Double(wait) / 1_000))
        }
        break
      }
      try await resumeWaiters()
    } catch {
      guard !state.withLock({ $0.isClosed }) else { return }
      logger?.error("The events of the embedded backend can't be read: \(error.systemReason)")
      setTimer(Self.failureDelay)
    }
  }

  /// Records the events of schedules whose time has come.
  private func recordSchedules() async throws {
    guard kind == .others else { return }
    let now = time.timestamp()
    for (function, scheduled) in registry.dueSchedules(now: now) {
      try await source.withEvents { table in
        // Another process may have recorded it. A function that is still running isn't called twice.
        guard try table.claim(scheduled, of: function.name),
          try !table.isWaiting(function.name, function.name)
        else { return }
        let details = StoredEvent.Details(
          id: RandomText.uuid(), kind: .scheduled, time: scheduled.microsecondsSince1970,
          subject: function.name)
        try table.append(details, to: function.name, lane: function.name, now: now)
      }
    }
  }

  /// Begins another round after a time, unless one begins earlier.
  private func setTimer(_ delay: Duration) {
    let delay = max(delay, .milliseconds(1)).limited
    let end = time.now() + delay
    let isFirst = state.withLock { state in
      if let other = state.timerEnd, other <= end { return false }
      state.timerEnd = end
      return true
    }
    guard isFirst else { return }
    Task { [weak self, time] in
      try? await time.sleep(delay)
      self?.state.withLock { if $0.timerEnd == end { $0.timerEnd = nil } }
      self?.wake()
    }
  }

  /// Resumes those who wait if all events were handled.
  private func resumeWaiters() async throws {
    guard state.withLock({ !$0.waiters.isEmpty && $0.running.isEmpty }), try await isIdle() else { return }
    let waiters = state.withLock { state in
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values { waiter.resume() }
  }

  // MARK: - Attempts

  /// Begins an attempt.
  private func begin(_ event: StoredEvent) {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.running[event.number] = Task {
        await attempt(event)
        self.state.withLock { $0.running[event.number] = nil }
        wake()
      }
    }
  }

  /// Calls the function of an event, and notes the outcome.
  private func attempt(_ event: StoredEvent) async {
    var failure: (any Error)?
    let function = registry.function(event.function)
    do {
      guard let function else { throw CancellationError() }
      try await runner.run(function.name, timeout: function.timeout) { try await function.handler(event) }
    } catch {
      failure = error
    }
    let isCancelled = Task.isCancelled || function == nil
    let now = time.timestamp()
    let delay = function?.retry.delay(after: event, now: now, random: time.random())
    let text = failure.map { ($0 as? CallableError)?.description ?? $0.systemReason }
    if let text, !isCancelled {
      logger?.error(
        "The function \(event.function) failed for \(event.details.subject): \(text)"
          + (delay == nil ? " It isn't called again for this event." : ""),
        fields: ["faas.name": event.function])
    }
    do {
      try await source.withEvents { table in
        guard let text else { return try table.complete(event, now: now) }
        guard !isCancelled else { return try table.release(event, now: now) }
        try table.fail(event, text, retryingAfter: delay, now: now)
      }
    } catch {
      // The event stays reserved, and is attempted again when that ends.
      logger?.error(
        "The outcome of the function \(event.function) for \(event.details.subject) can't be noted: \(error.systemReason)",
        fields: ["faas.name": event.function])
    }
  }
}
