import Foundation
import TenonCore
import TenonStore
import TenonStoreSync

/// Increments a counter on Google's emulator by transactions that read its previous value there. It begins
/// when its input ends, so that several processes can begin together.
///
/// At the end, it prints the number of attempts, and the number of transactions that were refused later:
/// those that were made while the emulator couldn't be reached, on the documents of this device.
func transact(_ times: Int, project: String, on emulator: String) async throws {
  let app = try App.configure(
    options: AppOptions(
      projectID: project, backend: .emulator(EmulatorHosts(firestore: emulator)), data: .memory),
    libraries: [StoreLibrary.self, StoreSyncLibrary.self])
  // Without records, a transaction counts twice if a busy machine delays the response beyond the timeout.
  try StoreSync.storeSync(app: app).settings.recordsWrites = true
  let store = try Store.store(app: app)
  try say("ready")
  _ = try FileHandle.standardInput.readToEnd()
  let counter = store.document("counters/shared")
  var attempts = 0
  for _ in 0..<times {
    try await store.runTransaction(maximumAttempts: .max) { transaction in
      attempts += 1
      let count = try await transaction.getDocument(counter).fields?["count"]?.int64Value ?? 0
      try transaction.setData(["count": count + 1], forDocument: counter)
    }
  }
  try await store.waitForPendingWrites()
  try await say("attempts \(attempts) refused \(store.rejectedWrites.count)")
}
