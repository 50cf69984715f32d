// Functions without Auth and App Check: calls carry no tokens.
import FunctionsFeatures
import IntegrationReport
import TenonCore

let app = try Launch.app(
  AppOptions(projectID: "demo-functions", backend: .embedded(directory: nil)))
try await FunctionsFeatures.tried(in: app).print()
await app.delete()
