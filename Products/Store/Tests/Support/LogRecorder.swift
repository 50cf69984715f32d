import TenonCore
import TenonFoundation

/// Records log entries.
final class LogRecorder: Sendable {
  private let lines = Lock<[(level: AppLogger.Level, message: String)]>([])

  var logger: AppLogger {
    AppLogger(source: "tests") { [self] level, message in lines.withLock { $0.append((level, message)) } }
  }

  /// Returns the messages of a level, in order.
  func messages(_ level: AppLogger.Level) -> [String] {
    lines.withLock { $0.filter { $0.level == level }.map(\.message) }
  }
}
