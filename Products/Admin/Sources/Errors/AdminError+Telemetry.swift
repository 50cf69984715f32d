import TenonTelemetry

extension AdminError: TelemetryError {
  /// The code as text.
  package var telemetryCode: String { code.rawValue }
}
