import TenonFoundation
public import TenonObservabilityInterop

/// An implementation of `ObservabilityInterop` that records every call, for tests. It can be used from any
/// thread.
///
/// Records are kept until the instance is released. A property returns the records of its kind at that
/// moment; two properties that are read one after another may be of different moments.
public final class FakeObservability: ObservabilityInterop {
  /// The record of a span. It is a copy, which doesn't change when the span ends.
  public struct SpanRecord: Sendable {
    /// The span's name.
    public var name: String
    /// Whether it has ended.
    public var isEnded = false
    /// The error that it ended with; `nil` if the operation succeeded or is still running.
    public var error: (any Error)?
  }

  /// The records so far.
  private struct State {
    /// The log entries, in the order of the calls.
    var entries: [LogEntry] = []
    /// The sums of the increments, by the name of the counter.
    var counts: [String: Int] = [:]
    /// The durations in the order of the calls, by name.
    var times: [String: [Duration]] = [:]
    /// The spans. A span's number is its index; records are never removed.
    var spans: [SpanRecord] = []
  }

  /// The handle of a recorded span. Only the first call of `end` has an effect.
  private struct Span: ObservabilitySpan {
    /// The index of the span's record.
    let number: Int
    /// The instance with the record.
    let owner: FakeObservability

    /// Marks the record as ended.
    ///
    /// - Parameter error: the error to record; `nil` if the operation succeeded.
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
  /// The spans, in the order in which they began.
  public var spans: [SpanRecord] { state.withLock { $0.spans } }

  /// Appends an entry to ``entries``.
  public func log(_ entry: LogEntry) { state.withLock { $0.entries.append(entry) } }

  /// Adds an increment to the sum of a counter in ``counts``. Labels are ignored.
  ///
  /// - Parameters:
  ///   - name: the name of the counter. A new counter begins at 0.
  ///   - increment: the number to add, which may be negative.
  ///   - labels: ignored.
  public func count(_ name: String, by increment: Int, labels: [String: String]) {
    state.withLock { $0.counts[name, default: 0] += increment }
  }

  /// Appends a duration to ``times``. Labels are ignored.
  ///
  /// - Parameters:
  ///   - name: the name of the measured operation.
  ///   - duration: the duration, which is recorded unchanged.
  ///   - labels: ignored.
  public func time(_ name: String, _ duration: Duration, labels: [String: String]) {
    state.withLock { $0.times[name, default: []].append(duration) }
  }

  /// Appends a span to ``spans`` and returns its handle. Attributes are ignored.
  ///
  /// - Parameters:
  ///   - name: the name of the operation. Several spans may have the same name.
  ///   - attributes: ignored.
  /// - Returns: the handle, which retains this instance. If it is never ended, the record stays open.
  public func beginSpan(_ name: String, attributes: [String: String]) -> any ObservabilitySpan {
    state.withLock { state in
      state.spans.append(SpanRecord(name: name))
      return Span(number: state.spans.count - 1, owner: self)
    }
  }
}
