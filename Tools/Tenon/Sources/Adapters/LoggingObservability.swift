// The log of Tenon's products in swift-log. Written by `tenon new adapter swift-log`; change it as you like.
//
//   let app = try App.configure {
//     Component((any ObservabilityInterop).self) { _ in LoggingObservability() }
//   }
//
// An app has one provider of `ObservabilityInterop`. The adapters for swift-log, swift-metrics and
// swift-distributed-tracing form a chain, in which each does its part and passes the rest on:
//
//   LoggingObservability(next: MetricsObservability(next: TracingObservability()))

package import Logging
package import TenonObservabilityInterop

/// Writes what Tenon's products log to a logger, whose level decides what is kept.
package struct LoggingObservability: ObservabilityInterop {
  private let logger: Logger
  private let next: (any ObservabilityInterop)?

  /// - Parameters:
  ///   - logger: the logger. The name of each library becomes the source of its entries.
  ///   - next: what receives counts, gauges, durations and spans; nothing by default.
  package init(
    _ logger: Logger = Logger(label: "tenon"), next: (any ObservabilityInterop)? = nil
  ) {
    self.logger = logger
    self.next = next
  }

  package func log(_ entry: LogEntry) {
    logger.log(
      level: level(of: entry), "\(entry.message)",
      metadata: entry.fields.mapValues { .stringConvertible($0) }, source: entry.source)
  }

  private func level(of entry: LogEntry) -> Logger.Level {
    switch entry.level {
    case .debug: .debug
    case .info: .info
    case .notice: .notice
    case .warning: .warning
    case .error: .error
    }
  }

  package func count(_ name: String, by increment: Int, attributes: [String: ObservabilityValue]) {
    next?.count(name, by: increment, attributes: attributes)
  }

  package func gauge(_ name: String, _ value: Double, attributes: [String: ObservabilityValue]) {
    next?.gauge(name, value, attributes: attributes)
  }

  package func time(_ name: String, _ duration: Duration, attributes: [String: ObservabilityValue]) {
    next?.time(name, duration, attributes: attributes)
  }

  package func beginSpan(
    _ name: String, kind: ObservabilitySpanKind, parent: (any ObservabilitySpan)?,
    attributes: [String: ObservabilityValue]
  ) -> any ObservabilitySpan {
    next?.beginSpan(name, kind: kind, parent: parent, attributes: attributes) ?? Untraced()
  }

  private struct Untraced: ObservabilitySpan {
    func end(errorType: String?, attributes: [String: ObservabilityValue]) {}
  }
}
