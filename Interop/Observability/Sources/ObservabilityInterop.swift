/// Receives what Tenon's products have to say about their own work.
///
/// Without a provider, products log to standard error and count, time and trace nothing.
///
/// The contract, for implementers: every call returns at once, from any thread, and never throws. Nothing that
/// is passed here holds a secret.
public protocol ObservabilityInterop: Sendable {
  /// Takes a line of the log.
  func log(_ entry: LogEntry)

  /// Adds to a counter, for example `tenon.functions.calls`.
  func count(_ name: String, by increment: Int, labels: [String: String])

  /// Records how long something took, for example `tenon.transport.request`.
  func time(_ name: String, _ duration: Duration, labels: [String: String])

  /// Begins a span of a trace. The returned span must be ended once.
  func beginSpan(_ name: String, attributes: [String: String]) -> any ObservabilitySpan
}

/// A piece of traced work.
public protocol ObservabilitySpan: Sendable {
  /// Ends the span; with an error if the work failed.
  func end(error: (any Error)?)
}

/// One line of the log.
public struct LogEntry: Sendable, Hashable {
  /// The severity as swift-log names it: `trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`.
  public var level: String
  /// Which library speaks, for example `tenon-auth`.
  public var source: String
  /// What it says, in one sentence.
  public var message: String

  /// Creates an entry.
  public init(level: String, source: String, message: String) {
    self.level = level
    self.source = source
    self.message = message
  }
}
