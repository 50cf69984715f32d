import TenonTelemetry

extension AuthError: TelemetryError {
  /// The code as text.
  package var telemetryCode: String { code.rawValue }
}
