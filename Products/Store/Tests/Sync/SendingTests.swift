import TenonCore
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The lease of the queue: only one of the databases on a file sends its writes.
@Suite(.limited) struct SendingTests {
  private static func count(_ remote: RemoteWithoutIDs) async throws -> Value? {
    let path = try ResourcePath(document: "c/counter")
    return try await remote.fetch([path], in: RemoteContext()).first?.fields?["n"]
  }

  @Test func eachWriteIsAppliedOnceWithSeveralWritersOfOneFile() async throws {
    let (remote, directory) = (RemoteWithoutIDs(), try TestDirectory())
    let stores = (0..<3).map { _ in makeStore(directory, remote: remote) }
    try await withThrowingTaskGroup(of: [WriteConfirmation].self) { group in
      for store in stores {
        group.addTask {
          let counter = store.document("c/counter")
          var writes: [WriteConfirmation] = []
          for _ in 0..<20 { writes.append(try await counter.setData(["n": .increment(1)], merge: true)) }
          return writes
        }
      }
      // Every waiting caller resumes, also in the database that didn't send.
      for try await writes in group { for write in writes { try await write.confirmed() } }
    }
    #expect(remote.fake.batches.count == 60)
    #expect(try await Self.count(remote) == 60)
    for store in stores { await store.terminate() }
  }

  /// A database is converted to a shared one only once, with its existing documents.
  @Test func writesMadeWhileAnotherStoreOpensTheNewFileAreQueuedOnce() throws {
    let directory = try TestDirectory()
    let file = StoreFile(path: directory.file, key: TestEncryption.key)
    let path = try ResourcePath(document: "c/counter")
    let increment = DocumentWrite(
      path, .update(Fields(), mask: []), transforms: [FieldTransform("n", .increment(1))])
    let connection = try file.open()
    let collection = StoreSettings.GarbageCollection.leastRecentlyUsed(threshold: nil)
    let local = try LocalDatabase(connection, hasRemote: true, collection: collection)
    // The first database has determined that the file is new.
    let opening = try local.opening()
    let other = try LocalDatabase(file.open(), sharing: .remote, now: .zero)
    _ = try other.enqueue(at: .zero, making: { BatchContent([increment]) }, checking: { _, _ in })
    try opening.open(as: .remote, user: nil, isUserKnown: true, at: .zero)
    let batches = try connection.rows("SELECT id FROM batches") { $0.integer(0) }
    #expect(batches.count == 1)
  }

  @Test func aWriteRemovedFromTheQueueElsewhereIsNotConfirmed() async throws {
    let (remote, directory) = (RemoteWithoutIDs(), try TestDirectory())
    let (one, other) = (makeStore(directory, remote: remote), makeStore(directory, remote: remote))
    for store in [one, other] { try await store.disableNetwork() }
    let write = try await one.document("c/d").setData(["n": 1])
    #expect(try await other.cancelQueuedWrite(other.queuedWrites[0].id))
    await #expect(throws: CancellationError.self) { try await write.confirmed() }
    #expect(try await other.rejectedWrites.isEmpty, "a cancellation isn't a refusal")
    for store in [one, other] { await store.terminate() }
  }

  @Test func aWriteThatAnotherStoreMayHaveSentCannotBeCancelled() async throws {
    let (remote, directory) = (RemoteWithoutIDs(), try TestDirectory())
    let (one, other) = (makeStore(directory, remote: remote), makeStore(directory, remote: remote))
    try await one.document("c/a").setData(["n": 0]).confirmed()
    remote.fake.delayResponses()
    let write = try await one.document("c/d").setData(["n": 1])
    let queued = try #require(try await other.queuedWrites.first)
    #expect(queued.isSent)
    #expect(try await !other.cancelQueuedWrite(queued.id))
    remote.fake.deliverDelayedResponses()
    try await write.confirmed()
    for store in [one, other] { await store.terminate() }
  }

  @Test func writesOfAClosedStoreAreSentByAnotherOne() async throws {
    let (remote, directory) = (RemoteWithoutIDs(), try TestDirectory())
    let (one, other) = (makeStore(directory, remote: remote), makeStore(directory, remote: remote))
    try await other.document("c/other").setData(["n": 1]).confirmed()
    try await one.disableNetwork()
    try await one.document("c/counter").setData(["n": .increment(1)], merge: true)
    await one.terminate()
    try await eventually { try await Self.count(remote) == 1 }
    #expect(remote.fake.batches.count == 2)
    await other.terminate()
  }

  @Test func theLeaseIsReturnedWhenTheQueueIsEmpty() async throws {
    let (remote, directory) = (RemoteWithoutIDs(), try TestDirectory())
    let store = makeStore(directory, remote: remote)
    try await store.document("c/d").setData(["n": 1]).confirmed()
    let lease = QueueLease(database: directory.file, logger: AppLogger(source: "tests"))
    try await eventually { lease.acquire() }
    lease.release()
    await store.terminate()
  }
}
