// Store without Auth and without a backend: documents, a listener and a query on this device.
import IntegrationReport
import StoreFeatures
import TenonCore
import TenonStore

let app = try Launch.app(AppOptions(projectID: "demo-store", data: .memory))
try await StoreFeatures.tried(in: app, settings: StoreSettings(isLocalOnly: true)).print()
await app.delete()
