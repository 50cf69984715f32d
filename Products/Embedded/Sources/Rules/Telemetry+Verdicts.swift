import TenonObservabilityInterop
import TenonTelemetry

extension Telemetry {
  /// Counts a verdict of rules, those of closures included.
  ///
  /// - Parameters:
  ///   - service: the service whose rules decided: `documents` or `objects`.
  ///   - isAllowed: whether they allow the access.
  func countVerdict(on service: String, isAllowed: Bool) {
    count(
      "tenon.embedded.rules.verdicts",
      ["tenon.embedded.service": .string(service), "tenon.rules.allowed": .bool(isAllowed)])
  }
}
