import Foundation
import TenonCore
import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonStorageInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Backups to files and to Storage.
@Suite(.limited) final class BackupTests: Sendable {
  /// The directories of the test, which are removed at its end.
  private let directories = Lock<[TestDirectory]>([])

  /// Returns a new directory.
  private func fresh() throws -> TestDirectory {
    let directory = try TestDirectory()
    directories.withLock { $0.append(directory) }
    return directory
  }

  /// The names of the files in a directory.
  private func names(_ directory: TestDirectory) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }

  /// Writes documents of about 4 KiB.
  private func fill(_ store: Store, _ count: Int = 300) async throws {
    for start in stride(from: 0, to: count, by: 100) {
      let batch = store.batch()
      for number in start..<min(start + 100, count) {
        let padding = Data((0..<4_000).map { _ in UInt8.random(in: 0...255) })
        try batch.setData(["n": number, "padding": padding], forDocument: store.document("c/\(number)"))
      }
      try await batch.commit()
    }
  }

  @Test func aBackupHasDocumentsIndexesAndPendingWritesOfAllUsers() async throws {
    let (directory, other) = (try TestDirectory(), try TestDirectory())
    let index = CompositeIndex("c", .ascending("a"), .descending("n"))
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let store = makeStore(
      directory, remote: FakeStoreRemote(), auth: auth, settings: StoreSettings(indexes: [index]))
    try await store.disableNetwork()
    for number in 0..<10 { try await store.document("c/\(number)").setData(["a": 1, "n": number]) }
    auth.signIn(userID: "bob")
    try await store.document("c/bob").setData(["a": 1, "n": 100])
    let location = BackupLocation.file(URL(filePath: "\(other.path)/backup.sqlite"))
    let summary = try await store.backup(to: location)
    #expect(summary.pendingWrites == 11 && summary.documents == 1)
    #expect(summary.schemaVersion == LocalSchema.migrations.count)
    #expect(try names(other) == ["backup.sqlite"])
    let size =
      try FileManager.default.attributesOfItem(atPath: "\(other.path)/backup.sqlite")[.size] as? Int64
    #expect(summary.size == size)

    let third = try TestDirectory()
    let remote = FakeStoreRemote()
    let restored = makeStore(third, remote: remote, auth: auth)
    try await restored.disableNetwork()
    #expect(try await restored.restore(from: location) == summary)
    #expect(try await restored.collection("c").getDocuments(source: .cache).ids == ["bob"])
    auth.signIn(userID: "ann")
    #expect(try await restored.collection("c").getDocuments(source: .cache).count == 10)
    #expect(try await restored.queuedWrites.count == 10)
    try await restored.enableNetwork()
    try await restored.waitForPendingWrites()
    #expect(remote.batches.count == 10)
    let indexes = try openDatabase(third.file).first("SELECT count(*) FROM indexes") { $0.integer(0) }
    #expect(indexes == 1)
    #expect(try names(third).filter { $0.hasSuffix(".partial") }.isEmpty)
    for store in [store, restored] { await store.terminate() }
  }

  /// The writer commits in the middle of the backup, which doesn't continue before it has.
  @Test func aWriteDuringABackupNeitherWaitsNorIsPartOfIt() async throws {
    let (directory, other) = (try TestDirectory(), try TestDirectory())
    let store = makeStore(directory)
    try await fill(store)
    let (isCopying, hasWritten) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isFirst = Lock(true)
    let location = BackupLocation.file(URL(filePath: "\(other.path)/b"))
    async let backup = store.backup(to: location) { _ in
      // On the queue of the backup, which may block.
      guard
        isFirst.withLock({ first in
          defer { first = false }; return first
        })
      else { return }
      isCopying.signal()
      _ = hasWritten.wait(timeout: .now() + 60)
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        _ = isCopying.wait(timeout: .now() + 60)
        continuation.resume()
      }
    }
    try await store.document("c/0").setData(["n": -1])
    try await store.document("c/late").setData(["n": -1])
    hasWritten.signal()
    #expect(try await backup.documents == 300)
    let restored = makeStore(try fresh())
    try await restored.restore(from: location)
    #expect(try await restored.document("c/0").getDocument().fields?["n"] == 0)
    #expect(try await !restored.document("c/late").getDocument().exists)
    for store in [store, restored] { await store.engine.close() }
  }

  @Test func everyBackupOfADatabaseThatIsWrittenConstantlyIsConsistent() async throws {
    let (directory, other) = (try TestDirectory(), try TestDirectory())
    let store = makeStore(directory)
    try await fill(store, 200)
    try await store.document("c/last").setData(["sum": 0])
    let writer = Task {
      var round: Int64 = 0
      // Each transaction changes documents on many pages.
      while !Task.isCancelled {
        round += 1
        let batch = store.batch()
        for number in stride(from: 0, to: 200, by: 10) {
          try batch.updateData(["n": round], forDocument: store.document("c/\(number)"))
        }
        try batch.updateData(["sum": round * 20], forDocument: store.document("c/last"))
        try await batch.commit()
      }
    }
    for number in 0..<4 {
      let location = BackupLocation.file(URL(filePath: "\(other.path)/\(number)"))
      try await store.backup(to: location)
      let restored = makeStore(try fresh())
      try await restored.restore(from: location)
      let documents = try await restored.collection("c").getDocuments().documents
      let sum = documents.reduce(Int64(0)) { sum, document in
        (Int(document.documentID).map { $0 % 10 == 0 } ?? false)
          ? sum + (document.fields["n"]?.int64Value ?? 0) : sum
      }
      let expected = documents.first { $0.documentID == "last" }?.fields["sum"]?.int64Value
      // Before the first transaction, the documents have their initial values.
      #expect(sum == expected || (expected == 0 && sum == 1_900))
      await restored.engine.close()
    }
    writer.cancel()
    _ = await writer.result
    await store.engine.close()
  }

  @Test(arguments: [false, true])
  func progressOnlyGrowsAndEndsAtTheTotal(inStorage: Bool) async throws {
    let other = try TestDirectory()
    let store = makeStore(try fresh(), storage: FakeStorage())
    try await fill(store)
    let location =
      inStorage
      ? BackupLocation.storage(path: "b/c.sqlite") : .file(URL(filePath: "\(other.path)/b"))
    for operation in [
      { report in try await store.backup(to: location, onProgress: report) },
      { report in try await store.restore(from: location, onProgress: report) },
    ] as [(@escaping @Sendable (OperationProgress) -> Void) async throws -> BackupSummary] {
      let reports = Lock<[OperationProgress]>([])
      _ = try await operation { report in reports.withLock { $0.append(report) } }
      let all = reports.withLock { $0 }
      let numbers = all.map(\.completedUnitCount)
      #expect(numbers.count > 4 && numbers == Set(numbers).sorted(), "\(numbers)")
      #expect(Set(all.map(\.totalUnitCount)).count == 1)
      #expect(all.last?.completedUnitCount == all.last?.totalUnitCount)
      #expect(all.last?.fractionCompleted == 1)
    }
    await store.engine.close()
  }

  @Test func aCancelledBackupLeavesTheFormerFileAndNothingElse() async throws {
    let other = try TestDirectory()
    let store = makeStore(try fresh())
    try await fill(store)
    let target = URL(filePath: "\(other.path)/b")
    try Data("former".utf8).write(to: target)
    let isReady = DispatchSemaphore(value: 0)
    let running = Lock<Task<BackupSummary, any Error>?>(nil)
    let reports = Lock(0)
    let task = Task {
      try await store.backup(to: .file(target)) { _ in
        reports.withLock { $0 += 1 }
        isReady.wait()
        isReady.signal()
        running.withLock { $0?.cancel() }
      }
    }
    running.withLock { $0 = task }
    isReady.signal()
    await #expect(throws: CancellationError.self) { try await task.value }
    // The copy ends with the step in which it was cancelled.
    #expect(reports.withLock { $0 } == 1)
    #expect(try names(other) == ["b"])
    #expect(try Data(contentsOf: target) == Data("former".utf8))
    await store.engine.close()
  }

  @Test func aBackupReplacesTheFormerFile() async throws {
    let other = try TestDirectory()
    let store = makeStore(try fresh())
    let location = BackupLocation.file(URL(filePath: "\(other.path)/b"))
    for number in 0..<3 {
      try await store.document("c/\(number)").setData(["n": 1])
      #expect(try await store.backup(to: location).documents == number + 1)
    }
    #expect(try names(other) == ["b"])
    await store.engine.close()
  }

  @Test func whatCannotBeReplacedIsRefused() async throws {
    let (directory, other) = (try TestDirectory(), try TestDirectory())
    let store = makeStore(directory)
    try await store.document("c/d").setData(["n": 1])
    let file = URL(filePath: "\(other.path)/file")
    try Data().write(to: file)
    let link = URL(filePath: "\(other.path)/link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    let web = try #require(URL(string: "https://example.com/b"))
    for (url, code) in [
      (URL(filePath: other.path), StoreError.Code.invalidArgument), (link, .invalidArgument),
      (web, .invalidArgument),
      (URL(filePath: directory.file), .invalidArgument),
      (URL(filePath: "\(other.path)/none/b"), .unavailable),
    ] {
      let error = await #expect(throws: StoreError.self) { try await store.backup(to: .file(url)) }
      #expect(error?.code == code, "\(url): \(String(describing: error))")
      #expect(error?.message.contains(url.isFileURL ? url.path : "example.com") == true)
      #expect(error.map { "\($0)" }?.contains("Error Domain") == false)
    }
    #expect(try names(other) == ["file", "link"])
    #expect(try await store.document("c/d").getDocument().fields?["n"] == 1)
    await store.engine.close()
  }

  /// A database that was closed has no log, and a backup opens its database only after checking the target.
  @Test func aDatabaseThatIsNotOpenYetIsNotReplacedByItsOwnBackup() async throws {
    let directory = try TestDirectory()
    do {
      let store = makeStore(directory)
      try await store.document("c/d").setData(["n": 1])
      await store.engine.close()
    }
    #expect(!FileManager.default.fileExists(atPath: "\(directory.file)-wal"))
    let store = makeStore(directory)
    let error = await #expect(throws: StoreError.self) {
      try await store.backup(to: .file(URL(filePath: directory.file)))
    }
    #expect(error?.code == .invalidArgument && error?.message.contains("is a database in use") == true)
    #expect(try await store.document("c/d").getDocument().fields?["n"] == 1)
    await store.engine.close()
  }

  @Test func draftsOfKilledProcessesAreRemovedAndThoseInUseAreKept() async throws {
    let other = try TestDirectory()
    let logger = AppLogger(source: "tests")
    let target = URL(filePath: "\(other.path)/b")
    let used = try DraftDirectory(beside: target, logger)
    // It contains what other users must not read.
    let draft = used.copy.deletingLastPathComponent().path
    #expect(try FileManager.default.attributesOfItem(atPath: draft)[.posixPermissions] as? Int == 0o700)
    let abandoned = "\(other.path)/.b.\(UUID()).partial"
    try FileManager.default.createDirectory(atPath: abandoned, withIntermediateDirectories: false)
    try Data().write(to: URL(filePath: "\(abandoned)/copy.sqlite-queue"))
    try Data(count: 100).write(to: URL(filePath: "\(abandoned)/copy.sqlite"))
    // What a process leaves that is killed before it has the lock, and what may still get its lock.
    let (unfinished, recent) = (".b.\(UUID())", ".b.\(UUID())")
    for name in [unfinished, recent] {
      try FileManager.default.createDirectory(
        atPath: "\(other.path)/\(name)", withIntermediateDirectories: false)
    }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -120)], ofItemAtPath: "\(other.path)/\(unfinished)")
    let store = makeStore(try fresh())
    try await store.backup(to: .file(target))
    let inUse = used.copy.deletingLastPathComponent().lastPathComponent
    #expect(try names(other) == [inUse, recent, "b"].sorted())
    used.remove()
    #expect(try names(other) == [recent, "b"])
    await store.engine.close()
  }

  @Test func aDatabaseInMemoryIsBackedUpAndRestored() async throws {
    let (directory, other) = (try TestDirectory(), try TestDirectory())
    let memory = makeStore()
    try await fill(memory, 50)
    let location = BackupLocation.file(URL(filePath: "\(other.path)/b"))
    #expect(try await memory.backup(to: location).documents == 50)
    let store = makeStore(directory)
    try await store.restore(from: location)
    #expect(try await store.collection("c").getDocuments().count == 50)
    try await store.document("c/0").delete()
    try await store.backup(to: location)
    try await memory.restore(from: location)
    #expect(try await memory.collection("c").getDocuments().count == 49)
    try await memory.document("c/new").setData(["n": 1])
    #expect(try await memory.collection("c").getDocuments().count == 50)
    for store in [store, memory] { await store.engine.close() }
  }

  @Test func storageThatIsNotLinkedIsNamedAndFilesWorkWithoutIt() async throws {
    let store = makeStore()
    try await store.document("c/d").setData(["n": 1])
    for operation in [{ try await store.backup(to: $0) }, { try await store.restore(from: $0) }]
      as [(BackupLocation) async throws -> BackupSummary]
    {
      let error = await #expect(throws: StoreError.self) {
        _ = try await operation(.storage(path: "backups/a.sqlite"))
      }
      #expect(error?.code == .unavailable)
      #expect(error?.message.contains("Link the product TenonStorage") == true)
      #expect(error?.message.contains("backups/a.sqlite") == true)
    }
    let other = try TestDirectory()
    let location = BackupLocation.file(URL(filePath: "\(other.path)/b"))
    try await store.backup(to: location)
    try await store.restore(from: location)
    await store.engine.close()
  }

  /// A Storage whose transfers fail, or that has damaged what it stores.
  private struct BrokenStorage: StorageInterop {
    struct Failure: Error {}
    var damages = false
    let storage = FakeStorage()

    func read(_ path: String, bucket: String?) async throws -> Data? { throw Failure() }
    func write(_ content: Data, to path: String, bucket: String?, contentType: String?) async throws {
      throw Failure()
    }
    func delete(_ path: String, bucket: String?) async throws -> Bool { throw Failure() }
    func upload(
      contentsOf file: URL, to path: String, bucket: String?, contentType: String?,
      progress: (@Sendable (Int64, Int64?) -> Void)?
    ) async throws {
      guard damages else { throw Failure() }
      var content = try Data(contentsOf: file)
      content[content.count / 2] ^= 1
      try await storage.write(content, to: path, bucket: bucket, contentType: contentType)
    }
    func download(
      _ path: String, bucket: String?, to file: URL, progress: (@Sendable (Int64, Int64?) -> Void)?
    ) async throws -> Bool {
      guard damages else { throw Failure() }
      return try await storage.download(path, bucket: bucket, to: file, progress: progress)
    }
  }

  @Test func errorsOfStorageAreKeptAndMissingObjectsAreReported() async throws {
    let directory = try TestDirectory()
    let location = BackupLocation.storage(path: "a", bucket: "b")
    let broken = makeStore(directory, storage: BrokenStorage())
    try await broken.document("c/d").setData(["n": 1])
    for operation in [{ try await broken.backup(to: $0) }, { try await broken.restore(from: $0) }]
      as [(BackupLocation) async throws -> BackupSummary]
    {
      let error = await #expect(throws: StoreError.self) { _ = try await operation(location) }
      #expect(error?.code == .unknown && error?.underlying is BrokenStorage.Failure)
    }
    let store = makeStore(storage: FakeStorage())
    let error = await #expect(throws: StoreError.self) { try await store.restore(from: location) }
    #expect(error?.code == .notFound)
    #expect(error?.message == "The backup a in Storage's bucket b doesn't exist.")
    #expect(try names(directory).allSatisfy { $0.hasPrefix("default.sqlite") })
    #expect(try await broken.document("c/d").getDocument().fields?["n"] == 1)
    for store in [store, broken] { await store.engine.close() }
  }

  @Test func whatStorageHasDamagedIsNotRestored() async throws {
    let store = makeStore(try fresh(), storage: BrokenStorage(damages: true))
    try await fill(store, 50)
    try await store.backup(to: .storage(path: "a"))
    try await store.document("c/0").setData(["n": -1])
    let error = await #expect(throws: StoreError.self) { try await store.restore(from: .storage(path: "a")) }
    #expect(error?.code == .dataLoss)
    #expect(try await store.document("c/0").getDocument().fields?["n"] == -1)
    await store.engine.close()
  }

  @Test func aClosedDatabaseIsNeitherBackedUpNorRestored() async throws {
    let other = try TestDirectory()
    let location = BackupLocation.file(URL(filePath: "\(other.path)/b"))
    let store = makeStore(try fresh())
    try await store.backup(to: location)
    await store.terminate()
    for operation in [{ try await store.backup(to: $0) }, { try await store.restore(from: $0) }]
      as [(BackupLocation) async throws -> BackupSummary]
    {
      let error = await #expect(throws: StoreError.self) { _ = try await operation(location) }
      #expect(error?.code == .closed)
    }
    #expect(try names(other) == ["b"])
  }

  /// All pages have the right checksums, as after a defect of the library.
  @Test func anUnreadableDocumentIsNeitherBackedUpNorRestored() async throws {
    let (directory, other) = (try TestDirectory(), try TestDirectory())
    do {
      let store = makeStore(directory)
      try await fill(store, 20)
      await store.engine.close()
    }
    do {
      let connection = try openDatabase(directory.file)
      try connection.execute("UPDATE documents SET fields = x'FF' WHERE name = '7'")
    }
    try FileManager.default.copyItem(atPath: directory.file, toPath: "\(other.path)/copy")
    let store = makeStore(directory)
    let backup = await #expect(throws: StoreError.self) {
      try await store.backup(to: .file(URL(filePath: "\(other.path)/b")))
    }
    #expect(backup?.code == .dataLoss, "\(String(describing: backup))")
    #expect(backup?.message.contains("can't be read back") == true, "\(backup?.message ?? "")")
    #expect(try names(other) == ["copy"])
    let second = makeStore(try fresh())
    try await second.document("c/d").setData(["n": 1])
    let restoration = await #expect(throws: StoreError.self) {
      try await second.restore(from: .file(URL(filePath: "\(other.path)/copy")))
    }
    #expect(restoration?.code == .dataLoss, "\(String(describing: restoration))")
    #expect(try await second.collection("c").getDocuments().ids == ["d"])
    for store in [store, second] { await store.engine.close() }
  }

  @Test func aDamagedDatabaseIsNotBackedUp() async throws {
    let (directory, other) = (try TestDirectory(), try TestDirectory())
    do {
      let store = makeStore(directory)
      try await fill(store, 100)
      await store.engine.close()
    }
    var content = try Data(contentsOf: URL(filePath: directory.file))
    content[content.count - 10_000] ^= 1
    try content.write(to: URL(filePath: directory.file))
    let store = makeStore(directory)
    let location = BackupLocation.file(URL(filePath: "\(other.path)/b"))
    let error = await #expect(throws: StoreError.self) { try await store.backup(to: location) }
    #expect(
      error?.code == .dataLoss && error?.message.contains("checksum") == true, "\(String(describing: error))")
    #expect(try names(other).isEmpty)
    await store.engine.close()
  }
}
