import Foundation
import SQLiteFaults
import TenonChecksums
import TenonTestSupport
import Testing

@testable import TenonSQLite

/// The files of databases with a key, and opening them with the right key, another one and none.
@Suite(.limited) struct EncryptionTests {
  private static let key = DatabaseKey(0..<32)!
  private static let otherKey = DatabaseKey(1..<33)!

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
    let scene = try TestDatabase(Self.key)
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
    #expect(seen.isSuperset(of: TestDatabase.suffixes.map { "test.sqlite\($0)" }))
  }

  @Test func noTwoPagesHaveTheSameNonce() throws {
    let (first, second) = (try TestDatabase(Self.key), try TestDatabase(Self.key))
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
    let original = try TestDatabase(Self.key)
    var writer: Connection? = try original.open()
    try original.fill(#require(writer))
    let right = try #require(writer).contents()
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
    #expect(try scene.contents() == right)
    withExtendedLifetime(writer) {}
  }

  @Test func aKeyForADatabaseThatIsNotEncryptedIsAnErrorAndChangesNothing() throws {
    let scene = try TestDatabase(Self.key)
    do { try scene.fill(scene.open(nil)) }
    let files = scene.files()
    #expect(code { _ = try scene.open() } == .notEncrypted)
    #expect(scene.files() == files)
  }

  /// A program without encryption, such as an earlier version or SQLite's own shell, which moves the log into
  /// the file when it closes a database that it can't read.
  @Test func aPlainProgramReportsAnErrorAndDoesNoHarm() throws {
    let original = try TestDatabase(Self.key)
    let writer = try original.open()
    try original.fill(writer)
    let right = try writer.contents()
    let scene = try original.copy()
    for sql in ["SELECT count(*) FROM sqlite_schema", "CREATE TABLE t (a)", "PRAGMA journal_mode = DELETE"] {
      #expect(faulty_disk_execute_plainly(scene.path, sql) == 26, "SQLITE_NOTADB")
      #expect(try scene.copy().contents() == right)
    }
    #expect(try scene.contents() == right)
  }

  @Test func databasesThatAreCreatedConcurrentlyHaveOneDataKey() throws {
    let scene = try TestDatabase(Self.key)
    let (first, second) = (try scene.open(), try scene.open())
    try first.execute("CREATE TABLE a (v)")
    try second.execute("CREATE TABLE b (v)")
    try first.execute("INSERT INTO b VALUES (1)")
    #expect(try second.first("SELECT v FROM b") { $0.integer(0) } == 1)
    #expect(try scene.open().first("SELECT count(*) FROM b") { $0.integer(0) } == 1)
  }

  // MARK: - Copies

  @Test func aCopyIsEncryptedWithItsOwnDataKey() throws {
    let scene = try TestDatabase(Self.key)
    let source = try scene.open()
    try scene.fill(source)
    let other = try TestDatabase(Self.key)
    do {
      let copy = try Connection.makeCopy(at: other.path, checksums: true, key: Self.otherKey)
      try source.copy(into: copy) { _, _ in }
      try copy.finishCopy()
    }
    #expect(code { _ = try other.open() } == .keyWrong)
    #expect(try other.open(Self.otherKey).contents() == source.contents())
    #expect(try FileManager.default.contentsOfDirectory(atPath: other.directory.path) == ["test.sqlite"])
    #expect(try other.bytes().range(of: Data("clear".utf8)) == nil)
    do { try source.copy(into: Connection.openExclusively(other.path, key: Self.otherKey)) { _, _ in } }
    #expect(try other.open(Self.otherKey).contents() == source.contents())
  }

  /// The last bytes of pages without space for the key would be lost.
  @Test func aPlainDatabaseIsNotCopiedIntoAnEncryptedOne() throws {
    let (plain, scene) = (try TestDatabase(Self.key), try TestDatabase(Self.key))
    try plain.fill(plain.open(nil))
    try scene.fill()
    let right = try scene.contents()
    #expect(throws: SQLiteError.self) {
      try plain.open(nil).copy(into: Connection.openExclusively(scene.path, key: Self.key)) { _, _ in }
    }
    #expect(try scene.contents() == right)
  }

  @Test func aPlainDatabaseIsEncryptedIntoACopy() throws {
    let (plain, scene) = (try TestDatabase(Self.key), try TestDatabase(Self.key))
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
    #expect(try copy.contents() == plain.open(nil).contents())
    #expect(try copy.first("PRAGMA user_version") { $0.integer(0) } == 1)
    #expect(try copy.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
  }
}
