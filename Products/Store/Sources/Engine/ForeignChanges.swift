import TenonSQLite

/// Checks whether another process has written to the database, as long as that matters. SQLite answers from memory that the
/// processes share.
final class ForeignChanges {
  private let poller: Poller
  private var lastDataVersion: Int64 = 0

  init(_ clock: EngineClock) { poller = Poller(every: .milliseconds(50), clock) }

  var isPolling: Bool { poller.isRunning }

  /// Starts checking.
  ///
  /// - Parameter poll: called after each interval, where the engine runs.
  func start(_ connection: Connection, _ poll: @escaping @Sendable () async -> Void) {
    lastDataVersion = (try? connection.dataVersion) ?? 0
    poller.start(poll)
  }

  func stop() { poller.stop() }

  /// Returns whether another process has written since the last call.
  func check(_ connection: Connection) -> Bool {
    guard let version = try? connection.dataVersion, version != lastDataVersion else { return false }
    lastDataVersion = version
    return true
  }
}
