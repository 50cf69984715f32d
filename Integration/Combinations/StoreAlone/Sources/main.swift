// Store without Auth and without a backend: documents, a listener and a query on this device. It also reports
// the number of allocations of recording without a provider of observability.
import AllocationCounter
import IntegrationReport
import StoreFeatures
import TenonCore
import TenonObservabilityInterop
import TenonStore
import TenonTelemetry

/// Returns the number of allocations of recording with attributes.
func allocationsOfRecording() -> Int {
  let telemetry = Telemetry(source: "store-alone")
  let before = allocation_count()
  for number in 0..<1_000 {
    telemetry.count("tenon.store.commits", ["db.namespace": .string("database \(number)")])
    telemetry.gauge(
      "tenon.store.queue.depth", Double(number), ["db.namespace": .string("database \(number)")])
    telemetry.time("tenon.store.index.build.duration", .seconds(number), ["number": .int(number)])
  }
  return allocation_count() - before
}

let app = try Launch.app(AppOptions(projectID: "demo-store", data: .memory))
let allocations = allocationsOfRecording()
var report = try await StoreFeatures.tried(in: app, settings: StoreSettings(isLocalOnly: true))
report.facts["allocationsOfRecording"] = "\(allocations)"
try report.print()
await app.delete()
