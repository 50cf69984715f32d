import TenonFoundation

/// The timers of an engine. Each timer has at most one scheduled action.
final class EngineTimers: SyncTimers {
  private struct Entry {
    let number: Int
    let action: () -> Void
    let waiting: Task<Void, Never>
  }

  private var entries: [SyncTimer: Entry] = [:]
  private var lastNumber = 0
  private let time: TimeSource
  private let wake: @Sendable (SyncTimer, Int) async -> Void

  /// - Parameters:
  ///   - time: waits for the delays.
  ///   - wake: calls ``fire(_:_:)`` on the engine's executor.
  init(
    _ time: TimeSource, wake: @escaping @Sendable (SyncTimer, Int) async -> Void
  ) {
    self.time = time
    self.wake = wake
  }

  /// Schedules an action, replacing the one scheduled before.
  func schedule(_ timer: SyncTimer, after delay: Duration, _ action: @escaping () -> Void) {
    cancel(timer)
    lastNumber += 1
    let number = lastNumber
    entries[timer] = Entry(
      number: number, action: action,
      waiting: Task { [time, wake] in
        guard (try? await time.sleep(delay)) != nil else { return }
        await wake(timer, number)
      })
  }

  func cancel(_ timer: SyncTimer) { entries.removeValue(forKey: timer)?.waiting.cancel() }

  func cancelAll() { for timer in Array(entries.keys) { cancel(timer) } }

  /// Runs a scheduled action, unless it has been cancelled or replaced.
  func fire(_ timer: SyncTimer, _ number: Int) {
    guard let entry = entries[timer], entry.number == number else { return }
    entries[timer] = nil
    entry.action()
  }
}
