import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Damaged files: they are reported, never changed, and moved aside on request.
@Suite(.limited, .serialized) struct DamageTests {
  private static let count = 400
  /// Tests that find pages by their bytes need databases that aren't encrypted; see `EncryptionTests`.
  private static let findsPages = ConditionTrait.disabled(if: TestEncryption.isOn)

  /// Creates a database with documents, and closes it. If it is indexed, later queries register no index.
  private func makeDatabase(isIndexed: Bool = false) async throws -> TestDirectory {
    let directory = try TestDirectory()
    let store = makeStore(directory)
    try await write(Self.count, to: store)
    if isIndexed {
      _ = try await store.collection("c").order(by: "n").getDocuments()
      try await store.buildIndexes()
    }
    await store.engine.close()
    return directory
  }

  private func write(_ count: Int, to store: Store) async throws {
    let batch = store.batch()
    for number in 0..<count {
      let text = String(repeating: "x", count: number % 50 * 10)
      try batch.setData(["n": number, "text": text], forDocument: store.document("c/d\(number)"))
    }
    try await batch.commit()
  }

  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

  /// Returns the error of a store in the directory when it is used.
  private func complaint(_ directory: TestDirectory) async throws -> StoreError? {
    let store = makeStore(directory)
    let outcome: StoreError?
    do {
      for document in try await store.collection("c").getDocuments().documents { _ = document.fields }
      _ = try await store.collection("c").order(by: "n").getDocuments()
      outcome = nil
    } catch let error as StoreError {
      outcome = error
    }
    await store.engine.close()
    return outcome
  }

  private func checkReport(_ error: StoreError?, _ directory: TestDirectory) {
    #expect(error?.code == .dataLoss, "\(error?.description ?? "nothing")")
    #expect(error?.message.contains(directory.file) == true)
    #expect(error?.message.contains("setAsideDamagedFile()") == true)
  }

  // MARK: - The file

  @Test(arguments: [2, 100, 512, 4_096, 40_000])
  func aTruncatedFileIsReportedAndSetAside(size: Int) async throws {
    let directory = try await makeDatabase()
    let whole = try bytes(directory.file)
    try whole.prefix(size).write(to: URL(filePath: directory.file))
    let store = makeStore(directory)
    let thrown = await #expect(throws: StoreError.self) { try await store.document("c/d1").setData(["n": 1]) }
    checkReport(thrown, directory)
    #expect(try bytes(directory.file) == whole.prefix(size))

    let aside = try await store.setAsideDamagedFile()
    #expect(aside.hasPrefix("\(directory.file).damaged-"))
    #expect(try bytes(aside) == whole.prefix(size))
    #expect(try await store.collection("c").getDocuments().isEmpty)
    try await store.document("c/d1").setData(["n": 1])
    #expect(try await store.collection("c").getDocuments().ids == ["d1"])
    #expect(try bytes(aside) == whole.prefix(size))
  }

  @Test(arguments: Array(0..<UInt64(DeepTests.count(10, deep: 40))) + [1143, 1402])
  func damagedPagesAreReportedOrHarmless(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let directory = try await makeDatabase(isIndexed: true)
    var content = try bytes(directory.file)
    // Some bytes in the middle of a page, or a whole page.
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let page = Int.random(in: 0..<content.count / 4096, using: &generator) * 4096
      let length = [1, 8, 100, 4096].randomElement(using: &generator) ?? 1
      let start = page + Int.random(in: 0...4096 - length, using: &generator)
      for index in start..<start + length { content[index] = UInt8.random(in: 0...255, using: &generator) }
    }
    try content.write(to: URL(filePath: directory.file))
    let complaint = try await complaint(directory)
    if complaint != nil { checkReport(complaint, directory) }
    #expect(try bytes(directory.file) == content, "reading changes nothing")

    let store = makeStore(directory)
    do {
      let aside = try await store.setAsideDamagedFile()
      #expect(try bytes(aside) == content)
      #expect(try await store.collection("c").getDocuments().isEmpty)
      let recovered = try await recovered(from: aside, in: store)
      #expect(try await store.collectionGroup("c").count.getAggregation().count ?? 0 <= recovered.saved)
      #expect(try bytes(aside) == content)
    } catch let error as StoreError where complaint == nil {
      #expect(error.code == .failedPrecondition, "a file that can be read is sound: \(error)")
      #expect(try bytes(directory.file) == content)
    }
    await store.engine.close()
  }

  /// Returns the recovered documents; none if the file is unreadable.
  private func recovered(from file: String, in store: Store) async throws -> RecoveredDocuments {
    do {
      return try await store.recoverDocuments(from: file)
    } catch let error as StoreError where error.code == .dataLoss {
      return RecoveredDocuments(saved: 0, isComplete: false)
    }
  }

  @Test(Self.findsPages) func readableDocumentsAreRecovered() async throws {
    let directory = try await makeDatabase()
    var content = try bytes(directory.file)
    // Leaf pages of tables begin with the byte 13 (SQLite file format, section 1.6). One with documents loses
    // its header.
    let page = try #require(
      stride(from: 4096, to: content.count, by: 4096).first { start in
        content[start] == 13 && content[start..<start + 4096].contains(Array(repeating: 0x78, count: 100))
      })
    for index in page..<page + 16 { content[index] = 0xFF }
    try content.write(to: URL(filePath: directory.file))
    let store = makeStore(directory)
    let aside = try await store.setAsideDamagedFile()
    // Documents that were written since then are kept.
    try await store.document("c/d399").setData(["n": -1])
    let recovered = try await store.recoverDocuments(from: aside)
    #expect(!recovered.isComplete)
    #expect((Self.count / 2..<Self.count - 1).contains(recovered.saved))
    let documents = try await store.collection("c").getDocuments().documents
    #expect(documents.count == recovered.saved + 1)
    for document in documents where document.documentID != "d399" {
      #expect(document.fields["n"] == Int(document.documentID.dropFirst()).map { Value($0) })
    }
    #expect(try await store.document("c/d399").getDocument().fields?["n"] == -1)
    #expect(try await store.collection("c").whereField("n", isEqualTo: 398).getDocuments().ids == ["d398"])
    // A second recovery finds no further documents.
    #expect(try await store.recoverDocuments(from: aside).saved == 0)
    #expect(try bytes(aside) == content)
  }

  /// One page of the queue of writes is damaged: the other writes are sent.
  @Test(Self.findsPages) func theReadableWritesOfADamagedQueueAreRecovered() async throws {
    let directory = try TestDirectory()
    let remote = FakeStoreRemote()
    let store = makeStore(directory, remote: remote)
    try await store.disableNetwork()
    let text = String(repeating: "y", count: 1_000)
    for number in 0..<40 {
      try await store.document("c/q\(number)").setData(["n": number, "text": text])
    }
    let id = try #require(try await store.queuedWrites.dropFirst(20).first?.id.uuidString)
    await store.engine.close()
    var content = try bytes(directory.file)
    // Leaf pages of tables begin with the byte 13 (SQLite file format, section 1.6).
    let leaf = try #require(
      stride(from: 4096, to: content.count, by: 4096).first { start in
        content[start] == 13 && content[start..<start + 4096].contains(Array(id.utf8))
      })
    content[leaf + 3_000] ^= 0x20
    try content.write(to: URL(filePath: directory.file))
    // Without a remote, so that nothing is sent before the file is set aside.
    let waiting = makeStore(directory, isLocalOnly: false)
    do { _ = try await waiting.collection("c").getDocuments(source: .cache).documents.map(\.fields) } catch {}
    let aside = try await waiting.setAsideDamagedFile()
    await waiting.engine.close()
    let damaged = makeStore(directory, remote: remote)
    let recovered = try await damaged.recoverDocuments(from: aside)
    #expect(!recovered.isComplete)
    #expect((20..<40).contains(recovered.saved), "\(recovered.saved)")
    try await damaged.waitForPendingWrites()
    let paths = (0..<40).map { ResourcePath(segments: ["c", "q\($0)"]) }
    let sent = try await remote.fetch(paths, in: RemoteContext()).compactMap(\.fields)
    #expect(sent.count == recovered.saved)
    #expect(sent.allSatisfy { $0["text"] == .init(text) })
    await damaged.engine.close()
  }

  /// One changed bit in an interior page that references all others: every document is recovered.
  @Test(Self.findsPages) func aChangedBitInAnInteriorPageLosesNoDocuments() async throws {
    let directory = try await makeDatabase()
    let whole = try bytes(directory.file)
    let interiors = stride(from: 4096, to: whole.count, by: 4096).filter { whole[$0] == 5 || whole[$0] == 2 }
    #expect(!interiors.isEmpty)
    for page in [0] + interiors {
      var content = whole
      content[page + (page == 0 ? 24 : 2_000)] ^= 1
      try content.write(to: URL(filePath: directory.file))
      // Not every query reads every index, so there may be no report.
      if let complaint = try await complaint(directory) { checkReport(complaint, directory) }
      let store = makeStore(directory)
      let aside = try await store.setAsideDamagedFile()
      let recovered = try await store.recoverDocuments(from: aside)
      #expect(recovered.saved == Self.count)
      await store.engine.close()
    }
  }

  /// The damage isn't in the file that is read, but in the one that is written to.
  @Test(Self.findsPages) func damageOfThePresentDatabaseEndsTheRecovery() async throws {
    let directory = try await makeDatabase()
    let whole = try bytes(directory.file)
    let copy = "\(directory.file).copy"
    try whole.write(to: URL(filePath: copy))
    var content = whole
    // Leaf pages of tables begin with the byte 13 (SQLite file format, section 1.6).
    let leaf = try #require(
      stride(from: 4096, to: content.count, by: 4096).first { start in
        content[start] == 13 && content[start..<start + 4096].contains(Array(repeating: 0x78, count: 100))
      })
    content[leaf + 3_000] ^= 0x20
    try content.write(to: URL(filePath: directory.file))
    let store = makeStore(directory)
    let thrown = await #expect(throws: StoreError.self) { try await store.recoverDocuments(from: copy) }
    #expect(thrown?.code == .dataLoss)
    #expect(thrown?.message.contains(directory.file) == true, "\(thrown?.message ?? "")")
    await store.engine.close()
  }

  @Test(arguments: [true, false])
  func aScanPassesTheErrorsOfItsReaderOn(isOfSQLite: Bool) throws {
    let connection = try Connection.open(nil)
    try connection.migrate(LocalSchema.migrations)
    let local = try LocalDatabase(connection, sharing: .localOnly, now: .zero)
    let write = DocumentWrite(try ResourcePath(document: "c/a"), .set(["n": 1]))
    _ = try local.commit([write], at: .zero) { true }
    let error: any Error =
      isOfSQLite
      ? SQLiteError(code: .damaged, message: "", resultCode: 11, sql: nil, path: nil)
      : DocumentError(.damaged, "")
    #expect(throws: (any Error).self) { _ = try StoredDocumentScan(connection) { _, _ in throw error } }
    #expect(try StoredDocumentScan(connection).isComplete)
  }

  @Test func nothingIsRecoveredFromAFileThatIsNotADatabase() async throws {
    let directory = try TestDirectory()
    try Data(repeating: 7, count: 5000).write(to: URL(filePath: directory.file))
    let store = makeStore(directory)
    let aside = try await store.setAsideDamagedFile()
    let thrown = await #expect(throws: StoreError.self) { try await store.recoverDocuments(from: aside) }
    #expect(thrown?.code == .dataLoss)
    let missing = await #expect(throws: StoreError.self) {
      try await store.recoverDocuments(from: "/nowhere")
    }
    #expect(missing?.code == .notFound)
    #expect(try await store.collection("c").getDocuments().isEmpty)
  }

  @Test func listenersReceiveAnErrorWhenTheFileIsSetAside() async throws {
    let directory = try await makeDatabase()
    let store = makeStore(directory)
    var snapshots = store.collection("c").limit(to: 1).snapshots.makeAsyncIterator()
    #expect(try await snapshots.next()?.ids == ["d0"])
    // Damages the file while the database is open, like a failing disk.
    let file = try FileHandle(forWritingTo: URL(filePath: directory.file))
    try file.seek(toOffset: 4096 * 3)
    try file.write(contentsOf: Data(repeating: 0xFF, count: 4096 * 10))
    try file.close()
    try await store.setAsideDamagedFile()
    let thrown = await #expect(throws: StoreError.self) { try await snapshots.next() }
    #expect(thrown?.code == .dataLoss)
    try await store.document("c/new").setData(["n": 1])
    #expect(try await store.collection("c").getDocuments().ids == ["new"])
  }

  // MARK: - Files that aren't moved aside

  @Test func aSoundFileIsNotSetAside() async throws {
    let directory = try await makeDatabase()
    let content = try bytes(directory.file)
    let store = makeStore(directory)
    let thrown = await #expect(throws: StoreError.self) { try await store.setAsideDamagedFile() }
    #expect(thrown?.code == .failedPrecondition)
    #expect(thrown?.message.contains("sound") == true)
    #expect(try await store.collection("c").count.getAggregation().count == Self.count)
    await store.engine.close()
    #expect(try bytes(directory.file) == content)
    let memory = await #expect(throws: StoreError.self) { try await makeStore().setAsideDamagedFile() }
    #expect(memory?.code == .failedPrecondition)
  }

  @Test func aFileOpenElsewhereIsNotSetAside() async throws {
    let directory = try await makeDatabase()
    let other = makeStore(directory)
    #expect(try await other.collection("c").count.getAggregation().count == Self.count)
    let content = try bytes(directory.file)
    let file = try FileHandle(forWritingTo: URL(filePath: directory.file))
    try file.seek(toOffset: UInt64(content.count - 4096))
    try file.write(contentsOf: Data(repeating: 0xFF, count: 4096))
    try file.close()
    let store = makeStore(directory)
    let thrown = await #expect(throws: StoreError.self) { try await store.setAsideDamagedFile() }
    #expect(thrown?.code == .unavailable)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path).allSatisfy {
        !$0.contains("damaged")
      })
    await other.engine.close()
    try await store.setAsideDamagedFile()
  }

  /// The database is closed before the file is found to be open elsewhere.
  @Test func listenersReceiveAnErrorWhenTheFileCannotBeSetAside() async throws {
    let directory = try await makeDatabase()
    let (store, other) = (makeStore(directory), makeStore(directory))
    var snapshots = store.collection("c").limit(to: 1).snapshots.makeAsyncIterator()
    #expect(try await snapshots.next()?.ids == ["d0"])
    #expect(try await other.collection("c").count.getAggregation().count == Self.count)
    let file = try FileHandle(forWritingTo: URL(filePath: directory.file))
    try file.seek(toOffset: 4096 * 3)
    try file.write(contentsOf: Data(repeating: 0xFF, count: 4096 * 10))
    try file.close()
    let thrown = await #expect(throws: StoreError.self) { try await store.setAsideDamagedFile() }
    #expect(thrown?.code == .unavailable)
    let end = await #expect(throws: StoreError.self) { try await snapshots.next() }
    #expect(end?.code == .dataLoss)
    #expect(await !store.engine.isListened)
    await other.engine.close()
    await store.engine.close()
  }

  // MARK: - The log

  /// A database whose newest documents are only in the log, each written by a separate transaction.
  private func makeLog() async throws -> TestDirectory {
    let directory = try await makeDatabase()
    let store = makeStore(directory)
    for number in 0..<20 { try await store.document("c/new\(number)").setData(["n": number]) }
    let copy = try TestDirectory()
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: directory.file + ending, toPath: copy.file + ending)
    }
    await store.engine.close()
    return copy
  }

  @Test func anUndamagedLogIsRead() async throws {
    let directory = try await makeLog()
    #expect(try await complaint(directory) == nil)
    #expect(try await makeStore(directory).collection("c").count.getAggregation().count == Self.count + 20)
  }

  /// SQLite alone would silently discard the frames after the damage.
  @Test(arguments: [4, 17, 30, 40, 100, 5_000, 20_000, 40_000])
  func aDamagedLogIsReported(offset: Int) async throws {
    let directory = try await makeLog()
    let file = try bytes(directory.file)
    var log = try bytes("\(directory.file)-wal")
    log[offset] ^= 0x55
    try log.write(to: URL(filePath: "\(directory.file)-wal"))
    for _ in 0..<2 { checkReport(try await complaint(directory), directory) }
    #expect(try bytes(directory.file) == file)
    #expect(try bytes("\(directory.file)-wal") == log)

    let store = makeStore(directory)
    let aside = try await store.setAsideDamagedFile()
    #expect(try bytes(aside) == file)
    #expect(try bytes("\(aside)-wal") == log)
    let recovered = try await store.recoverDocuments(from: aside)
    #expect((Self.count..<Self.count + 20).contains(recovered.saved))
    #expect(!recovered.isComplete)
    #expect(try bytes("\(aside)-wal") == log)
  }

  /// As after a power failure: the last transaction wasn't acknowledged yet.
  @Test func anIncompleteLastTransactionIsDiscarded() async throws {
    let directory = try await makeLog()
    var log = try bytes("\(directory.file)-wal")
    log[log.count - 2000] ^= 0x55
    try log.write(to: URL(filePath: "\(directory.file)-wal"))
    #expect(try await makeStore(directory).collection("c").count.getAggregation().count == Self.count + 19)
  }

  @Test(arguments: [true, false])
  func aLogWithoutItsFileIsReported(isGone: Bool) async throws {
    let directory = try await makeLog()
    let log = try bytes("\(directory.file)-wal")
    try FileManager.default.removeItem(atPath: directory.file)
    if !isGone { try Data().write(to: URL(filePath: directory.file)) }
    checkReport(try await complaint(directory), directory)
    #expect(FileManager.default.fileExists(atPath: directory.file) != isGone)
    #expect(try bytes("\(directory.file)-wal") == log)
    let store = makeStore(directory)
    let aside = try await store.setAsideDamagedFile()
    #expect(try bytes("\(aside)-wal") == log)
    try await store.document("c/d").setData(["n": 1])
    #expect(try await store.collection("c").getDocuments().ids == ["d"])
  }
}
