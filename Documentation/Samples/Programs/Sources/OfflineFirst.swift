// sample: write, rejected
import TenonCore
import TenonEmbedded
import TenonStore

// sample: end
func writeOffline() async throws {
  // sample: write
  try App.configure(options: AppOptions(projectID: "notes", backend: .embedded(directory: nil)))
  let store = try Store.store()
  try await store.disableNetwork()  // as without a network

  let write = try await store.document("notes/tea").setData(["title": "Tea"])
  print(try await store.document("notes/tea").getDocument().metadata.hasPendingWrites)
  print(try await store.queuedWrites.count, "write waits")

  try await store.enableNetwork()
  try await write.confirmed()
  print(try await store.queuedWrites.count, "writes wait")
  // sample: end
}

func pendingWrites() async throws {
  try App.configure(options: AppOptions(projectID: "notes", backend: .embedded(directory: nil)))
  let store = try Store.store()
  // sample: pending
  try await store.disableNetwork()
  try await store.document("notes/tea").setData(["title": "Green tea"])
  print(try await store.pendingWrites)
  try await store.enableNetwork()
  // sample: end
}

func rejectedWrites() async throws {
  try App.configure(options: AppOptions(projectID: "notes", backend: .embedded(directory: nil)))
  let store = try Store.store()
  // sample: rejected
  for rejected in try await store.rejectedWrites {
    print(rejected.error, rejected.writes.count)
    try await store.dismissRejectedWrite(rejected.id)
  }
  // sample: end
}

func handler() async throws {
  try App.configure(options: AppOptions(projectID: "notes", backend: .embedded(directory: nil)))
  let store = try Store.store()
  // sample: handler
  store.onRejectedWrite = { rejected in
    print(rejected.error)
    try? await store.dismissRejectedWrite(rejected.id)
  }
  // sample: end
}

func conflicts() async throws {
  try App.configure(options: AppOptions(projectID: "notes", backend: .embedded(directory: nil)))
  let store = try Store.store()
  // sample: conflict
  store.onConflict = { conflict, transaction in
    for document in conflict.documents {
      let sold = (document.base?["stock"]?.intValue ?? 0) - (document.mine?["stock"]?.intValue ?? 0)
      try transaction.updateData(["stock": .increment(-sold)], forDocument: document.reference)
    }
  }
  // sample: end
}

func confirmedWrites() async throws {
  try App.configure(options: AppOptions(projectID: "notes", backend: .embedded(directory: nil)))
  // sample: confirmed
  let store = try Store.store(settings: StoreSettings(writes: .confirmed))
  do {
    try await store.document("notes/tea").updateData(["title": "Tea"])
  } catch let error as StoreError where error.code == .notFound {
    print("no such note")
  }
  // sample: end
}
