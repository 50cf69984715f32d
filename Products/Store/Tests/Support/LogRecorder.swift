import TenonCore

/// Keeps what is logged.
final class LogRecorder: Sendable {
  private let lines = Lock<[(level: Logger.Level, message: String)]>([])

  var logger: Logger {
    Logger(source: "tests") { [self] level, message in lines.withLock { $0.append((level, message)) } }
  }

  /// The messages of a level, in their order.
  func messages(_ level: Logger.Level) -> [String] {
    lines.withLock { $0.filter { $0.level == level }.map(\.message) }
  }
}
