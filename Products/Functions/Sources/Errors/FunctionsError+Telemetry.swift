import TenonTelemetry

extension FunctionsError: TelemetryError {
  /// The code as text.
  package var telemetryCode: String { code.rawValue }
}
