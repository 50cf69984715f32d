import Foundation
import TenonCore
import TenonStore
import TenonStoreSync
import TenonTestSupport
import TenonTesting
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

  /// Waits until a query has a result that the server has confirmed. If that doesn't happen before the test
  /// is cancelled, records what the device has.
  private func wait(
    _ query: some Queryable, location: SourceLocation = #_sourceLocation,
    until condition: (QuerySnapshot) -> Bool
  ) async throws -> QuerySnapshot? {
    let (query, store) = (query.query, query.query.store)
    var last: QuerySnapshot?
    for try await snapshot in query.snapshots {
      last = snapshot
      guard !snapshot.metadata.isFromCache && !snapshot.metadata.hasPendingWrites && condition(snapshot)
      else {
        continue
      }
      return snapshot
    }
    let documents = last?.documents.map { "\($0.documentID) \($0.fields)" } ?? []
    // The task is cancelled, and so would be what it calls.
    let (queued, rejected) = await Task {
      ((try? await store.queuedWrites) ?? [], (try? await store.rejectedWrites) ?? [])
    }.value
    Issue.record(
      """
      The device has \(documents), \(last?.metadata.description ?? "no snapshot"). \
      Queued are \(queued), rejected \(rejected).
      """,
      sourceLocation: location)
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

  @Test func theAppDecidesOnAWriteThatOthersHaveOvertaken() async throws {
    let emulator = try await FirestoreEmulator.shared()
    let project = project()
    let (one, two) = (try device(project, emulator), try device(project, emulator))
    let (item, log) = (one.document("items/cup"), one.document("items/log"))
    try await item.setData(["stock": 10]).confirmed()
    try await one.disableNetwork()
    for amount in [7, 1] {
      try await one.runTransaction { transaction in
        let stock = try await transaction.getDocument(item).fields?["stock"]?.intValue ?? 0
        try transaction.updateData(["stock": stock - amount], forDocument: item)
      }
    }
    try await one.runTransaction { transaction in
      let stock = try await transaction.getDocument(item).fields?["stock"]?.intValue
      try transaction.setData(["stock": stock], forDocument: log)
    }
    try await two.document("items/cup").updateData(["stock": .increment(-2)]).confirmed()
    one.onConflict = { conflict, transaction in
      for document in conflict.documents {
        let change = (document.mine?["stock"]?.intValue ?? 0) - (document.base?["stock"]?.intValue ?? 0)
        guard change < 0 else { continue }
        try transaction.updateData(["stock": .increment(change)], forDocument: document.reference)
      }
    }
    try await one.enableNetwork()
    try await one.waitForPendingWrites()
    let result = try await wait(two.collection("items")) { snapshot in
      snapshot.documents.contains { $0.fields["stock"] == 0 }
    }
    // What depended on the first transaction is decided on in the same way; the log remains rejected.
    #expect(result?.documents.map(\.documentID) == ["cup"])
    try await eventually { try await one.rejectedWrites.map(\.writes.first?.document.text) == ["items/log"] }
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
