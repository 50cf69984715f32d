import Foundation
import TenonCore
import TenonStore
import TenonStoreSync
import TenonTestSupport
import Testing

/// Devices with a Store each, synchronized by StoreSync through Google's emulator.
@Suite(.limited, .deep, .firestoreEmulator)
struct StoreSyncDeviceTests {
  /// Returns the Store of a new device. Its writes have records: without them, an increment counts twice if a
  /// busy machine delays the response beyond the timeout.
  private func device(_ project: String, _ emulator: FirestoreEmulator) throws -> Store {
    let port = try #require(emulator.origin.port)
    let app = try App.configure(
      name: "device-\(UUID())",
      options: AppOptions(
        projectID: project, backend: .emulator(EmulatorHosts(firestore: "127.0.0.1:\(port)")), data: .memory),
      libraries: [StoreLibrary.self, StoreSyncLibrary.self])
    try StoreSync.storeSync(app: app).settings.recordsWrites = true
    return try Store.store(app: app)
  }

  /// Returns the name of a new project.
  private func project() -> String { "devices-\(UUID().uuidString.lowercased())" }

  /// Waits until a query has a result that the server has confirmed.
  private func wait(
    _ query: some Queryable, until condition: (QuerySnapshot) -> Bool
  ) async throws -> QuerySnapshot? {
    for try await snapshot in query.query.snapshots
    where !snapshot.metadata.isFromCache && !snapshot.metadata.hasPendingWrites && condition(snapshot) {
      return snapshot
    }
    return nil
  }

  @Test func offlineEditsOfTwoDevicesAreMerged() async throws {
    let emulator = try await FirestoreEmulator.shared()
    let project = project()
    let (one, two) = (try device(project, emulator), try device(project, emulator))
    try await one.document("notes/tea").setData(["title": "Tea", "cups": 1]).confirmed()
    let seen = try await wait(two.collection("notes")) { $0.documents.count == 1 }
    #expect(seen?.documents.first?.documentID == "tea")

    try await one.disableNetwork()
    try await two.disableNetwork()
    try await one.document("notes/tea").updateData(["title": "Green tea", "cups": .increment(1)])
    try await two.document("notes/tea").updateData(["cups": .increment(10)])
    try await two.document("notes/milk").setData(["title": "Milk"])
    try await one.enableNetwork()
    try await two.enableNetwork()
    for device in [one, two] {
      let merged = try await wait(device.collection("notes")) { snapshot in
        snapshot.documents.count == 2
          && snapshot.documents.contains { $0.fields["cups"] == 12 && $0.fields["title"] == "Green tea" }
      }
      #expect(merged != nil)
    }
  }

  @Test func aKilledEmulatorLosesNoWriteOfADevice() async throws {
    let first = try await FirestoreEmulator()
    let port = try #require(first.origin.port.flatMap(UInt16.init(exactly:)))
    let project = project()
    let (one, two) = (try device(project, first), try device(project, first))
    try await one.document("notes/before").setData(["n": 1]).confirmed()
    _ = try await wait(two.collection("notes")) { $0.documents.count == 1 }

    first.kill()
    for index in 0..<20 { try await one.document("notes/\(index)").setData(["n": Value(index)]) }
    let second = try await FirestoreEmulator(port: port)
    defer { second.kill() }
    try await one.waitForPendingWrites()
    // The emulator keeps nothing, so the document that was written before is gone.
    let result = try await wait(two.collection("notes")) { $0.documents.count == 20 }
    #expect(result?.documents.contains { $0.documentID == "before" } == false)
  }
}
