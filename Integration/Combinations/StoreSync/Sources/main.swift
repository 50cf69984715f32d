// Store with StoreSync, which it finds by linking alone, and without Auth and the embedded backend: documents
// of a server.
import IntegrationReport
import StoreFeatures
import TenonCore
import TenonStore

try await Launch.withServer(project: "demo-store") { address in
  let app = try Launch.app(
    AppOptions(
      projectID: "demo-store", backend: .emulator(EmulatorHosts(firestore: address)), data: .memory))
  try await StoreFeatures.tried(in: app).print()
  await app.delete()
}
