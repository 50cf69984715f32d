public import TenonObservabilityInterop

/// What every ``ObservabilityInterop`` must do, as a test.
///
/// What an implementation does with what it is told is its own affair; that it takes everything, from many tasks at
/// once, is what the products rely on.
public enum ObservabilityInteropContract {
  /// Tells an implementation `count` things of each kind at once: lines of the source `contract`, and counts, times
  /// and spans named `contract`.
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
