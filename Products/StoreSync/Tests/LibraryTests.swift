import Foundation
import TenonCore
import TenonStoreInterop
import TenonTestSupport
import Testing

@testable import TenonStoreSync

@Suite("The library", .limited) struct LibraryTests {
  /// A substitute for TenonEmbedded, which an app needs to be configured for the embedded backend.
  private enum EmptyBackend: Library {
    static let name = "empty-backend"
    static let version = SemanticVersion(1, 0, 0)
    static let backends: [AppBackend.Kind] = [.embedded]
    static var components: [AnyComponent] { [] }
  }

  private func app(_ backend: AppBackend) throws -> App {
    try App.configure(
      name: "store-sync-\(UUID())",
      options: AppOptions(projectID: "demo-sync", backend: backend, data: .memory),
      libraries: [StoreSyncLibrary.self, EmptyBackend.self])
  }

  @Test("has the name under which it is registered") func name() {
    #expect(StoreSyncLibrary.name == "tenon-store-sync")
  }

  @Test(
    "contributes a remote to apps on production and on an emulator",
    arguments: [
      (AppBackend.production, "https://firestore.googleapis.com"),
      (.emulator(EmulatorHosts(firestore: "127.0.0.1:8080")), "http://127.0.0.1:8080"),
      (.emulator(EmulatorHosts(auth: "127.0.0.1:9099")), "https://firestore.googleapis.com"),
    ])
  func contributes(backend: AppBackend, service: String) async throws {
    let app = try app(backend)
    let remotes = try app.resolveAll((any StoreRemote).self)
    #expect((remotes.first as? FirestoreRemote)?.client.service == service && remotes.count == 1)
    #expect(try app.resolveIfPresent((any StoreRemote).self) == nil)
    await app.delete()
  }

  @Test("takes the emulator's address from FIRESTORE_EMULATOR_HOST") func environment() async throws {
    let options = try AppOptions(environment: [
      "TENON_PROJECT_ID": "demo-sync", "FIRESTORE_EMULATOR_HOST": "127.0.0.1:8765",
    ])
    let app = try app(options.backend)
    #expect(try StoreSync.storeSync(app: app).remote.client.service == "http://127.0.0.1:8765")
    await app.delete()
  }

  @Test("declines for the embedded backend") func embedded() async throws {
    let app = try app(.embedded(directory: nil))
    #expect(try app.resolveAll((any StoreRemote).self).isEmpty)
    let error = #expect(throws: ComponentError.self) { try StoreSync.storeSync(app: app) }
    #expect(error?.description.contains("TenonEmbedded") == true)
    await app.delete()
  }

  @Test("keeps the settings for the app") func settings() async throws {
    let app = try app(.production)
    try StoreSync.storeSync(app: app).settings.recordsWrites = true
    #expect(try StoreSync.storeSync(app: app).settings.recordsWrites)
    await app.delete()
  }
}
