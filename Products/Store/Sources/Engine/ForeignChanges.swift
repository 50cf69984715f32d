import TenonCore
import TenonSQLite

/// Detects writes of other processes to the database by polling `PRAGMA data_version`, which SQLite answers from shared memory.
final class ForeignChanges {
  private let time: TimeSource
  private var polling: Task<Void, Never>?
  private var lastDataVersion: Int64 = 0

  init(_ time: TimeSource) { self.time = time }

  var isPolling: Bool { polling != nil }

  /// Starts polling every 50 milliseconds.
  ///
  /// - Parameters:
  ///   - connection: the connection to the database.
  ///   - poll: called after each interval, on the engine's executor.
  func start(_ connection: Connection, _ poll: @escaping @Sendable () async -> Void) {
    lastDataVersion = (try? connection.dataVersion) ?? 0
    guard polling == nil else { return }
    polling = Task { [time] in
      await time.poll(every: .milliseconds(50)) {
        await poll()
        return true
      }
    }
  }

  func stop() {
    polling?.cancel()
    polling = nil
  }

  /// Returns whether another process has written since the last call.
  func check(_ connection: Connection) -> Bool {
    guard let version = try? connection.dataVersion, version != lastDataVersion else { return false }
    lastDataVersion = version
    return true
  }
}
