import Dispatch
import Foundation
import TenonFoundation
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Reads run alongside writes.
@Suite("A read", .limited) struct ReaderPoolTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  /// Runs `body` while the engine performs an operation that doesn't end before.
  private func occupying(
    _ store: Store, with operation: @escaping @Sendable (StoreEngine.Running) throws -> Void = { _ in },
    _ body: () async throws -> Void
  ) async throws {
    let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let occupying = Task {
      try await store.engine.loadKey()
      try await store.engine.use { running in
        try running.connection.transaction {
          try operation(running)
          begun.signal()
          end.wait()
        }
      }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        begun.wait()
        continuation.resume()
      }
    }
    try await eventually { store.engine.isOccupied }
    do { try await body() } catch {
      end.signal()
      throw error
    }
    end.signal()
    try await occupying.value
  }

  /// A database with the documents `notes/0` to `notes/9`, whose field `n` is their number.
  private func filled(_ store: Store) async throws -> Store {
    for number in 0..<10 { try await store.document("notes/\(number)").setData(["n": Value(number)]) }
    return store
  }

  @Test("doesn't wait for a write, and sees the last committed state") func alongside() async throws {
    let store = try await filled(makeStore(directory))
    let notes = store.collection("notes")
    let delete: @Sendable (StoreEngine.Running) throws -> Void = {
      try $0.connection.run("DELETE FROM documents")
      try $0.connection.run("DELETE FROM entries")
    }
    try await occupying(store, with: delete) { () async throws in
      #expect(try await notes.document("7").getDocument().fields?["n"] == 7)
      #expect(try await notes.whereField("n", isGreaterThan: 3).getDocuments().count == 6)
      #expect(try await notes.count.getAggregation().count == 10)
      #expect(try await notes.aggregate([.sum("n")]).getAggregation()[.sum("n")] == 45)
      #expect(try await notes.order(by: "n").explain().results == 10)
    }
    #expect(try await notes.document("7").getDocument().exists == false)
    #expect(try await notes.count.getAggregation().count == 0)
  }

  /// The default source asks the remote first. Afterwards it is asked again.
  @Test(
    "of the default source doesn't wait for a write while the remote is out of reach",
    arguments: [false, true])
  func offline(isDisabled: Bool) async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(directory, remote: remote)
    let note = store.document("notes/0")
    try await note.setData(["n": 0])
    try await store.waitForPendingWrites()
    if isDisabled {
      try await store.disableNetwork()
    } else {
      remote.fail(with: StoreRemoteError(.unavailable, "no connection"))
      #expect(try await note.getDocument().metadata.isFromCache)
    }
    try await occupying(store) { () async throws in
      #expect(store.engine.prefersCache)
      let document = try await note.getDocument()
      #expect(document.exists && document.metadata.isFromCache)
      let all = try await store.collection("notes").getDocuments()
      #expect(all.count == 1 && all.metadata.isFromCache)
      #expect(try await store.collection("notes").count.getAggregation().count == 1)
      await #expect(throws: StoreError.self) { try await note.getDocument(source: .server) }
    }
    remote.fail(with: nil)
    try await store.enableNetwork()
    try await eventually { try await !note.getDocument().metadata.isFromCache }
    try await occupying(store) { () async throws in #expect(!store.engine.prefersCache) }
    await store.terminate()
  }

  /// Whatever the engine does, unless a read wasn't answered.
  @Test("of the default source asks a remote that isn't known to be out of reach") func atFirst()
    async throws
  {
    let store = makeStore(directory, remote: FakeStoreRemote())
    try await occupying(store) { () async throws in #expect(!store.engine.prefersCache) }
    try await store.disableNetwork()
    try await occupying(store) { () async throws in #expect(store.engine.prefersCache) }
    try await store.enableNetwork()
    try await occupying(store) { () async throws in #expect(!store.engine.prefersCache) }
    await store.terminate()
  }

  @Test("doesn't wait for other reads") func together() async throws {
    let store = try await filled(makeStore(directory))
    try await occupying(store) { () async throws in
      // Each ends when all of them have begun.
      let (arrived, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      DispatchQueue.global().async {
        for _ in 0..<4 { arrived.wait() }
        for _ in 0..<4 { released.signal() }
      }
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<4 {
          group.addTask {
            try await store.engine.read { documents in
              arrived.signal()
              released.wait()
              return try documents.document(ResourcePath(document: "notes/3")) == nil ? 0 : 1
            }
          }
        }
        for try await count in group { #expect(count == 1) }
      }
    }
  }

  @Test("sees every write that has returned, while other writes run", arguments: [false, true])
  func ownWrites(hasRemote: Bool) async throws {
    let store = makeStore(directory, remote: hasRemote ? FakeStoreRemote() : nil)
    if hasRemote { try await store.disableNetwork() }
    let notes = store.collection("notes")
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for round in 0..<15 {
          let batch = store.batch()
          for number in 0..<100 {
            try batch.setData(["round": Value(round)], forDocument: notes.document("batch-\(number)"))
          }
          try await batch.commit()
          let written = try await notes.whereField("round", isEqualTo: round).getDocuments(source: .cache)
          #expect(written.count == 100)
        }
      }
      for writer in 0..<6 {
        group.addTask {
          let note = notes.document("own-\(writer)")
          for round in 0..<40 {
            try await note.setData(["n": Value(round)])
            #expect(try await note.getDocument(source: .cache).fields?["n"] == Value(round))
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("of a user who has just signed in doesn't show the writes of another one") func users() async throws {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let store = makeStore(directory, remote: FakeStoreRemote(), auth: auth)
    try await store.disableNetwork()
    let note = store.document("notes/a")
    try await note.setData(["by": "ann"])
    let path = try ResourcePath(document: "notes/a")
    /// Returns whether a reader has found the document; `nil` if it didn't read.
    func find() async throws -> Bool? {
      guard
        case .result(let isFound, _) = try await store.engine.readers.read({ try $0.document(path) != nil })
      else { return nil }
      return isFound
    }
    try await occupying(store) { () async throws in
      #expect(try await find() == true)
      auth.signIn(userID: "bob")
      #expect(try await find() == nil)
    }
    await #expect(throws: StoreError.self) { try await note.getDocument(source: .cache) }
    #expect(try await find() == false)
    auth.signIn(userID: "ann")
    #expect(try await note.getDocument(source: .cache).fields?["by"] == "ann")
    // Another process that uses the file shows the writes of another user.
    let other = try openDatabase(directory.file)
    try other.run("UPDATE globals SET value = 'bob' WHERE name = 'user'")
    #expect(try await find() == nil)
  }

  @Test("ends before the database is closed, and leaves no connection") func closing() async throws {
    let store = try await filled(makeStore(directory))
    try await occupying(store) { () async throws in
      #expect(try await store.document("notes/1").getDocument().exists)
    }
    let hasEnded = Lock(false)
    let begun = DispatchSemaphore(value: 0)
    let reading = Task {
      try await store.engine.readers.read { _ in
        begun.signal()
        for _ in 0..<1_000 { sched_yield() }
        hasEnded.withLock { $0 = true }
      }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        begun.wait()
        continuation.resume()
      }
    }
    await store.terminate()
    #expect(hasEnded.withLock { $0 })
    _ = try await reading.value
    try Connection.withoutConnections(to: directory.file, disk: nil) {}
    guard case .notRead = try await store.engine.readers.read({ _ in }) else {
      Issue.record("A closed database was read.")
      return
    }
    let error = await #expect(throws: StoreError.self) { try await store.document("notes/1").getDocument() }
    #expect(error?.code == .closed)
  }

  @Test("sees the new content after a restoration") func restoration() async throws {
    let store = try await filled(makeStore(directory))
    let backup = URL(filePath: "\(directory.path)/backup.sqlite")
    try await store.backup(to: .file(backup))
    try await store.document("notes/1").setData(["n": "later"])
    try await occupying(store) { () async throws in
      #expect(try await store.document("notes/1").getDocument().fields?["n"] == "later")
    }
    try await store.restore(from: .file(backup))
    try await occupying(store) { () async throws in
      #expect(try await store.document("notes/1").getDocument().fields?["n"] == 1)
    }
  }

  @Test("that is cancelled ends with CancellationError") func cancelling() async throws {
    let store = try await filled(makeStore(directory))
    try await occupying(store) { () async throws in
      let begun = DispatchSemaphore(value: 0)
      let reading = Task {
        try await store.engine.read { documents in
          begun.signal()
          while true { try documents.checkCancellation() }
        }
      }
      DispatchQueue.global().async {
        begun.wait()
        reading.cancel()
      }
      await #expect(throws: CancellationError.self) { try await reading.value }
    }
  }

  @Test("of a database in memory has no separate connection") func memory() async throws {
    let store = try await filled(makeStore())
    guard case .notRead = try await store.engine.readers.read({ _ in }) else {
      Issue.record("A database in memory was read by another connection.")
      return
    }
    #expect(try await store.document("notes/1").getDocument().fields?["n"] == 1)
  }

  @Test("can't write") func readsOnly() async throws {
    let store = try await filled(makeStore(directory))
    let outcome = try await store.engine.readers.read { documents in
      #expect(throws: SQLiteError.self) { try documents.database.first("DELETE FROM documents") { _ in } }
    }
    guard case .result = outcome else {
      Issue.record("It wasn't read.")
      return
    }
    #expect(try await store.document("notes/1").getDocument().exists)
  }

  @Test("that lacks an index registers it") func indexes() async throws {
    let store = makeStore(directory, buildsIndexes: false)
    let batch = store.batch()
    for number in 0..<150 {
      try batch.setData(["n": Value(number)], forDocument: store.document("notes/\(number)"))
    }
    try await batch.commit()
    let query = store.collection("notes").whereField("n", isEqualTo: 7)
    try await occupying(store) { () async throws in
      #expect(try await query.getDocuments().count == 1)
    }
    try await eventually { try await !store.engine.fieldIndexProgress().isEmpty }
    #expect(try await store.engine.fieldIndexProgress().map(\.index.name) == ["notes(n ascending)"])
  }
}
