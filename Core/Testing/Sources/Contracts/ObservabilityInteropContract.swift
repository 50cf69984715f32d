public import TenonObservabilityInterop

/// The contract of `ObservabilityInterop` as a test that every implementation can run.
///
/// Products rely only on the fact that all functions can be called concurrently. The recorded data is checked
/// by the tests of each implementation.
///
/// ```swift
/// let observability = FakeObservability()
/// await ObservabilityInteropContract.exercise(observability)
/// #expect(observability.counts == ["contract": 100])
/// ```
public enum ObservabilityInteropContract {
  /// Calls every function of an implementation concurrently: log entries with the source `contract`, and
  /// counters, gauges, durations and spans with the name `contract`. Each call has the attribute `number`.
  ///
  /// When it returns, all calls have returned and all spans have ended. The implementation has then received
  /// `count` log entries with the messages `line 0`, `line 1` and so on, increments of 1 whose sum is
  /// `count`, gauges from 0 to `count - 1`, the durations from 0 to `count - 1` milliseconds, and `count`
  /// spans with one span within each; every second pair ended with the error type `cancelled`. Their order is
  /// arbitrary.
  ///
  /// - Parameters:
  ///   - observability: the implementation.
  ///   - count: the number of calls of each function; 100 by default.
  /// - Precondition: `count` isn't negative.
  public static func exercise(_ observability: any ObservabilityInterop, count: Int = 100) async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        group.addTask {
          let attributes: [String: ObservabilityValue] = ["number": .int(number)]
          observability.log(
            LogEntry(level: .info, source: "contract", message: "line \(number)", fields: attributes))
          observability.count("contract", by: 1, attributes: attributes)
          observability.gauge("contract", Double(number), attributes: attributes)
          observability.time("contract", .milliseconds(number), attributes: attributes)
          let span = observability.beginSpan(
            "contract", kind: .internal, parent: nil, attributes: attributes)
          let inner = observability.beginSpan(
            "contract", kind: .client, parent: span, attributes: attributes)
          for span in [inner, span] {
            span.end(
              errorType: number.isMultiple(of: 2) ? nil : "cancelled",
              attributes: ["value": .double(0.5), "is-last": .bool(true), "text": "a"])
          }
        }
      }
    }
  }
}
