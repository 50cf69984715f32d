import TenonCore
public import TenonObservabilityInterop

/// An implementation of `ObservabilityInterop` that records every call.
public final class FakeObservability: ObservabilityInterop {
  /// A span and its state.
  public struct SpanRecord: Sendable {
    /// The span's name.
    public var name: String
    /// Whether it has ended.
    public var isEnded = false
    /// The error that it ended with; `nil` if the operation succeeded or is still running.
    public var error: (any Error)?
  }

  private struct State {
    var entries: [LogEntry] = []
    var counts: [String: Int] = [:]
    var times: [String: [Duration]] = [:]
    var spans: [SpanRecord] = []
  }

  private struct Span: ObservabilitySpan {
    let number: Int
    let owner: FakeObservability

    func end(error: (any Error)?) {
      owner.state.withLock { state in
        guard !state.spans[number].isEnded else { return }
        state.spans[number].isEnded = true
        state.spans[number].error = error
      }
    }
  }

  private let state = Lock(State())

  /// Creates an instance without records.
  public init() {}

  /// The log entries, in order.
  public var entries: [LogEntry] { state.withLock { $0.entries } }
  /// The sums of the counters, by name.
  public var counts: [String: Int] { state.withLock { $0.counts } }
  /// The recorded durations, by name and in order.
  public var times: [String: [Duration]] { state.withLock { $0.times } }
  /// The spans, in the order of their beginnings.
  public var spans: [SpanRecord] { state.withLock { $0.spans } }

  /// Adds to ``entries``.
  public func log(_ entry: LogEntry) { state.withLock { $0.entries.append(entry) } }

  /// Adds to ``counts``. Labels are ignored.
  public func count(_ name: String, by increment: Int, labels: [String: String]) {
    state.withLock { $0.counts[name, default: 0] += increment }
  }

  /// Adds to ``times``. Labels are ignored.
  public func time(_ name: String, _ duration: Duration, labels: [String: String]) {
    state.withLock { $0.times[name, default: []].append(duration) }
  }

  /// Adds to ``spans``. Attributes are ignored.
  public func beginSpan(_ name: String, attributes: [String: String]) -> any ObservabilitySpan {
    state.withLock { state in
      state.spans.append(SpanRecord(name: name))
      return Span(number: state.spans.count - 1, owner: self)
    }
  }
}
