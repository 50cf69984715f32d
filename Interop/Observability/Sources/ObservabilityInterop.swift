/// Receives logs, metrics and traces of Tenon's products.
///
/// An app without a provider logs to standard error and collects neither metrics nor traces.
///
/// Requirements for implementations: every function returns without blocking and may be called from any
/// thread, concurrently. Products never pass secrets.
public protocol ObservabilityInterop: Sendable {
  /// Records a log entry.
  func log(_ entry: LogEntry)

  /// Adds to a counter, for example `tenon.functions.calls`.
  ///
  /// - Parameters:
  ///   - name: the counter's name.
  ///   - increment: the number to add.
  ///   - labels: the dimensions of the measurement.
  func count(_ name: String, by increment: Int, labels: [String: String])

  /// Records a duration, for example of `tenon.transport.request`.
  ///
  /// - Parameters:
  ///   - name: the name of the measured operation.
  ///   - duration: the duration.
  ///   - labels: the dimensions of the measurement.
  func time(_ name: String, _ duration: Duration, labels: [String: String])

  /// Begins a span of a trace and returns it. The caller must end it exactly once.
  ///
  /// - Parameters:
  ///   - name: the name of the operation.
  ///   - attributes: additional details of the operation.
  func beginSpan(_ name: String, attributes: [String: String]) -> any ObservabilitySpan
}

/// An operation that is being traced.
public protocol ObservabilitySpan: Sendable {
  /// Ends the span.
  ///
  /// - Parameter error: the reason why the operation failed; `nil` if it succeeded.
  func end(error: (any Error)?)
}

/// One entry of a log.
public struct LogEntry: Sendable, Hashable {
  /// The severity as swift-log names it: `trace`, `debug`, `info`, `notice`, `warning`, `error` or
  /// `critical`.
  public var level: String
  /// The name of the library that writes the entry, for example `tenon-auth`.
  public var source: String
  /// The message, one sentence.
  public var message: String

  /// Creates an entry.
  public init(level: String, source: String, message: String) {
    self.level = level
    self.source = source
    self.message = message
  }
}
