import Foundation
import TenonCore
import TenonFoundation
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Databases whose files are encrypted.
@Suite(.limited) struct EncryptionTests {
  /// The keys that a closure returns, and how often it was called.
  private final class Keychain: Sendable {
    private struct Unavailable: Error {}
    private let state: Lock<(key: EncryptionKey?, calls: Int)>

    init(_ key: EncryptionKey?) { state = Lock((key, 0)) }

    var calls: Int { state.withLock { $0.calls } }
    func set(_ key: EncryptionKey?) { state.withLock { $0.key = key } }

    var settings: StoreSettings {
      StoreSettings(
        textIndexes: [TextIndex("confidential", "title")],
        encryption: .key {
          try self.state.withLock { state in
            state.calls += 1
            guard let key = state.key else { throw Unavailable() }
            return key
          }
        })
    }
  }

  private func key(_ number: UInt8 = 0) throws -> EncryptionKey { try EncryptionKey(number..<number + 32) }

  /// A store whose files are encrypted with a numbered key.
  private func open(
    _ directory: TestDirectory, _ number: UInt8 = 0, disk: FaultyDisk? = nil,
    remote: (any StoreRemote)? = nil
  ) throws -> Store {
    makeStore(directory, disk: disk, remote: remote, settings: Keychain(try key(number)).settings)
  }

  /// A store without a key, also when the tests of all other suites have one.
  private func openPlain(_ directory: TestDirectory, remote: (any StoreRemote)? = nil) -> Store {
    Store(
      StoreEngine(
        StoreEngine.Configuration(
          path: directory.file, logger: AppLogger(source: "tests"), remote: remote,
          isLocalOnly: remote == nil)))
  }

  private func fill(_ store: Store, _ numbers: Range<Int> = 0..<50) async throws {
    let batch = store.batch()
    for number in numbers {
      try batch.setData(
        ["title": "classified \(number)", "salary": number],
        forDocument: store.document("confidential/person\(number)"))
    }
    try await batch.commit()
  }

  private func error(_ body: () async throws -> Void) async -> StoreError? {
    do { try await body() } catch { return error as? StoreError }
    return nil
  }

  /// The files of a directory and of the directories in it, without the index of the log.
  private func files(_ directory: TestDirectory) -> [String: Data] {
    var files: [String: Data] = [:]
    for name in FileManager.default.enumerator(atPath: directory.path)?.compactMap({ $0 as? String }) ?? []
    where !name.hasSuffix("-shm") {
      files[name] = FileManager.default.contents(atPath: "\(directory.path)/\(name)")
    }
    return files
  }

  /// The files in which a text of a document, a name, or SQLite's own text is in clear.
  private func revealing(_ directory: TestDirectory) -> [String] {
    let words = ["classified", "confidential", "person1", "salary", "CREATE TABLE", "SQLite format"]
    return files(directory).filter { file in
      words.contains { file.value.range(of: Data($0.utf8)) != nil }
    }.keys.sorted()
  }

  // MARK: - What is in the files

  @Test func noFileContainsAnythingOfADocumentInClear() async throws {
    let directory = try TestDirectory()
    let remote = FakeStoreRemote()
    let store = try open(directory, remote: remote)
    try await fill(store)
    #expect(files(directory).keys.contains("default.sqlite-wal"))
    #expect(revealing(directory) == [])
    try await store.waitForPendingWrites()
    try await store.disableNetwork()
    try await fill(store, 50..<90)
    _ = try await store.collection("confidential").order(by: "salary").getDocuments(source: .cache)
    _ = try await store.collection("confidential").whereField("title", isEqualTo: "classified 3")
      .order(by: "salary").getDocuments(source: .cache)
    try await store.buildIndexes()
    let found = try await store.collection("confidential").search("classified").getDocuments()
    #expect(found.count == 90)
    #expect(revealing(directory) == [])
    try await store.backup(to: .file(URL(filePath: "\(directory.path)/backup")))
    #expect(revealing(directory) == [])
    try await store.restore(from: .file(URL(filePath: "\(directory.path)/backup"))) { _ in
      #expect(revealing(directory) == [], "while it is restored")
    }
    let count = try await store.collection("confidential").getDocuments(source: .cache).count
    #expect(count == 90)
    await store.engine.close()
    #expect(revealing(directory) == [])
    #expect(files(directory)["default.sqlite"]?.starts(with: Data("Tenon encrypted".utf8)) == true)
    // The same words are found without encryption.
    let plain = try TestDirectory()
    let other = openPlain(plain)
    try await fill(other)
    #expect(!revealing(plain).isEmpty)
    await other.engine.close()
  }

  // MARK: - Keys

  @Test(arguments: [true, false])
  func aWrongOrMissingKeyIsAnErrorOfItsOwnAndChangesNothing(hasLog: Bool) async throws {
    let original = try TestDirectory()
    let writer = try open(original)
    try await fill(writer)
    if !hasLog { await writer.engine.close() }
    let directory = try TestDirectory()
    for (name, bytes) in files(original) { try bytes.write(to: URL(filePath: "\(directory.path)/\(name)")) }
    let before = files(directory)
    for store in [openPlain(directory), try open(directory, 1)] {
      for _ in 0..<2 {
        let error = await error { _ = try await store.document("confidential/person1").getDocument() }
        #expect(error?.code == .encryptionKey)
        #expect(error?.message.contains(directory.file) == true)
        #expect(error?.message.contains("setAside") == false && error?.message.contains("damaged") == false)
      }
      #expect(await self.error { try await store.setAsideDamagedFile() }?.code == .encryptionKey)
      await store.engine.close()
    }
    #expect(files(directory) == before)
    let store = try open(directory)
    #expect(try await store.collection("confidential").getDocuments().count == 50)
    await store.engine.close()
    await writer.engine.close()
  }

  @Test func theKeyIsObtainedOnceAndAgainAfterAFailure() async throws {
    let directory = try TestDirectory()
    do {
      let store = try open(directory)
      try await fill(store)
      await store.engine.close()
    }
    let keychain = Keychain(nil)
    let store = makeStore(directory, settings: keychain.settings)
    let missing = await error { _ = try await store.document("confidential/person1").getDocument() }
    #expect(missing?.code == .encryptionKey && missing?.underlying != nil)
    keychain.set(try key(1))
    let wrong = await error { _ = try await store.document("confidential/person1").getDocument() }
    #expect(wrong?.code == .encryptionKey)
    #expect(keychain.calls == 2)
    keychain.set(try key())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          let document = try await store.document("confidential/person\(number)").getDocument()
          #expect(document.exists)
        }
      }
      try await group.waitForAll()
    }
    #expect(keychain.calls == 3)
    await store.engine.close()
  }

  @Test func aKeyHas32BytesAndIsNotPrinted() throws {
    for count in [0, 16, 31, 33] as [UInt8] {
      #expect(throws: StoreError.self) { try EncryptionKey(0..<count) }
    }
    let key = EncryptionKey.random()
    #expect(key.bytes.count == 32 && key.bytes != EncryptionKey.random().bytes)
    #expect("\(key)" == "•••" && String(reflecting: key) == "•••" && Mirror(reflecting: key).children.isEmpty)
    var dumped = ""
    dump(StoreSettings(encryption: .key { key }), to: &dumped)
    #expect(!dumped.contains("\(key.bytes[0]), "))
  }

  // MARK: - Databases that aren't encrypted yet

  @Test(arguments: [true, false]) func aDatabaseIsEncryptedWhenItIsOpenedWithAKey(isClosed: Bool) async throws
  {
    let original = try TestDirectory()
    let remote = FakeStoreRemote()
    remote.fail(with: StoreRemoteError(.unavailable, "There is no network."))
    let plain = openPlain(original, remote: remote)
    try await plain.disableNetwork()
    try await fill(plain)
    if isClosed { await plain.engine.close() }
    let directory = try TestDirectory()
    for (name, bytes) in files(original) { try bytes.write(to: URL(filePath: "\(directory.path)/\(name)")) }
    for _ in 0..<2 {
      let store = try open(directory, remote: remote)
      try await store.disableNetwork()
      #expect(try await store.collection("confidential").getDocuments(source: .cache).count == 50)
      #expect(try await store.queuedWrites.count == 1)
      await store.engine.close()
      #expect(revealing(directory) == [])
      #expect(
        files(directory).keys.filter { !$0.hasSuffix("-queue") && !$0.hasSuffix("-reserve") } == [
          "default.sqlite"
        ])
    }
    await plain.engine.close()
    let error = await error { _ = try await openPlain(directory).document("a/b").getDocument() }
    #expect(error?.code == .encryptionKey)
  }

  @Test func aDatabaseThatAnotherConnectionHasOpenIsNotEncrypted() async throws {
    let directory = try TestDirectory()
    let plain = openPlain(directory)
    try await fill(plain)
    let store = try open(directory)
    let error = await error { _ = try await store.collection("confidential").getDocuments() }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("another process") == true)
    try await fill(plain, 50..<60)
    await plain.engine.close()
    #expect(try await store.collection("confidential").getDocuments().count == 60)
    await store.engine.close()
    #expect(revealing(directory) == [])
  }

  /// The disk fails at each operation in turn, which also covers a process that is killed there.
  @Test(arguments: [.write, .sync, .delete, .open] as [FaultyDisk.Operations])
  func encryptingLosesNothing(operation: FaultyDisk.Operations) async throws {
    let original = try TestDirectory()
    do {
      let plain = openPlain(original)
      try await fill(plain)
      await plain.engine.close()
    }
    var point = 0
    while true {
      let (directory, disk) = (try TestDirectory(), FaultyDisk())
      for (name, bytes) in files(original) { try bytes.write(to: URL(filePath: "\(directory.path)/\(name)")) }
      disk.fail(operation, .breaks, after: point, times: .max)
      let failing = try open(directory, disk: disk)
      _ = try? await failing.collection("confidential").getDocuments()
      let hasFailed = disk.failures > 0
      // As a process that is killed, it can't do anything at the end.
      await failing.engine.close()
      disk.heal()
      let store = try open(directory)
      #expect(try await store.collection("confidential").getDocuments().count == 50, "point \(point)")
      await store.engine.close()
      #expect(revealing(directory) == [], "point \(point)")
      guard hasFailed else { break }
      point += 1 + point / 8
    }
    #expect(point > 0)
  }

  // MARK: - Replacing the key

  @Test func aReplacedKeyIsTheOnlyOneThatOpensTheDatabase() async throws {
    let directory = try TestDirectory()
    let store = try open(directory)
    try await fill(store)
    let other = try open(directory)
    #expect(try await other.collection("confidential").getDocuments().count == 50)
    try await store.rotateEncryptionKey(to: key(1))
    // Both continue, the other one with what it has in memory.
    try await fill(store, 50..<60)
    try await fill(other, 60..<70)
    #expect(try await store.collection("confidential").getDocuments().count == 70)
    let former = try open(directory)
    #expect(await error { _ = try await former.document("a/b").getDocument() }?.code == .encryptionKey)
    let present = try open(directory, 1)
    #expect(try await present.collection("confidential").getDocuments().count == 70)
    for store in [store, other, former, present] { await store.engine.close() }
    let last = try open(directory, 1)
    #expect(try await last.collection("confidential").getDocuments().count == 70)
    await last.engine.close()
  }

  @Test func theKeyOfADatabaseThatIsNotEncryptedCannotBeReplaced() async throws {
    let store = openPlain(try TestDirectory())
    let error = await error { try await store.rotateEncryptionKey(to: try key()) }
    #expect(error?.code == .failedPrecondition)
    await store.engine.close()
  }

  // MARK: - Backups and recovery

  @Test func aBackupIsEncryptedAndRestoredWithItsKey() async throws {
    let directory = try TestDirectory()
    let backup = BackupLocation.file(URL(filePath: "\(directory.path)/backup"))
    let store = try open(directory)
    try await fill(store)
    let summary = try await store.backup(to: backup)
    #expect(summary.documents == 50)
    try await fill(store, 50..<60)
    try await store.rotateEncryptionKey(to: key(1))
    // The backup still has the former key.
    #expect(await error { try await store.restore(from: backup) }?.code == .encryptionKey)
    #expect(await error { try await store.restore(from: backup, key: try key(2)) }?.code == .encryptionKey)
    #expect(try await store.collection("confidential").getDocuments().count == 60)
    try await store.restore(from: backup, key: key())
    #expect(try await store.collection("confidential").getDocuments().count == 50)
    await store.engine.close()
    #expect(revealing(directory) == [])
    let again = try open(directory, 1)
    #expect(try await again.collection("confidential").getDocuments().count == 50)
    await again.engine.close()
    let (elsewhere, third) = (try TestDirectory(), try TestDirectory())
    let other = try open(elsewhere)
    try await other.restore(from: backup)
    #expect(try await other.collection("confidential").getDocuments().count == 50)
    await other.engine.close()
    let plain = openPlain(third)
    let error = await error { try await plain.restore(from: backup) }
    #expect(error?.code == .encryptionKey)
    #expect(error?.message.contains("Nothing was changed") == true)
    await plain.engine.close()
  }

  @Test func aPlainBackupIsEncryptedWhenItIsRestored() async throws {
    let (source, directory) = (try TestDirectory(), try TestDirectory())
    let backup = BackupLocation.file(URL(filePath: "\(source.path)/backup"))
    let plain = openPlain(source)
    try await fill(plain)
    try await plain.backup(to: backup)
    await plain.engine.close()
    let store = try open(directory)
    try await store.restore(from: backup)
    #expect(try await store.collection("confidential").getDocuments().count == 50)
    await store.engine.close()
    #expect(revealing(directory) == [])
  }

  @Test func theBackupOfADatabaseInMemoryIsEncrypted() async throws {
    let directory = try TestDirectory()
    let backup = BackupLocation.file(URL(filePath: "\(directory.path)/backup"))
    let store = makeStore(settings: Keychain(try key()).settings)
    try await fill(store)
    #expect(try await store.backup(to: backup).documents == 50)
    #expect(revealing(directory) == [])
    try await fill(store, 50..<60)
    try await store.restore(from: backup)
    #expect(try await store.collection("confidential").getDocuments().count == 50)
    await store.engine.close()
  }

  @Test func documentsOfADamagedDatabaseAreRecovered() async throws {
    let directory = try TestDirectory()
    let store = try open(directory)
    try await fill(store, 0..<400)
    await store.engine.close()
    var file = try #require(files(directory)["default.sqlite"])
    for page in stride(from: file.count / 4096 / 2, to: file.count / 4096, by: 7) {
      file[page * 4096 + 99] ^= 1
    }
    try file.write(to: URL(filePath: directory.file))
    let damaged = try open(directory)
    let aside = try await damaged.setAsideDamagedFile()
    let recovered = try await damaged.recoverDocuments(from: aside)
    #expect(!recovered.isComplete)
    let documents = try await damaged.collection("confidential").getDocuments().documents
    #expect(documents.count == recovered.saved)
    for document in documents {
      #expect(document.documentID == "person\(document.fields["salary"]?.int64Value ?? -1)")
    }
    await damaged.engine.close()
    #expect(revealing(directory) == [])
  }
}
