import TenonTelemetry

extension AppCheckError: TelemetryError {
  /// The code as text.
  package var telemetryCode: String { code.rawValue }
}
