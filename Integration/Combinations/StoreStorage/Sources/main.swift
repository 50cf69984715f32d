// Store with Storage and without Auth, on the embedded backend.
import IntegrationReport
import StoreFeatures
import TenonCore
import TenonStorage

try await Launch.withTemporaryDirectory { directory in
  let app = try Launch.app(
    AppOptions(
      projectID: "demo-store", storageBucket: "demo.appspot.com", backend: .embedded(directory: directory)))
  try await StoreFeatures.tried(in: app).print()
  await app.delete()
}
