// The metrics of Tenon's products in swift-metrics. Written by `tenon new adapter swift-metrics`; change it as you
// like. LoggingObservability.swift shows how adapters form a chain. Without a log, entries go to standard error.

package import Metrics
internal import TenonCore
package import TenonObservabilityInterop

/// Counts and measures what Tenon's products do, with the names and attributes of the article "Read the log".
package struct MetricsObservability: ObservabilityInterop {
  private let factory: any MetricsFactory
  private let next: (any ObservabilityInterop)?

  /// - Parameters:
  ///   - factory: what makes the metrics; the one with which the app bootstrapped swift-metrics by default.
  ///   - next: what receives log entries and spans; entries go to standard error by default.
  package init(
    _ factory: any MetricsFactory = MetricsSystem.factory, next: (any ObservabilityInterop)? = nil
  ) {
    self.factory = factory
    self.next = next
  }

  // A factory returns the same metric for the same label and dimensions, in any order of calls.

  package func count(_ name: String, by increment: Int, attributes: [String: ObservabilityValue]) {
    Counter(label: name, dimensions: dimensions(attributes), factory: factory).increment(by: increment)
  }

  package func gauge(_ name: String, _ value: Double, attributes: [String: ObservabilityValue]) {
    Gauge(label: name, dimensions: dimensions(attributes), factory: factory).record(value)
  }

  package func time(_ name: String, _ duration: Duration, attributes: [String: ObservabilityValue]) {
    let (seconds, attoseconds) = duration.components
    let (nanoseconds, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    Timer(
      label: name, dimensions: dimensions(attributes), preferredDisplayUnit: .seconds, factory: factory
    ).recordNanoseconds(overflows ? .max : nanoseconds + attoseconds / 1_000_000_000)
  }

  private func dimensions(_ attributes: [String: ObservabilityValue]) -> [(String, String)] {
    attributes.map { ($0.key, $0.value.description) }.sorted { $0.0 < $1.0 }
  }

  package func log(_ entry: LogEntry) {
    guard let next else {
      // The levels have the same names and numbers.
      let level = AppLogger.Level(rawValue: entry.level.rawValue) ?? .notice
      return AppLogger(source: entry.source).log(level, entry.message)
    }
    next.log(entry)
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
