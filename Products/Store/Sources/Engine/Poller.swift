/// Repeats an action at an interval until it is stopped.
final class Poller {
  private let clock: EngineClock
  private let interval: Duration
  private var task: Task<Void, Never>?

  init(every interval: Duration, _ clock: EngineClock) {
    self.interval = interval
    self.clock = clock
  }

  var isRunning: Bool { task != nil }

  /// Starts calling `action` after each interval; no effect if already running.
  func start(_ action: @escaping @Sendable () async -> Void) {
    guard task == nil else { return }
    task = Task { [clock, interval] in
      while !Task.isCancelled {
        try? await clock.pause(interval)
        await action()
      }
    }
  }

  func stop() {
    task?.cancel()
    task = nil
  }
}
