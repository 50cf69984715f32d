// Functions with App Check and without Auth: calls carry the app's token and no user's token.
import FunctionsFeatures
import IntegrationReport
import TenonAppCheck
import TenonCore

let app = try Launch.app(
  AppOptions(projectID: "demo-functions", appID: "1:42:web:a1", backend: .embedded(directory: nil)))
try await FunctionsFeatures.tried(in: app).print()
await app.delete()
