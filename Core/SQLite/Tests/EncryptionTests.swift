import Foundation
import SQLiteFaults
import TenonChecksums
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonSQLite

/// Databases with a key.
@Suite(.limited) struct EncryptionTests {
  private static let key = DatabaseKey(0..<32)!
  private static let otherKey = DatabaseKey(1..<33)!
  private static let suffixes = ["", "-wal", "-walmark", "-shm", "-journal"]

  /// A directory with a database that has interior pages, an index and long values.
  private final class Scene {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-sqlite-\(UUID())")
    var path: String { directory.appending(path: "test.sqlite").path }

    init() throws {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func open(_ key: DatabaseKey? = EncryptionTests.key, disk: String? = nil) throws -> Connection {
      try Connection.open(path, disk: disk, key: key)
    }

    func fill(_ connection: Connection) throws {
      try connection.migrate([Migration("CREATE TABLE secrets (n INTEGER PRIMARY KEY, s TEXT, b BLOB)")])
      try connection.execute("CREATE INDEX i ON secrets (s)")
      try connection.transaction {
        for n in 0..<200 {
          let bytes = Data((0..<(n % 50 == 0 ? 20_000 : 50)).map { UInt8(truncatingIfNeeded: $0 &* n) })
          try connection.run(
            "INSERT INTO secrets VALUES (?, ?, ?)", [.integer(n), .text("clear text \(n)"), .blob(bytes)])
        }
      }
    }

    func bytes(_ suffix: String = "") throws -> Data { try Data(contentsOf: URL(filePath: path + suffix)) }

    func write(_ bytes: Data, _ suffix: String = "") throws {
      try bytes.write(to: URL(filePath: path + suffix))
    }

    /// All files by suffix.
    func files() -> [String: Data] {
      Dictionary(
        uniqueKeysWithValues: EncryptionTests.suffixes.compactMap { suffix in
          FileManager.default.contents(atPath: path + suffix).map { (suffix, $0) }
        })
    }

    /// Copies the files as a process that is killed now would leave them.
    func copy() throws -> Scene {
      let copy = try Scene()
      for (suffix, bytes) in files() where suffix != "-shm" { try copy.write(bytes, suffix) }
      return copy
    }
  }

  /// Returns everything in the database, read through the table and through the index.
  private func contents(_ connection: Connection) throws -> [SQLValue] {
    let rows = try connection.rows("SELECT n, s, b FROM secrets ORDER BY n") { row in
      [row.value(0), row.value(1), row.value(2)]
    }
    let texts = try connection.rows("SELECT s FROM secrets WHERE s >= 'clear' ORDER BY s") { $0.value(0) }
    return rows.flatMap { $0 } + texts
  }

  /// Returns whether damage was reported; otherwise everything was read as it had been written.
  private func isReported(_ scene: Scene, _ right: [SQLValue]) throws -> Bool {
    do {
      #expect(try contents(scene.open()) == right)
      return false
    } catch let error as SQLiteError {
      #expect(error.code == .damaged && error.path == scene.path, "\(error)")
      return true
    }
  }

  private func code(_ body: () throws -> Void) -> SQLiteError.Code? {
    do { try body() } catch { return (error as? SQLiteError)?.code }
    return nil
  }

  private func bytes(_ hexadecimal: String) -> [UInt8] {
    stride(from: 0, to: hexadecimal.count, by: 2).compactMap {
      UInt8(hexadecimal.dropFirst($0).prefix(2), radix: 16)
    }
  }

  // MARK: - The cipher

  /// Test case 16 of the specification of GCM (McGrew and Viega), and section 4.6 of RFC 3394.
  @Test func theCipherComputesPublishedVectors() {
    #expect(tenon_cipher_load() == nil)
    let text = bytes(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
        + "b16aedf5aa0de657ba637b39")
    let additional = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    var (out, tag) = ([UInt8](repeating: 0, count: text.count), [UInt8](repeating: 0, count: 16))
    #expect(
      tenon_cipher_seal(
        bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"),
        bytes("cafebabefacedbaddecaf888"), additional, additional.count, text, &out, text.count, &tag) == 1)
    #expect(
      out
        == bytes(
          "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
            + "c5f61e6393ba7a0abcc9f662"))
    #expect(tag == bytes("76fc6ece0f4e1768cddf8853bb2d551b"))
    var wrapped = [UInt8](repeating: 0, count: 40)
    let key = bytes("00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f")
    #expect(tenon_cipher_wrap(Array(0..<32), key, &wrapped) == 1)
    #expect(
      wrapped == bytes("28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"))
  }

  @Test func aKeyHas32BytesAndIsNotPrinted() {
    #expect(DatabaseKey(0..<31) == nil && DatabaseKey(0..<33) == nil)
    let key = Self.key
    #expect("\(key)" == "•••" && String(reflecting: key) == "•••")
    #expect(Mirror(reflecting: key).children.isEmpty)
  }

  // MARK: - What is in the files

  /// Looks at every file at every state: written, spilled, moved into the file, rolled back, closed.
  @Test func noFileContainsTextInClear() throws {
    let scene = try Scene()
    let words = ["clear text", "secrets", "CREATE", "INTEGER", "SQLite format"].map { Data($0.utf8) }
    var seen: Set<String> = []
    func check(_ state: String) throws {
      for name in try FileManager.default.contentsOfDirectory(atPath: scene.directory.path) {
        let content = try Data(contentsOf: scene.directory.appending(path: name))
        seen.insert(name)
        for word in words { #expect(content.range(of: word) == nil, "\(name), \(state)") }
      }
    }
    do {
      let connection = try scene.open()
      try connection.execute("PRAGMA cache_size = 10")
      try scene.fill(connection)
      try check("written")
      try connection.transaction {
        for _ in 0..<2 {
          try connection.run("UPDATE secrets SET s = s || ' more clear text', b = zeroblob(300)")
        }
        try check("spilled")
      }
      _ = try connection.rows("SELECT s FROM secrets ORDER BY substr(s, 5) DESC, b") { $0.text(0) }
      try check("sorted")
      #expect(throws: CancellationError.self) {
        try connection.transaction {
          try connection.run("DELETE FROM secrets")
          throw CancellationError()
        }
      }
      try connection.execute("PRAGMA wal_checkpoint(RESTART)")
      try check("moved")
      try connection.execute("VACUUM")
      try check("rewritten")
      try connection.finishCopy()
      try check("without a log")
      try connection.transaction {
        try connection.run("UPDATE secrets SET s = s || ' more clear text', b = zeroblob(3000)")
        try check("with a rollback journal")
      }
    }
    try check("closed")
    #expect(seen.isSuperset(of: Self.suffixes.map { "test.sqlite\($0)" }))
  }

  @Test func noTwoPagesHaveTheSameNonce() throws {
    let (first, second) = (try Scene(), try Scene())
    var nonces: [Data] = []
    for scene in [first, second] {
      let connection = try scene.open()
      try scene.fill(connection)
      let log = try scene.bytes("-wal")
      for frame in stride(from: 32, to: log.count, by: 4120) {
        nonces.append(log[frame + 24 + 4016..<frame + 24 + 4028])
      }
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      let file = try scene.bytes()
      for page in stride(from: 0, to: file.count, by: 4096) { nonces.append(file[page + 4016..<page + 4028]) }
    }
    #expect(nonces.count > 100)
    #expect(Set(nonces).count == nonces.count)
    // The data keys differ as well.
    #expect(try first.bytes()[4044..<4084] != second.bytes()[4044..<4084])
  }

  // MARK: - Keys

  @Test(arguments: [true, false]) func aWrongOrMissingKeyIsAnErrorAndChangesNothing(hasLog: Bool) throws {
    let original = try Scene()
    var writer: Connection? = try original.open()
    try original.fill(#require(writer))
    let right = try contents(#require(writer))
    if !hasLog { writer = nil }
    let scene = try original.copy()
    let files = scene.files()
    #expect(files["-wal"] != nil || !hasLog)
    #expect(code { _ = try scene.open(nil) } == .keyMissing)
    #expect(code { _ = try scene.open(Self.otherKey) } == .keyWrong)
    #expect(code { _ = try Connection.open(scene.path, migrations: [Migration("")]) } == .keyMissing)
    #expect(code { _ = try Connection.openExclusively(scene.path, key: Self.otherKey) } == .keyWrong)
    #expect(
      code { _ = try Connection.open(scene.path, disk: nil, salvages: true, key: Self.otherKey) } == .keyWrong
    )
    #expect(scene.files() == files)
    #expect(try contents(scene.open()) == right)
    withExtendedLifetime(writer) {}
  }

  @Test func aKeyForADatabaseThatIsNotEncryptedIsAnErrorAndChangesNothing() throws {
    let scene = try Scene()
    do { try scene.fill(scene.open(nil)) }
    let files = scene.files()
    #expect(code { _ = try scene.open() } == .notEncrypted)
    #expect(scene.files() == files)
  }

  /// A program without encryption, such as an earlier version or SQLite's own shell, which moves the log into
  /// the file when it closes a database that it can't read.
  @Test func aPlainProgramReportsAnErrorAndDoesNoHarm() throws {
    let original = try Scene()
    let writer = try original.open()
    try original.fill(writer)
    let right = try contents(writer)
    let scene = try original.copy()
    for sql in ["SELECT count(*) FROM sqlite_schema", "CREATE TABLE t (a)", "PRAGMA journal_mode = DELETE"] {
      #expect(faulty_disk_execute_plainly(scene.path, sql) == 26, "SQLITE_NOTADB")
      #expect(try contents(scene.copy().open()) == right)
    }
    #expect(try contents(scene.open()) == right)
  }

  @Test func databasesThatAreCreatedConcurrentlyHaveOneDataKey() throws {
    let scene = try Scene()
    let (first, second) = (try scene.open(), try scene.open())
    try first.execute("CREATE TABLE a (v)")
    try second.execute("CREATE TABLE b (v)")
    try first.execute("INSERT INTO b VALUES (1)")
    #expect(try second.first("SELECT v FROM b") { $0.integer(0) } == 1)
    #expect(try scene.open().first("SELECT count(*) FROM b") { $0.integer(0) } == 1)
  }

  // MARK: - Replacing the key

  @Test func aReplacedKeyOpensTheDatabaseAndTheFormerOneDoesNot() throws {
    let scene = try Scene()
    let connection = try scene.open()
    try scene.fill(connection)
    let right = try contents(connection)
    let other = try scene.open()
    #expect(try contents(other) == right)
    try connection.replaceKey(with: Self.otherKey)
    #expect(code { _ = try scene.open() } == .keyWrong)
    #expect(try contents(scene.open(Self.otherKey)) == right)
    // A connection with the former key continues, also to write page 1 and to move the log.
    try other.execute("CREATE TABLE more (v); INSERT INTO more VALUES (1); PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try contents(connection) == right)
    #expect(code { _ = try scene.open() } == .keyWrong)
    #expect(try scene.open(Self.otherKey).first("SELECT v FROM more") { $0.integer(0) } == 1)
    #expect(code { try scene.open(nil).execute("SELECT 1") } == .keyMissing)
  }

  /// The record is in the log first. A process may be killed at any point.
  @Test func aKeyThatIsBeingReplacedIsAlwaysOneOfTheTwo() throws {
    let scene = try Scene()
    let connection = try scene.open()
    try scene.fill(connection)
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let right = try contents(connection)
    // A reader keeps the log from being moved into the file.
    let reader = try scene.open()
    try reader.execute("PRAGMA busy_timeout = 0; BEGIN; SELECT count(*) FROM secrets")
    try connection.execute("PRAGMA busy_timeout = 0")
    #expect(code { try connection.replaceKey(with: Self.otherKey) } == .busy)
    #expect(try contents(connection) == right)
    let copy = try scene.copy()
    let files = copy.files()
    // The former key fits the file, but no longer the log.
    for _ in 0..<2 { #expect(code { _ = try copy.open() } == .keyWrong) }
    #expect(copy.files().filter { $0.key != "-shm" } == files)
    #expect(try contents(copy.open(Self.otherKey)) == right)
    #expect(code { _ = try copy.open() } == .keyWrong)
    // After a checkpoint by the reader, which has the former key.
    try reader.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(code { _ = try scene.open() } == .keyWrong)
    #expect(try contents(scene.open(Self.otherKey)) == right)
  }

  @Test func aKeyThatCannotBeReplacedWhileAnotherConnectionWritesStays() throws {
    let scene = try Scene()
    let connection = try scene.open()
    try scene.fill(connection)
    try connection.replaceKey(with: Self.otherKey)
    let right = try contents(connection)
    let writer = try scene.open(Self.otherKey)
    try connection.execute("PRAGMA busy_timeout = 0")
    try writer.execute("BEGIN IMMEDIATE")
    #expect(code { try connection.replaceKey(with: Self.key) } == .busy)
    try writer.execute("COMMIT")
    // Writes page 1 with the record of the present key.
    try connection.execute("CREATE TABLE more (v); PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try contents(scene.open(Self.otherKey)) == right)
    #expect(code { _ = try scene.open() } == .keyWrong)
  }

  @Test(arguments: [FAULTY_DISK_WRITE, FAULTY_DISK_SYNC])
  func aKeyThatCouldNotBeReplacedStays(operation: Int) throws {
    let disk = "encryption-\(UUID())"
    faulty_disk_create(disk)
    defer { faulty_disk_remove(disk) }
    var point: Int64 = 0
    while true {
      let scene = try Scene()
      var hasFailed = false
      do {
        let connection = try scene.open(disk: disk)
        try scene.fill(connection)
        let right = try contents(connection)
        faulty_disk_fail(disk, Int32(operation), point, 1, Int32(FAULTY_DISK_BREAKS))
        let failure = code { try connection.replaceKey(with: Self.otherKey) }
        let present = connection.hasKey(Self.otherKey) ? Self.otherKey : Self.key
        #expect(failure != nil || present == Self.otherKey)
        hasFailed = faulty_disk_failures(disk) > 0
        faulty_disk_fail(disk, 0, 0, 0, 0)
        try connection.run("INSERT INTO secrets VALUES (1000, 'clear', NULL)")
        try connection.execute("CREATE TABLE more (v)")
        let copy = try scene.copy()
        let keys = [Self.key, Self.otherKey].filter { key in code { _ = try copy.copy().open(key) } == nil }
        #expect(keys == [present], "point \(point)")
        #expect(try contents(copy.open(present)).count == right.count + 4)
      }
      guard hasFailed else { break }
      point += 1
    }
    #expect(point > 0)
  }

  // MARK: - Damage

  @Test func changedBitsOfTheFileAreNeverReturned() throws {
    let scene = try Scene()
    do { try scene.fill(scene.open()) }
    let right = try contents(scene.open())
    let file = try scene.bytes()
    var random = SeededGenerator(seed: TestSeeds.first)
    let random100 = (0..<TestSeeds.count("TENON_BIT_FLIPS", DeepTests.count(100, deep: 10_000))).map { _ in
      Int.random(in: 0..<file.count * 8, using: &random)
    }
    let header = (0..<100).map { $0 * 8 + $0 % 8 } + (4016..<4096).map { $0 * 8 + $0 % 8 }
    for bit in header + random100 {
      var damaged = file
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      try scene.write(damaged)
      #expect(try isReported(scene, right), "bit \(bit)")
      #expect(try scene.bytes() == damaged, "bit \(bit): reading changes nothing")
    }
  }

  /// Other connections have the log open, so it isn't recovered.
  @Test func changedBitsOfAnOpenLogAreNeverReturned() throws {
    let scene = try Scene()
    let writer = try scene.open()
    try scene.fill(writer)
    let right = try contents(writer)
    let log = try scene.bytes("-wal")
    let handle = try FileHandle(forWritingTo: URL(filePath: scene.path + "-wal"))
    var reported = 0
    let offsets = Array(stride(from: 32, to: log.count, by: 2_003))
    for (number, offset) in offsets.enumerated() {
      try handle.seek(toOffset: UInt64(offset))
      try handle.write(contentsOf: Data([log[offset] ^ 1 << UInt8(number % 8)]))
      if try isReported(scene, right) { reported += 1 }
      try handle.seek(toOffset: UInt64(offset))
      try handle.write(contentsOf: Data([log[offset]]))
    }
    #expect(reported > offsets.count / 2)
    #expect(try contents(scene.open()) == right)
  }

  @Test func changedBitsOfALogAreReportedWhenItIsRecovered() throws {
    let scene = try Scene()
    let writer = try scene.open()
    try scene.fill(writer)
    for n in 0..<5 { try writer.run("UPDATE secrets SET s = 'new' WHERE n = ?", [.integer(n)]) }
    let right = try contents(writer)
    let log = try scene.bytes("-wal")
    let offsets =
      Array(0..<56) + stride(from: 56, to: log.count, by: 4_001) + (log.count - 4120..<log.count - 4090)
    for offset in offsets {
      let copy = try scene.copy()
      var damaged = log
      damaged[offset] ^= 1
      try copy.write(damaged, "-wal")
      #expect(try isReported(copy, right), "byte \(offset)")
    }
  }

  /// Someone who can compute the checksums of a log still can't change a page.
  @Test func aForgedFrameIsReported() throws {
    let scene = try Scene()
    let writer = try scene.open()
    try scene.fill(writer)
    var log = [UInt8](try scene.bytes("-wal"))
    let right = try contents(writer)
    log[32 + 24 + 1_000] ^= 1
    var sums: [UInt32] = [24, 28].map { offset in log[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    for start in stride(from: 32, to: log.count, by: 4120) {
      tenon_log_checksum(Array(log[start..<start + 8]), 8, 0, &sums)
      tenon_log_checksum(Array(log[start + 24..<start + 4120]), 4096, 0, &sums)
      for (index, sum) in sums.enumerated() {
        for byte in 0..<4 {
          log[start + 16 + index * 4 + byte] = UInt8(truncatingIfNeeded: sum >> UInt32(24 - 8 * byte))
        }
      }
    }
    let copy = try scene.copy()
    try copy.write(Data(log), "-wal")
    try copy.write(Data(), "-walmark")
    #expect(try isReported(copy, right))
  }

  @Test(arguments: ["swapped", "zeroed", "cutOff", "cutOffInsideAPage", "ofAnotherDatabase"])
  func pagesInTheWrongPlaceAreReported(kind: String) throws {
    let (scene, other) = (try Scene(), try Scene())
    for scene in [scene, other] { do { try scene.fill(scene.open()) } }
    let right = try contents(scene.open())
    var file = try scene.bytes()
    let (third, fifth) = (4096 * 2..<4096 * 3, 4096 * 4..<4096 * 5)
    switch kind {
    case "swapped": file.replaceSubrange(third, with: file[fifth])
    case "zeroed": file.replaceSubrange(third, with: Data(count: 4096))
    case "cutOff": file = file.prefix(4096 * 4)
    case "cutOffInsideAPage": file = file.dropLast(1)
    default: file.replaceSubrange(third, with: try other.bytes()[third])
    }
    try scene.write(file)
    #expect(try isReported(scene, right))
    guard !kind.hasPrefix("cutOff") else { return }
    // It is the page that is found, not that the content is inconsistent.
    let error = #expect(throws: SQLiteError.self) { try contents(scene.open()) }
    #expect(error?.message.contains("doesn't match its checksum") == true)
  }

  // MARK: - Transactions

  /// The transaction changes more pages than the cache holds, so pages are written to the log before it ends,
  /// some of them twice.
  @Test func aTransactionThatSpillsReadsWhatItWrote() throws {
    let scene = try Scene()
    let connection = try scene.open()
    try connection.execute("PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 50")
    try scene.fill(connection)
    for round in 0..<3 {
      try connection.transaction {
        for n in 0..<200 {
          try connection.run("UPDATE secrets SET s = s || ? WHERE n = ?", [.text("\(round)"), .integer(n)])
        }
        #expect(
          try connection.first("SELECT count(*) FROM secrets WHERE s LIKE '%\(round)'") { $0.integer(0) }
            == 200)
      }
      #expect(throws: CancellationError.self) {
        try connection.transaction {
          try connection.run("UPDATE secrets SET b = zeroblob(9000)")
          throw CancellationError()
        }
      }
      let right = try contents(connection)
      #expect(try contents(scene.open()) == right)
      #expect(try contents(scene.copy().open()) == right)
    }
    #expect(try connection.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
  }

  /// Without synchronization at each commit, as a process that is killed leaves the log.
  @Test func aTransactionThatSpillsIsRecoveredWithoutSynchronization() throws {
    let scene = try Scene()
    let connection = try Connection.open(scene.path, durability: .normal, disk: nil, key: Self.key)
    try connection.execute("PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 0")
    try scene.fill(connection)
    for round in 0..<3 {
      try connection.transaction {
        for n in 0..<200 {
          try connection.run("UPDATE secrets SET s = s || ? WHERE n = ?", [.text("\(round)"), .integer(n)])
        }
        for n in 0..<200 {
          try connection.run("UPDATE secrets SET s = s || ? WHERE n = ?", [.text("\(round)"), .integer(n)])
        }
      }
      let right = try contents(connection)
      #expect(try contents(scene.copy().open()) == right)
    }
  }

  /// A process that is killed while a rollback journal is in use leaves one with encrypted pages.
  @Test func anEncryptedRollbackJournalIsPlayedBack() throws {
    let scene = try Scene()
    do {
      let connection = try scene.open()
      try scene.fill(connection)
      try connection.finishCopy()
    }
    let connection = try Connection.openExclusively(scene.path, key: Self.key)
    let right = try contents(connection)
    try connection.execute("PRAGMA cache_size = 5")
    var copy: Scene?
    #expect(throws: CancellationError.self) {
      try connection.transaction {
        try connection.run("UPDATE secrets SET b = zeroblob(5000), s = 'clear of change'")
        copy = try scene.copy()
        throw CancellationError()
      }
    }
    #expect(try contents(connection) == right)
    let left = try #require(copy)
    #expect(left.files()["-journal"]?.isEmpty == false)
    #expect(try left.bytes() != scene.bytes(), "pages were written before the end")
    #expect(try contents(left.open()) == right)
  }

  @Test(arguments: [FAULTY_DISK_WRITE, FAULTY_DISK_SYNC, FAULTY_DISK_READ])
  func noFailureOfTheDiskLosesACommittedTransaction(operation: Int) throws {
    let disk = "encryption-\(UUID())"
    faulty_disk_create(disk)
    defer { faulty_disk_remove(disk) }
    var point: Int64 = 0
    while true {
      let scene = try Scene()
      var hasFailed = false
      do {
        let connection = try scene.open(disk: disk)
        try connection.execute("PRAGMA cache_size = 10; CREATE TABLE t (n, v)")
        faulty_disk_fail(disk, Int32(operation), point, 1, Int32(FAULTY_DISK_BREAKS))
        var committed = 0
        for round in 1...4 {
          let isDone = code {
            try connection.transaction {
              try connection.run("DELETE FROM t")
              for _ in 0..<40 {
                try connection.run("INSERT INTO t VALUES (?, zeroblob(2000))", [.integer(Int64(round))])
              }
            }
          }
          if isDone == nil { committed = round }
          _ = code { try connection.execute("PRAGMA wal_checkpoint(PASSIVE)") }
        }
        hasFailed = faulty_disk_failures(disk) > 0
        faulty_disk_fail(disk, 0, 0, 0, 0)
        let copy = try scene.copy().open()
        let found = try copy.first("SELECT min(n), max(n), count(*) FROM t") { row in
          [row.integer(0), row.integer(1), row.integer(2)]
        }
        let right: [Int64] = committed == 0 ? [0, 0, 0] : [Int64(committed), Int64(committed), 40]
        #expect(found == right, "point \(point)")
      }
      guard hasFailed else { break }
      point += 1 + point / 4
    }
    #expect(point > 0)
  }

  // MARK: - Copies

  @Test func aCopyIsEncryptedWithItsOwnDataKey() throws {
    let scene = try Scene()
    let source = try scene.open()
    try scene.fill(source)
    let other = try Scene()
    do {
      let copy = try Connection.makeCopy(at: other.path, checksums: true, key: Self.otherKey)
      try source.copy(into: copy) { _, _ in }
      try copy.finishCopy()
    }
    #expect(code { _ = try other.open() } == .keyWrong)
    #expect(try contents(other.open(Self.otherKey)) == contents(source))
    #expect(try FileManager.default.contentsOfDirectory(atPath: other.directory.path) == ["test.sqlite"])
    #expect(try other.bytes().range(of: Data("clear".utf8)) == nil)
    do { try source.copy(into: Connection.openExclusively(other.path, key: Self.otherKey)) { _, _ in } }
    #expect(try contents(other.open(Self.otherKey)) == contents(source))
  }

  /// The last bytes of pages without space for the key would be lost.
  @Test func aPlainDatabaseIsNotCopiedIntoAnEncryptedOne() throws {
    let (plain, scene) = (try Scene(), try Scene())
    try plain.fill(plain.open(nil))
    do { try scene.fill(scene.open()) }
    let right = try contents(scene.open())
    #expect(throws: SQLiteError.self) {
      try plain.open(nil).copy(into: Connection.openExclusively(scene.path, key: Self.key)) { _, _ in }
    }
    #expect(try contents(scene.open()) == right)
  }

  @Test func aPlainDatabaseIsEncryptedIntoACopy() throws {
    let (plain, scene) = (try Scene(), try Scene())
    do { try plain.fill(plain.open(nil)) }
    do {
      let source = try Connection.openExclusively(plain.path, forEncryption: true)
      try source.removeLog()
      try source.encrypt(into: scene.path, key: Self.key)
      #expect(plain.files().keys.sorted() == [""])
    }
    #expect(try scene.bytes().range(of: Data("clear".utf8)) == nil)
    let copy = try scene.open()
    #expect(copy.hasChecksums)
    #expect(try contents(copy) == contents(plain.open(nil)))
    #expect(try copy.first("PRAGMA user_version") { $0.integer(0) } == 1)
    #expect(try copy.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
  }

  @Test func aDamagedInteriorPageHidesNoRows() throws {
    let scene = try Scene()
    do { try scene.fill(scene.open()) }
    let file = try scene.bytes()
    let pages = file.count / 4096
    var readable = 0
    for page in 1..<pages {
      var damaged = file
      damaged[page * 4096 + 3_000] ^= 8
      try scene.write(damaged)
      let connection = try Connection.open(scene.path, disk: nil, salvages: true, key: Self.key)
      do {
        if try connection.rows("SELECT n FROM secrets ORDER BY n", [], { $0.integer(0) }) == Array(0..<200) {
          readable += 1
        }
      } catch { #expect((error as? SQLiteError)?.code == .damaged) }
    }
    #expect(readable > 0)
  }
}
