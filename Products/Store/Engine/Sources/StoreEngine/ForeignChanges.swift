import TenonFoundation
import TenonSQLite

/// Detects writes of other processes to the database by polling `PRAGMA data_version`, which SQLite answers
/// from shared memory.
///
/// The value differs from the previous one if another connection, in this process or another, has committed
/// in between (https://sqlite.org/pragma.html#pragma_data_version); commits of the polled connection don't
/// change it. What has changed is read from the change log. Owned by ``StoreEngine`` and confined to its
/// executor.
final class ForeignChanges {
  private let time: TimeSource
  private var polling: Task<Void, Never>?
  private var lastDataVersion: Int64 = 0

  /// Creates a detector that isn't polling.
  ///
  /// - Parameter time: the time that measures the interval.
  init(_ time: TimeSource) { self.time = time }

  /// Whether ``start(_:_:)`` was called, and ``stop()`` wasn't called since.
  var isPolling: Bool { polling != nil }

  /// Starts polling every 50 milliseconds. Writes committed before this call don't count as changes.
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

  /// Stops polling. A call of `poll` that has begun isn't interrupted; no other one follows.
  func stop() {
    polling?.cancel()
    polling = nil
  }

  /// Returns whether another connection has written since ``start(_:_:)`` or the last call that returned
  /// `true`.
  ///
  /// - Returns: `false` also if the version currently can't be read; a later call detects the change then.
  func check(_ connection: Connection) -> Bool {
    guard let version = try? connection.dataVersion, version != lastDataVersion else { return false }
    lastDataVersion = version
    return true
  }
}
