// sample: provide
import TenonCore
import TenonEmbedded
import TenonFunctions
import TenonObservabilityInterop

/// Prints what Functions measures.
struct PrintedMetrics: ObservabilityInterop {
  struct Untraced: ObservabilitySpan {
    func end(errorType: String?, attributes: [String: ObservabilityValue]) {}
  }

  func time(_ name: String, _ duration: Duration, attributes: [String: ObservabilityValue]) {
    guard name.hasPrefix("rpc.") else { return }
    print(name, attributes["rpc.method"] ?? "", attributes["error.type"] ?? "succeeded")
  }

  func log(_ entry: LogEntry) {}
  func count(_ name: String, by increment: Int, attributes: [String: ObservabilityValue]) {}
  func gauge(_ name: String, _ value: Double, attributes: [String: ObservabilityValue]) {}
  func beginSpan(
    _ name: String, kind: ObservabilitySpanKind, parent: (any ObservabilitySpan)?,
    attributes: [String: ObservabilityValue]
  ) -> any ObservabilitySpan { Untraced() }
}

// sample: end
func observeCalls() async throws {
  let options = AppOptions(projectID: "demo", backend: .embedded(directory: nil), data: .memory)
  // sample: provide
  let app = try App.configure(options: options) {
    Component((any ObservabilityInterop).self) { _ in PrintedMetrics() }
  }
  try Embedded.embedded(app: app).onCall("double") { (request: CallableRequest<Int>) in request.data * 2 }
  let functions = try Functions.functions(app: app)
  _ = try await functions.httpsCallable("double").call(21)
  _ = try? await functions.httpsCallable("halve").call(42)
  // sample: end
}
