// Storage without Auth and App Check: requests carry no tokens.
import IntegrationReport
import StorageFeatures
import TenonCore

let app = try Launch.app(
  AppOptions(projectID: "demo-storage", storageBucket: "demo.appspot.com", backend: .embedded(directory: nil))
)
try await StorageFeatures.tried(in: app).print()
await app.delete()
