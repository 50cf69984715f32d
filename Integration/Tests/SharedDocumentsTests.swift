import Foundation
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonStore
import TenonTestSupport
import Testing

/// Two apps in one process that share documents through the embedded backend act as two devices.
@Suite(.limited) struct SharedDocumentsTests {
  private static func withDevices<Result>(
    _ count: Int = 2, _ body: ([App], [Store]) async throws -> Result
  ) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tenon-shared-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let apps = try (0..<count).map { number in
      try App.configure(
        name: "device-\(number)-\(UUID())",
        options: AppOptions(
          projectID: "demo-shared", backend: .embedded(directory: folder.appending(path: "backend").path),
          data: .directory(folder.appending(path: "device-\(number)").path)))
    }
    do {
      let result = try await body(apps, try apps.map { try Store.store(app: $0) })
      for app in apps { await app.delete() }
      return result
    } catch {
      for app in apps { await app.delete() }
      throw error
    }
  }

  @Test func listenersOfOneDeviceReceiveTheWritesOfTheOther() async throws {
    try await Self.withDevices { _, stores in
      let snapshots = stores[1].collection("rooms/den/messages").order(by: "n").snapshots
      let first = try await snapshots.first { _ in true }
      #expect(first?.isEmpty == true)
      for number in 1...3 {
        try await stores[0].document("rooms/den/messages/m\(number)").setData(["n": number])
      }
      let all = try await snapshots.first { $0.count == 3 }
      #expect(all?.documents.map(\.documentID) == ["m1", "m2", "m3"])
    }
  }

  @Test func offlineDevicesContinueAndTheLastWriteWins() async throws {
    try await Self.withDevices { _, stores in
      try await stores[0].document("c/d").setData(["by": "first", "n": 0]).confirmed()
      let seen = try await stores[1].document("c/d").getDocument()
      #expect(seen.fields?["by"] == "first")
      for store in stores { try await store.disableNetwork() }
      try await stores[0].document("c/d").updateData(["by": "zero", "n": .increment(1)])
      try await stores[1].document("c/d").updateData(["by": "one", "n": .increment(10)])
      let here = try await stores[0].document("c/d").getDocument()
      #expect(here.fields?["n"] == 1 && here.metadata.hasPendingWrites && here.metadata.isFromCache)

      try await stores[1].enableNetwork()
      try await stores[1].waitForPendingWrites()
      try await stores[0].enableNetwork()
      try await stores[0].waitForPendingWrites()
      for store in stores {
        let document = try await store.document("c/d").getDocument(source: .server)
        #expect(document.fields == ["by": "zero", "n": 11])
      }
    }
  }

  @Test func aWriteWhosePreconditionFailedIsRejectedWithItsReason() async throws {
    try await Self.withDevices { _, stores in
      try await stores[0].document("c/d").setData(["n": 1]).confirmed()
      _ = try await stores[1].document("c/d").getDocument()
      try await stores[1].disableNetwork()
      try await stores[0].document("c/d").delete().confirmed()
      try await stores[1].document("c/d").updateData(["n": 2])
      try await stores[1].enableNetwork()
      try await stores[1].waitForPendingWrites()
      let rejected = try await stores[1].rejectedWrites
      #expect(rejected.map(\.error.code) == [.notFound])
      let document = try await stores[1].document("c/d").getDocument(source: .server)
      #expect(!document.exists)
    }
  }

  @Test func conflictingTransactionsOfDevicesAreRetried() async throws {
    try await Self.withDevices(3) { _, stores in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for store in stores {
          group.addTask {
            let counter = store.document("c/counter")
            for _ in 0..<5 {
              try await store.runTransaction(maximumAttempts: 30) { transaction in
                let number = try await transaction.getDocument(counter).fields?["n"]?.int64Value ?? 0
                try transaction.setData(["n": number + 1], forDocument: counter)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let document = try await stores[0].document("c/counter").getDocument(source: .server)
      #expect(document.fields?["n"] == 15)
    }
  }

  @Test func aTransactionThatUpdatesWhatNobodyHasIsNotFound() async throws {
    try await Self.withDevices { _, stores in
      try await stores[0].document("c/read").setData(["n": 1]).confirmed()
      for reads in [false, true] {
        var runs = 0
        let thrown = await #expect(throws: StoreError.self) {
          try await stores[1].runTransaction { transaction in
            runs += 1
            if reads { _ = try await transaction.getDocument(stores[1].document("c/read")) }
            try transaction.updateData(["n": 2], forDocument: stores[1].document("c/none"))
          }
        }
        #expect(thrown?.code == .notFound && runs == 1)
      }
      #expect(try await stores[1].rejectedWrites.isEmpty)
    }
  }

  @Test func writesOfAUserAreSentAsThatUser() async throws {
    try await Self.withDevices { apps, stores in
      try Embedded.embedded(app: apps[0]).onDocumentAccess { access in access.auth != nil }
      let refused = try await stores[0].document("c/d").setData(["n": 1])
      let thrown = await #expect(throws: StoreError.self) { try await refused.confirmed() }
      #expect(thrown?.code == .permissionDenied)
      try await Auth.auth(app: apps[0]).signInAnonymously()
      try await stores[0].document("c/d").setData(["n": 2]).confirmed()
      let document = try await stores[0].document("c/d").getDocument(source: .server)
      #expect(document.fields?["n"] == 2)
    }
  }

  @Test func aRefusedWriteIsThrownByTheCallOrReportedToTheHandler() async throws {
    try await Self.withDevices { apps, stores in
      try Embedded.embedded(app: apps[0]).onDocumentAccess { access in
        access.newDocument?["owner"]?.stringValue == access.auth?.uid
      }
      let user = try await Auth.auth(app: apps[0]).signInAnonymously().user
      let settings = StoreSettings(writes: .confirmed)
      let confirming = try Store.store(app: apps[0], database: "confirming", settings: settings)
      let thrown = await #expect(throws: StoreError.self) {
        try await confirming.document("c/d").setData(["owner": "eve"])
      }
      #expect(thrown?.code == .permissionDenied)
      #expect(try await confirming.rejectedWrites.isEmpty)
      #expect(try await confirming.queuedWrites.isEmpty)
      #expect(try await confirming.document("c/own").setData(["owner": user.uid]).isSettled)

      let rejections = AsyncStream<RejectedWrite>.makeStream()
      stores[0].onRejectedWrite = { rejections.continuation.yield($0) }
      try await stores[0].document("c/d").setData(["owner": "eve"])
      let rejected = await rejections.stream.first { _ in true }
      #expect(rejected?.error.code == .permissionDenied)
      #expect(try await stores[0].rejectedWrites.map(\.id) == [rejected?.id])
    }
  }

  @Test func databasesAreSharedSeparately() async throws {
    try await Self.withDevices { apps, stores in
      let archive = try Store.store(app: apps[0], database: "archive")
      try await archive.document("c/d").setData(["n": 1]).confirmed()
      let there = try await Store.store(app: apps[1], database: "archive").document("c/d").getDocument()
      #expect(there.fields?["n"] == 1)
      let elsewhere = try await stores[1].document("c/d").getDocument()
      #expect(!elsewhere.exists)
    }
  }
}
