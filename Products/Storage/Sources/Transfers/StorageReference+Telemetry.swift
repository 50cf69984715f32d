import TenonObservabilityInterop
import TenonTelemetry
import TenonTransport

extension StorageReference {
  /// What a transfer is to the app.
  enum Transfer: String {
    /// Content is sent.
    case upload
    /// Content is received.
    case download
  }

  /// Performs a transfer, and records its duration and its span, with the name of the bucket and not that of
  /// the object.
  nonisolated(nonsending) func recording<Result>(
    _ transfer: Transfer, _ operation: nonisolated(nonsending) () async throws -> Result
  ) async throws -> Result {
    try await storage.client.http.telemetry.measure(
      "tenon.storage.transfer.duration", span: "storage.\(transfer.rawValue)",
      ["tenon.storage.operation": .string(transfer.rawValue), "tenon.storage.bucket": .string(bucket)],
      operation)
  }

  /// Counts transferred bytes of content.
  func count(_ bytes: Int, of transfer: Transfer) {
    storage.client.http.telemetry.count(
      "tenon.storage.transferred", by: bytes,
      [
        "network.io.direction": transfer == .upload ? "transmit" : "receive",
        "tenon.storage.bucket": .string(bucket),
      ])
  }
}
