// Storage with App Check and without Auth: requests carry the app's token and no user's token.
import IntegrationReport
import StorageFeatures
import TenonAppCheck
import TenonCore

let app = try Launch.app(
  AppOptions(
    projectID: "demo-storage", appID: "1:42:web:a1", storageBucket: "demo.appspot.com",
    backend: .embedded(directory: nil)))
try await StorageFeatures.tried(in: app).print()
await app.delete()
