import TenonStore

/// Goes offline and comes back.
func offline() async throws {
  let db = try Store.store()
  try await db.disableNetwork()
  try await db.enableNetwork()
  try await db.waitForPendingWrites()
  try await db.clearPersistence()
  // expect: no calls to throwing functions occur within 'try' expression
  try await db.terminate()
}

/// Goes offline and comes back, in closures.
func offlineWithCompletion() throws {
  let db = try Store.store()
  // expect: 'disableNetwork(completion:)' is unavailable: The call is asynchronous: try await store.disableNetwork(), in a Task { … } if need be.
  db.disableNetwork { (error) in
    print(error as Any)
  }
  // expect: 'enableNetwork(completion:)' is unavailable: The call is asynchronous: try await store.enableNetwork(), in a Task { … } if need be.
  db.enableNetwork { (error) in
    print(error as Any)
  }
  // expect: 'waitForPendingWrites(completion:)' is unavailable: The call is asynchronous: try await store.waitForPendingWrites(), in a Task { … } if need be.
  db.waitForPendingWrites { error in
    print(error as Any)
  }
  // expect: 'clearPersistence(completion:)' is unavailable: The call is asynchronous: try await store.clearPersistence(), in a Task { … } if need be.
  db.clearPersistence { error in
    print(error as Any)
  }
  // expect: 'terminate(completion:)' is unavailable: The call is asynchronous: await store.terminate(), in a Task { … } if need be.
  db.terminate { error in
    print(error as Any)
  }
}
