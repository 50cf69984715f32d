public import TenonObservabilityInterop

/// The contract of `ObservabilityInterop` as a test that every implementation can run.
///
/// Products rely only on the fact that all functions can be called concurrently. The recorded data is checked by the tests of
/// each implementation.
public enum ObservabilityInteropContract {
  /// Calls every function of an implementation concurrently: log entries with the source `contract`, and counters, durations
  /// and spans with the name `contract`.
  ///
  /// - Parameters:
  ///   - observability: the implementation.
  ///   - count: the number of calls of each function; 100 by default. Every second span ends with an error.
  public static func exercise(_ observability: any ObservabilityInterop, count: Int = 100) async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        group.addTask {
          observability.log(LogEntry(level: "info", source: "contract", message: "line \(number)"))
          observability.count("contract", by: 1, labels: ["number": "\(number)"])
          observability.time("contract", .milliseconds(number), labels: [:])
          let span = observability.beginSpan("contract", attributes: [:])
          span.end(error: number.isMultiple(of: 2) ? nil : CancellationError())
        }
      }
    }
  }
}
