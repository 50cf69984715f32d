import TenonCore
import TenonFoundation

/// Records log entries.
final class LogRecorder: Sendable {
  private let lines = Lock<[(level: Logger.Level, message: String)]>([])

  var logger: Logger {
    Logger(source: "tests") { [self] level, message in lines.withLock { $0.append((level, message)) } }
  }

  /// Returns the messages of a level, in order.
  func messages(_ level: Logger.Level) -> [String] {
    lines.withLock { $0.filter { $0.level == level }.map(\.message) }
  }
}
