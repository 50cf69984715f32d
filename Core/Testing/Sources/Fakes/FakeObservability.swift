import TenonFoundation
public import TenonObservabilityInterop

/// An implementation of `ObservabilityInterop` that records every call, for tests. It can be used from any
/// thread.
///
/// Records are kept until the instance is released. A property returns the records of its kind at that
/// moment; two properties that are read one after another may be of different moments.
public final class FakeObservability: ObservabilityInterop {
  /// A call of ``count(_:by:attributes:)``, ``gauge(_:_:attributes:)`` or ``time(_:_:attributes:)``.
  public struct Measurement<Value: Sendable>: Sendable {
    /// The name of the counter, gauge or histogram.
    public var name: String
    /// The increment, the value or the duration.
    public var value: Value
    /// The dimensions.
    public var attributes: [String: ObservabilityValue]
  }

  /// The record of a span. It is a copy, which doesn't change when the span ends.
  public struct SpanRecord: Sendable {
    /// The span's name.
    public var name: String
    /// The role of the process.
    public var kind: ObservabilitySpanKind
    /// The position in ``FakeObservability/spans`` of the span to which it belongs; `nil` if it is the first
    /// one.
    public var parent: Int?
    /// The attributes with which it began, and after its end also those with which it ended.
    public var attributes: [String: ObservabilityValue]
    /// Whether it has ended.
    public var isEnded = false
    /// The code of the error that it ended with; `nil` if the operation succeeded or is still running.
    public var errorType: String?
  }

  /// The records so far.
  private struct State {
    /// The log entries, in the order of the calls.
    var entries: [LogEntry] = []
    /// The increments, in the order of the calls.
    var increments: [Measurement<Int>] = []
    /// The values of gauges, in the order of the calls.
    var gauges: [Measurement<Double>] = []
    /// The durations, in the order of the calls.
    var durations: [Measurement<Duration>] = []
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
    func end(errorType: String?, attributes: [String: ObservabilityValue]) {
      owner.state.withLock { state in
        guard !state.spans[number].isEnded else { return }
        state.spans[number].isEnded = true
        state.spans[number].errorType = errorType
        state.spans[number].attributes.merge(attributes) { _, last in last }
      }
    }
  }

  private let state = Lock(State())

  /// Creates an instance without records.
  public init() {}

  /// The log entries, in order.
  public var entries: [LogEntry] { state.withLock { $0.entries } }
  /// The increments of counters, in order.
  public var increments: [Measurement<Int>] { state.withLock { $0.increments } }
  /// The values of gauges, in order.
  public var gauges: [Measurement<Double>] { state.withLock { $0.gauges } }
  /// The durations, in order.
  public var durations: [Measurement<Duration>] { state.withLock { $0.durations } }
  /// The spans, in the order in which they began.
  public var spans: [SpanRecord] { state.withLock { $0.spans } }

  /// The sums of the counters, by name. Attributes don't matter.
  public var counts: [String: Int] {
    increments.reduce(into: [:]) { $0[$1.name, default: 0] += $1.value }
  }

  /// Appends an entry to ``entries``.
  public func log(_ entry: LogEntry) { state.withLock { $0.entries.append(entry) } }

  /// Appends an increment to ``increments``.
  public func count(_ name: String, by increment: Int, attributes: [String: ObservabilityValue]) {
    state.withLock { $0.increments.append(Measurement(name: name, value: increment, attributes: attributes)) }
  }

  /// Appends a value to ``gauges``.
  public func gauge(_ name: String, _ value: Double, attributes: [String: ObservabilityValue]) {
    state.withLock { $0.gauges.append(Measurement(name: name, value: value, attributes: attributes)) }
  }

  /// Appends a duration to ``durations``.
  public func time(_ name: String, _ duration: Duration, attributes: [String: ObservabilityValue]) {
    state.withLock { $0.durations.append(Measurement(name: name, value: duration, attributes: attributes)) }
  }

  /// Appends a span to ``spans`` and returns its handle, which retains this instance. If it is never ended,
  /// the record stays open.
  public func beginSpan(
    _ name: String, kind: ObservabilitySpanKind, parent: (any ObservabilitySpan)?,
    attributes: [String: ObservabilityValue]
  ) -> any ObservabilitySpan {
    let parent = (parent as? Span).flatMap { $0.owner === self ? $0.number : nil }
    return state.withLock { state in
      state.spans.append(SpanRecord(name: name, kind: kind, parent: parent, attributes: attributes))
      return Span(number: state.spans.count - 1, owner: self)
    }
  }
}
