package import TenonCore
import TenonFoundation

/// The lines of a logger, for tests.
package final class RecordedLog: Sendable {
  private let recorded = Lock<[String]>([])

  /// Creates an empty log.
  package init() {}

  /// The messages so far, of all levels.
  package var lines: [String] { recorded.withLock { $0 } }

  /// A logger that writes to this log instead of standard error.
  package var logger: AppLogger {
    AppLogger(source: "tests") { _, line in self.recorded.withLock { $0.append(line) } }
  }
}
