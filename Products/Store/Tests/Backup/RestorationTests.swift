import Foundation
import SQLiteFaults
import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Restorations from files: what is refused, what listeners and other connections see, and which writes are
/// sent.
@Suite(.limited) final class RestorationTests: Sendable {
  /// The directories of the test, which are removed at its end.
  private let directories = Lock<[TestDirectory]>([])

  /// Returns a new directory.
  private func fresh() throws -> TestDirectory {
    let directory = try TestDirectory()
    directories.withLock { $0.append(directory) }
    return directory
  }

  private func location(_ directory: TestDirectory, _ name: String = "backup") -> BackupLocation {
    .file(URL(filePath: "\(directory.path)/\(name)"))
  }

  /// Makes a backup with documents on many pages.
  private func makeBackup(_ directory: TestDirectory) async throws {
    let store = makeStore(try fresh())
    let batch = store.batch()
    for number in 0..<200 {
      try batch.setData(
        ["n": number, "padding": Data(count: 3_000)], forDocument: store.document("old/\(number)"))
    }
    try await batch.commit()
    try await store.backup(to: location(directory))
    await store.engine.close()
  }

  /// Returns the IDs of the documents of a collection.
  private func ids(_ store: Store, _ collection: String) async throws -> [String] {
    try await store.collection(collection).getDocuments(source: .cache).ids
  }

  /// A file that isn't an intact backup of a supported version.
  enum Unusable: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case missing, directory, link, empty, text, otherDatabase, negativeVersion, newerVersion, versionZero
    case withoutTable, cutHeader, cut, cutByOnePage, changedByte, changedHeader, inUse

    var testDescription: String { rawValue }

    var code: StoreError.Code {
      switch self {
      case .missing: .notFound
      case .directory, .link, .empty, .text, .otherDatabase, .versionZero, .inUse: .invalidArgument
      case .newerVersion: .failedPrecondition
      default: .dataLoss
      }
    }

    /// Makes the file from an intact backup.
    func make(_ file: URL, from backup: URL) throws {
      func change(_ body: (inout Data) -> Void) throws {
        var content = try Data(contentsOf: backup)
        body(&content)
        try content.write(to: file)
      }
      func execute(_ sql: String) throws {
        try FileManager.default.copyItem(at: backup, to: file)
        let connection = try openDatabase(file.path)
        try connection.execute(sql)
        try connection.execute("PRAGMA journal_mode = DELETE")
      }
      switch self {
      case .missing: break
      case .directory: try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
      case .link: try FileManager.default.createSymbolicLink(at: file, withDestinationURL: backup)
      case .empty: try Data().write(to: file)
      case .text: try Data("not a database, but a text of some length".utf8).write(to: file)
      case .otherDatabase:
        #expect(faulty_disk_execute_plainly(file.path, "CREATE TABLE t (a); PRAGMA user_version = 3") == 0)
      case .negativeVersion: try execute("PRAGMA user_version = -1")
      case .newerVersion: try execute("PRAGMA user_version = 1000")
      case .versionZero: try execute("PRAGMA user_version = 0")
      case .withoutTable: try execute("DROP TABLE bases")
      case .cutHeader: try change { $0 = $0.prefix(50) }
      case .cut: try change { $0 = $0.prefix($0.count / 2 + 100) }
      case .cutByOnePage: try change { $0 = $0.dropLast(4_096) }
      case .changedByte: try change { $0[$0.count / 2] ^= 0x10 }
      case .changedHeader: try change { $0[30] ^= 0x10 }
      case .inUse:
        try FileManager.default.copyItem(at: backup, to: file)
        try Data(count: 10).write(to: URL(filePath: file.path + "-wal"))
      }
    }
  }

  @Test(arguments: Unusable.allCases)
  func anUnusableFileIsRefusedAndNothingChanges(kind: Unusable) async throws {
    let (directory, other) = (try TestDirectory(), try TestDirectory())
    try await makeBackup(other)
    let file = URL(filePath: "\(other.path)/unusable")
    try kind.make(file, from: URL(filePath: "\(other.path)/backup"))
    let before = try? Data(contentsOf: file)
    let store = makeStore(directory)
    try await store.document("new/a").setData(["n": 1])
    let error = await #expect(throws: StoreError.self) { try await store.restore(from: .file(file)) }
    #expect(error?.code == kind.code, "\(String(describing: error))")
    #expect(error?.message.contains(file.path) == true, "\(String(describing: error))")
    #expect(error?.message.contains(".partial") == false, "\(String(describing: error))")
    #expect(try await ids(store, "new") == ["a"])
    #expect(try await ids(store, "old").isEmpty)
    #expect((try? Data(contentsOf: file)) == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(names.allSatisfy { $0.hasPrefix("default.sqlite") }, "\(names)")
    await store.engine.close()
  }

  @Test func aBackupOfTheFirstVersionIsRestored() async throws {
    let (directory, other) = (try TestDirectory(), try TestDirectory())
    #expect(faulty_disk_execute_plainly("\(other.path)/backup", SchemaVersion1.sql) == 0)
    let store = makeStore(directory)
    let summary = try await store.restore(from: location(other))
    #expect(summary.schemaVersion == LocalSchema.migrations.count && summary.documents > 10)
    #expect(try await store.document("values/boolean").getDocument().fields?["value"] == true)
    await store.engine.close()
    #expect(try openDatabase(directory.file).hasChecksums)
  }

  @Test func listenersContinueWithTheDifference() async throws {
    let (directory, other) = (try TestDirectory(), try TestDirectory())
    let store = makeStore(directory)
    for id in ["changed", "removed", "same"] { try await store.document("c/\(id)").setData(["n": 1]) }
    try await store.backup(to: location(other))
    try await store.document("c/removed").delete()
    try await store.document("c/changed").updateData(["n": 2])
    try await store.document("c/later").setData(["n": 3])
    let query = Snapshots(store.collection("c").snapshots)
    let document = Snapshots(store.document("c/changed").snapshots)
    let gone = Snapshots(store.document("c/removed").snapshots)
    let empty = Snapshots(
      store.collection("c").whereField("n", isEqualTo: 1).whereField("m", isEqualTo: 1).snapshots)
    #expect(try await query.next()?.ids == ["changed", "later", "same"])
    #expect(try await document.next()?.fields?["n"] == 2)
    #expect(try await gone.next()?.exists == false)
    #expect(try await empty.next()?.isEmpty == true)
    var rounds = store.snapshotsInSync.makeAsyncIterator()
    await rounds.next()

    try await store.restore(from: location(other))
    let snapshot = try #require(try await query.next())
    #expect(snapshot.ids == ["changed", "removed", "same"])
    #expect(snapshot.story == "removed later, added removed, modified changed")
    #expect(try await document.next()?.fields?["n"] == 1)
    #expect(try await gone.next()?.exists == true)
    await rounds.next()

    // They go on with later writes, also of other connections to the file.
    try await store.document("c/new").setData(["n": 1, "m": 1])
    #expect(try await query.next()?.story == "added new")
    #expect(try await empty.next()?.ids == ["new"])
    await rounds.next()
    let second = makeStore(directory)
    try await second.document("c/other").setData(["n": 5])
    #expect(try await query.next()?.story == "added other")
    for store in [store, second] { await store.engine.close() }
  }

  @Test func listenersContinueAfterARestorationThatWasRefused() async throws {
    let (directory, other) = (try TestDirectory(), try TestDirectory())
    try await makeBackup(other)
    let (store, second) = (makeStore(directory), makeStore(directory))
    try await store.document("c/a").setData(["n": 1])
    #expect(try await ids(second, "c") == ["a"])
    let query = Snapshots(store.collection("c").snapshots)
    #expect(try await query.next()?.ids == ["a"])
    let error = await #expect(throws: StoreError.self) { try await store.restore(from: location(other)) }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("another process has it open") == true)
    try await second.document("c/b").setData(["n": 2])
    #expect(try await query.next()?.ids == ["a", "b"])
    #expect(try await ids(store, "old").isEmpty)
    await second.engine.close()
    // It is possible once the other one is closed.
    try await store.restore(from: location(other))
    #expect(try await query.next()?.isEmpty == true)
    #expect(try await ids(store, "old").count == 200)
    await store.engine.close()
  }

  @Test func aCancelledRestorationChangesNothing() async throws {
    let (directory, other) = (try TestDirectory(), try TestDirectory())
    try await makeBackup(other)
    let store = makeStore(directory)
    try await store.document("new/a").setData(["n": 1])
    let isReady = DispatchSemaphore(value: 0)
    let running = Lock<Task<BackupSummary, any Error>?>(nil)
    let task = Task {
      try await store.restore(from: location(other)) { progress in
        // In the step that replaces the content.
        guard progress.fractionCompleted > 0.6 else { return }
        isReady.wait()
        isReady.signal()
        running.withLock { $0?.cancel() }
      }
    }
    running.withLock { $0 = task }
    isReady.signal()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await ids(store, "new") == ["a"])
    #expect(try await ids(store, "old").isEmpty)
    await store.engine.close()
  }

  @Test func aBackupOfARemotesDatabaseIsNotRestoredIntoALocalOnlyOne() async throws {
    let other = try TestDirectory()
    let shared = makeStore(try fresh(), remote: FakeStoreRemote())
    try await shared.document("c/d").setData(["n": 1]).confirmed()
    try await shared.backup(to: location(other))
    let store = makeStore(try fresh())
    try await store.document("c/e").setData(["n": 1])
    let error = await #expect(throws: StoreError.self) { try await store.restore(from: location(other)) }
    #expect(error?.code == .failedPrecondition && error?.message.contains("local-only") == true)
    #expect(try await ids(store, "c") == ["e"])
    for store in [store, shared] { await store.terminate() }
  }

  // MARK: - Pending writes

  private static func count(_ remote: RemoteWithoutIDs) async throws -> Value? {
    let path = try ResourcePath(document: "c/counter")
    return try await remote.fetch([path], in: RemoteContext()).first?.fields?["n"]
  }

  /// The remote can't recognize writes that it has committed before.
  @Test func writesThatWereAnsweredSinceTheBackupAreNotSentAgain() async throws {
    let other = try TestDirectory()
    let remote = RemoteWithoutIDs()
    let store = makeStore(try fresh(), remote: remote)
    try await store.disableNetwork()
    for _ in 0..<3 { try await store.document("c/counter").setData(["n": .increment(1)], merge: true) }
    #expect(try await store.backup(to: location(other)).pendingWrites == 3)
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    for _ in 0..<2 {
      try await store.disableNetwork()
      #expect(try await store.restore(from: location(other)).pendingWrites == 3)
      #expect(try await store.queuedWrites.isEmpty)
      // Nor does the document show them: the backup had nothing of the remote.
      #expect(try await ids(store, "c").isEmpty)
      try await store.enableNetwork()
      try await store.document("c/counter").setData(["n": .increment(10)], merge: true).confirmed()
    }
    #expect(try await Self.count(remote) == 23)
    await store.terminate()
  }

  @Test func pendingWritesThatWereNeverAnsweredAreSentAfterARestoration() async throws {
    let other = try TestDirectory()
    let remote = RemoteWithoutIDs()
    let store = makeStore(try fresh(), remote: remote)
    try await store.document("c/counter").setData(["n": 0]).confirmed()
    try await store.disableNetwork()
    try await store.document("c/counter").updateData(["n": .increment(1)])
    try await store.backup(to: location(other))
    let confirmation = try await store.document("c/counter").updateData(["n": .increment(100)])
    try await store.restore(from: location(other))
    let error = await #expect(throws: StoreError.self) { try await confirmation.confirmed() }
    #expect(error?.code == .cancelled)
    #expect(try await store.queuedWrites.count == 1)
    #expect(try await store.document("c/counter").getDocument(source: .cache).fields?["n"] == 1)
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    #expect(try await Self.count(remote) == 1)
    await store.terminate()
  }

  /// The first restoration discards the write, so that the second one can't conclude that it was answered.
  @Test func aWriteThatAnEarlierRestorationDiscardedIsNotLost() async throws {
    let other = try TestDirectory()
    let remote = RemoteWithoutIDs()
    let store = makeStore(try fresh(), remote: remote)
    try await store.document("c/counter").setData(["n": 0]).confirmed()
    try await store.backup(to: location(other, "before"))
    try await store.disableNetwork()
    try await store.document("c/counter").updateData(["n": .increment(1)])
    try await store.backup(to: location(other, "with"))
    try await store.restore(from: location(other, "before"))
    #expect(try await store.queuedWrites.isEmpty)
    try await store.restore(from: location(other, "with"))
    #expect(try await store.queuedWrites.count == 1)
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    #expect(try await Self.count(remote) == 1)
    await store.terminate()
  }

  /// The second backup is newer than the first one, which has replaced the database in between.
  @Test(arguments: [false, true])
  func aWriteThatWasAnsweredBeforeAnEarlierRestorationIsNotSentAgain(hasEarlierWrite: Bool) async throws {
    let other = try TestDirectory()
    let remote = RemoteWithoutIDs()
    let store = makeStore(try fresh(), remote: remote)
    try await store.disableNetwork()
    func increment() async throws {
      try await store.document("c/counter").setData(["n": .increment(1)], merge: true)
    }
    if hasEarlierWrite { try await increment() }
    try await store.backup(to: location(other, "one"))
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    try await store.disableNetwork()
    try await increment()
    try await store.backup(to: location(other, "two"))
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    try await store.disableNetwork()
    for name in ["one", "two"] {
      try await store.restore(from: location(other, name))
      #expect(try await store.queuedWrites.isEmpty, "\(name)")
    }
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    #expect(try await Self.count(remote) == (hasEarlierWrite ? 2 : 1))
    await store.terminate()
  }

  /// Both databases assign the same IDs to batches.
  @Test func aWriteOfAnotherDatabaseIsNotTakenForAnAnsweredOne() async throws {
    let other = try TestDirectory()
    let remote = RemoteWithoutIDs()
    let first = makeStore(try fresh(), remote: remote)
    try await first.disableNetwork()
    try await first.backup(to: location(other, "before"))
    try await first.document("c/counter").setData(["n": .increment(1)], merge: true)
    try await first.backup(to: location(other, "with"))
    let second = makeStore(try fresh(), remote: remote)
    try await second.restore(from: location(other, "before"))
    try await second.document("c/other").setData(["n": 1]).confirmed()
    try await second.disableNetwork()
    try await second.restore(from: location(other, "with"))
    #expect(try await second.queuedWrites.count == 1)
    try await second.enableNetwork()
    try await second.waitForPendingWrites()
    #expect(try await Self.count(remote) == 1)
    for store in [first, second] { await store.terminate() }
  }

  /// The remote accepts only the newest token.
  @Test func tokensOfWriteStreamsAreNotRestored() async throws {
    let (directory, other) = (try TestDirectory(), try TestDirectory())
    let store = makeStore(directory, remote: FakeStoreRemote())
    try await store.document("c/d").setData(["n": 1]).confirmed()
    try await store.backup(to: location(other))
    func tokens(_ path: String) throws -> Int64? {
      try openDatabase(path).first("SELECT count(*) FROM globals WHERE name LIKE 'token:%'") {
        $0.integer(0)
      }
    }
    let copy = "\(other.path)/copy"
    try FileManager.default.copyItem(atPath: "\(other.path)/backup", toPath: copy)
    #expect(try tokens(copy) == 1)
    try await store.disableNetwork()
    try await store.restore(from: location(other))
    #expect(try tokens(directory.file) == 0)
    await store.terminate()
  }

  @Test func aNewDatabaseSendsAllPendingWritesOfABackupWithTheirIDs() async throws {
    let other = try TestDirectory()
    let remote = FakeStoreRemote()
    let store = makeStore(try fresh(), remote: remote)
    try await store.disableNetwork()
    for _ in 0..<3 { try await store.document("c/counter").setData(["n": .increment(1)], merge: true) }
    try await store.backup(to: location(other))
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    let second = makeStore(try fresh(), remote: remote)
    try await second.restore(from: location(other))
    try await second.waitForPendingWrites()
    // This remote recognizes them.
    #expect(try await second.document("c/counter").getDocument(source: .server).fields?["n"] == 3)
    for store in [store, second] { await store.terminate() }
  }

  @Test(arguments: [false, true])
  func p2RejectionsOfABackupAreDelivered(inMemory: Bool) async throws {
    let other = try TestDirectory()
    let refusal = StoreRemoteError(.permissionDenied, "You may not write it.")
    /// Writes a document, which the remote refuses.
    func write(_ path: String, _ store: Store, _ remote: FakeStoreRemote) async throws {
      remote.decideNextBatches(.refused(refusal))
      let write = try await store.document(path).setData(["n": 1])
      await #expect(throws: StoreError.self) { try await write.confirmed() }
    }
    let remote = FakeStoreRemote()
    let store = makeStore(try fresh(), remote: remote)
    try await write("c/old", store, remote)
    try await store.backup(to: location(other))
    let second = inMemory ? makeStore(remote: remote) : makeStore(try fresh(), remote: remote)
    var rejections = second.writeRejections.makeAsyncIterator()
    try await write("c/own", second, remote)
    // The stream has begun.
    #expect(try await rejections.next()?.writes.map(\.document.text) == ["c/own"])
    try await second.restore(from: location(other))
    #expect(try await rejections.next()?.writes.map(\.document.text) == ["c/old"])
    for store in [store, second] { await store.terminate() }
  }

  // MARK: - Faults

  struct Fault: Sendable, CustomTestStringConvertible {
    let operations: FaultyDisk.Operations
    let failure: FaultyDisk.Failure
    var times = 1
    var testDescription: String { "\(operations) \(failure), \(times) times" }
  }

  private static let faults = [
    Fault(operations: .write, failure: .isFull, times: 1_000_000),
    Fault(operations: .write, failure: .writesShort),
    Fault(operations: .write, failure: .breaks), Fault(operations: .sync, failure: .breaks),
    Fault(operations: .read, failure: .breaks), Fault(operations: .all, failure: .breaks, times: 3),
  ]

  /// A restoration either fails and leaves the previous content, or succeeds, wherever the disk fails.
  @Test(arguments: DeepTests.few(2, of: faults))
  func aRestorationIsAtomicUnderFaults(fault: Fault) async throws {
    let other = try TestDirectory()
    try await makeBackup(other)
    var point = 0
    var refused = 0
    while true {
      let (directory, disk) = (try TestDirectory(), FaultyDisk())
      let store = makeStore(directory, disk: disk)
      try await store.document("new/a").setData(["n": 1])
      disk.fail(fault.operations, fault.failure, after: point, times: fault.times)
      var isRestored = false
      do {
        try await store.restore(from: location(other))
        isRestored = true
      } catch let error as StoreError {
        refused += 1
        #expect([.resourceExhausted, .unavailable].contains(error.code), "point \(point): \(error)")
        #expect(error.code != .resourceExhausted || error.message.contains("the disk is full"))
      }
      let hasFailed = disk.failures > 0
      disk.heal()
      // In this process, and in the next one.
      for store in [store, makeStore(directory)] {
        let content = (try await ids(store, "new").count, try await ids(store, "old").count)
        #expect(content == (isRestored ? (0, 200) : (1, 0)), "point \(point)")
        await store.engine.close()
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      #expect(names.allSatisfy { $0.hasPrefix("default.sqlite") }, "\(names)")
      guard hasFailed else { break }
      point += 1 + point / 3
    }
    #expect(refused > 0)
  }

  /// The files as a process leaves them that is killed during the restoration.
  @Test func aProcessKilledDuringARestorationLeavesTheFormerContent() async throws {
    let (directory, other) = (try TestDirectory(), try TestDirectory())
    try await makeBackup(other)
    let store = makeStore(directory)
    try await store.document("new/a").setData(["n": 1])
    let images = Lock<[TestDirectory]>([])
    try await store.restore(from: location(other)) { progress in
      guard progress.fractionCompleted > 0.5, progress.fractionCompleted < 1, let image = try? TestDirectory()
      else { return }
      for ending in ["", "-wal", "-walmark"] {
        try? FileManager.default.copyItem(atPath: directory.file + ending, toPath: image.file + ending)
      }
      images.withLock { $0.append(image) }
    }
    #expect(images.withLock { $0.count } > 0)
    for image in images.withLock({ $0 }) {
      let reopened = makeStore(image)
      #expect(try await ids(reopened, "new") == ["a"])
      #expect(try await ids(reopened, "old").isEmpty)
      await reopened.engine.close()
    }
    #expect(try await ids(store, "old").count == 200)
    await store.engine.close()
  }
}
