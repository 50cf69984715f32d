import TenonTelemetry

extension StorageError: TelemetryError {
  /// The code as text.
  package var telemetryCode: String { code.rawValue }
}
