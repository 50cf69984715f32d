import Foundation
import SQLiteFaults
import TenonChecksums
import TenonTestSupport
import Testing

@testable import TenonSQLite

/// Databases whose bytes were changed by something other than SQLite.
@Suite(.limited) struct ChecksumTests {
  // MARK: - The checksum

  @Test func anyChangedBitChangesTheChecksum() {
    var page = (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    let right = tenon_page_checksum(page, page.count, 7)
    #expect(tenon_page_checksum(page, page.count, 8) != right)
    var seen: Set<UInt64> = [right]
    for bit in 0..<504 * 8 {
      page[bit / 8] ^= 1 << (bit % 8)
      seen.insert(tenon_page_checksum(page, page.count, 7))
      page[bit / 8] ^= 1 << (bit % 8)
    }
    #expect(seen.count == 504 * 8 + 1)
    // Two changes don't cancel each other out either.
    for first in stride(from: 0, to: 504 * 8, by: 61) {
      for second in stride(from: first + 1, to: 504 * 8, by: 67) {
        page[first / 8] ^= 1 << (first % 8)
        page[second / 8] ^= 1 << (second % 8)
        #expect(tenon_page_checksum(page, page.count, 7) != right)
        page[first / 8] ^= 1 << (first % 8)
        page[second / 8] ^= 1 << (second % 8)
      }
    }
  }

  // MARK: - The file

  @Test func aNewDatabaseHasChecksums() throws {
    let scene = try TestDatabase()
    try scene.fill()
    #expect(try scene.bytes()[20] == UInt8(TENON_CHECKSUM_SIZE))
    #expect(try scene.open().hasChecksums)
    #expect(try !Connection.open(nil).hasChecksums)
    // Other programs can read it.
    #expect(
      faulty_disk_execute_plainly(scene.path, "SELECT count(*) FROM secrets; PRAGMA integrity_check") == 0)
  }

  /// Changes bits of the header and of every page.
  @Test func changedBytesOfTheFileAreNeverReturned() throws {
    let scene = try TestDatabase()
    try scene.fill()
    let right = try scene.contents()
    let file = try scene.bytes()
    var reported = 0
    let offsets = Array(0..<100) + stride(from: 100, to: file.count, by: 1_009)
    for (number, offset) in offsets.enumerated() {
      var damaged = file
      damaged[offset] ^= 1 << (number % 8)
      try scene.write(damaged)
      if try scene.isReported(right) { reported += 1 }
      #expect(try scene.bytes() == damaged, "byte \(offset): reading changes nothing")
    }
    // All pages are in use.
    #expect(reported == offsets.count)
  }

  @Test func aPartiallyReadPageIsVerifiedCompletely() throws {
    let scene = try TestDatabase()
    try scene.fill()
    let file = try scene.bytes()
    for offset in [4096 * 3 + 4000, 4096 * 3 + 10] {
      var damaged = file
      damaged[offset] ^= 1
      try scene.write(damaged)
      let connection = try scene.open()
      var part = [UInt8](repeating: 0, count: 100)
      #expect(connection.read(&part, at: 4096 * 3 + 4) != 0)
      #expect(connection.read(&part, at: 4096 * 5 + 4) == 0)
      #expect(part == Array(file[4096 * 5 + 4..<4096 * 5 + 104]))
    }
  }

  /// One bit of the header states whether pages have checksums. Clearing it must not hide damage.
  @Test func aHeaderThatDisablesChecksumsIsReported() throws {
    let scene = try TestDatabase()
    do {
      let connection = try scene.open()
      try connection.execute("CREATE TABLE secrets (n INTEGER PRIMARY KEY, s TEXT, b BLOB)")
      try connection.execute("CREATE INDEX i ON secrets (s)")
      try connection.run("INSERT INTO secrets VALUES (1, 'clear text', NULL)")
    }
    let right = try scene.contents()
    var file = try scene.bytes()
    file[20] ^= UInt8(TENON_CHECKSUM_SIZE)
    try scene.write(file)
    #expect(try scene.isReported(right))
  }

  @Test(arguments: ["swapped", "zeroed", "cutOff", "cutOffInsideAPage", "older"])
  func pagesInTheWrongPlaceAreReported(kind: String) throws {
    let scene = try TestDatabase()
    try scene.fill()
    let right = try scene.contents()
    try scene.misplacePages(kind)
    #expect(try scene.isReported(right))
  }

  @Test func changesByAnotherProgramAreReported() throws {
    let scene = try TestDatabase()
    try scene.fill()
    #expect(faulty_disk_execute_plainly(scene.path, "UPDATE secrets SET s = 'forged' WHERE n = 3") == 0)
    let thrown = #expect(throws: SQLiteError.self) { try scene.contents() }
    #expect(thrown?.code == .damaged)
    #expect(thrown?.description.contains("doesn't match its checksum") == true)
  }

  // MARK: - The log

  /// Other connections have the log open, so it isn't recovered.
  @Test func changedBytesOfAnOpenLogAreNeverReturned() throws {
    let scene = try TestDatabase()
    let writer = try scene.open()
    try scene.fill(writer)
    let right = try writer.contents()
    try scene.checkChangesOfAnOpenLog(right)
  }

  /// Changes every significant byte of a log that is recovered. Because of the mark, not even the last
  /// transaction may be lost.
  @Test func changedBytesOfALogAreReportedWhenItIsRecovered() throws {
    let scene = try TestDatabase()
    let writer = try scene.open()
    try scene.fill(writer)
    for n in 0..<5 { try writer.run("UPDATE secrets SET s = 'new' WHERE n = ?", [.integer(n)]) }
    let right = try writer.contents()
    let log = try scene.bytes("-wal")
    var reported = 0
    let offsets = TestDatabase.offsets(ofLog: log)
    for offset in offsets {
      let copy = try scene.copy()
      var damaged = log
      damaged[offset] ^= 1
      try copy.write(damaged, "-wal")
      if try copy.isReported(right) { reported += 1 }
      #expect(
        try copy.bytes("-wal") == damaged || !FileManager.default.fileExists(atPath: copy.path + "-wal"))
    }
    #expect(reported == offsets.count)
  }

  @Test func aTruncatedLogIsReported() throws {
    let scene = try TestDatabase()
    let writer = try scene.open()
    try scene.fill(writer)
    let log = try scene.bytes("-wal")
    for size in [log.count - 1, log.count - 4120, 4120 * 3 + 32] {
      let copy = try scene.copy()
      try copy.write(log.prefix(size), "-wal")
      let thrown = #expect(throws: SQLiteError.self) { try copy.contents() }
      #expect(thrown?.code == .damaged)
      #expect(thrown?.description.contains(copy.path + "-wal") == true)
    }
  }

  /// The files are as after a power failure, because the mark isn't synchronized.
  @Test func aMissingDamagedOrOlderMarkDoesNotPreventRecovery() throws {
    let scene = try TestDatabase()
    let writer = try scene.open()
    try scene.fill(writer)
    let older = try scene.bytes("-walmark")
    try writer.run("UPDATE secrets SET s = 'new' WHERE n = 1")
    let right = try writer.contents()
    let mark = try scene.bytes("-walmark")
    #expect(mark != older && mark.count == TENON_LOG_MARK_SIZE)
    var damaged = mark
    for index in mark.indices {
      damaged = mark
      damaged[index] ^= 4
      let copy = try scene.copy()
      try copy.write(damaged, "-walmark")
      #expect(try copy.contents() == right, "byte \(index)")
    }
    for other in [Data(), older, mark.prefix(20), Data(count: 40)] {
      let copy = try scene.copy()
      try copy.write(other, "-walmark")
      #expect(try copy.contents() == right)
    }
    // An incomplete transaction.
    let copy = try scene.copy()
    try copy.write(try scene.bytes("-wal") + Data(repeating: 9, count: 6_000), "-wal")
    #expect(try copy.contents() == right)
  }

  @Test func theMarkIsDeletedWithItsLog() throws {
    let scene = try TestDatabase()
    do {
      let connection = try scene.open()
      try scene.fill(connection)
      #expect(FileManager.default.fileExists(atPath: scene.path + "-walmark"))
      // A restarted log has a new mark.
      try connection.execute("PRAGMA wal_checkpoint(RESTART)")
      let before = try scene.bytes("-walmark")
      try connection.run("UPDATE secrets SET s = 'new' WHERE n = 1")
      #expect(try scene.bytes("-walmark") != before)
      let right = try connection.contents()
      let copy = try scene.copy()
      #expect(try copy.contents() == right)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scene.directory.path) == ["test.sqlite"])
  }

  /// The transaction changes more pages than the cache holds, so pages are written to the log before it ends,
  /// some of them twice.
  @Test func aTransactionThatSpillsReadsWhatItWrote() throws {
    let scene = try TestDatabase()
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
      let right = try connection.contents()
      #expect(try scene.contents() == right)
      let copy = try scene.copy()
      #expect(try copy.contents() == right)
    }
  }

  /// A commit that failed after it had reached the disk leaves such a mark.
  @Test func aMarkOfFramesToOverwriteIsTruncatedFirst() throws {
    let scene = try TestDatabase()
    let writer = try scene.open()
    try writer.execute("PRAGMA cache_size = 10")
    try scene.fill(writer)
    let right = try writer.contents()
    var mark = tenon_log_mark()
    var bytes = [UInt8](try scene.bytes("-walmark"))
    #expect(tenon_decode_log_mark(bytes, bytes.count, &mark) != 0)
    mark.frames += 1
    tenon_encode_log_mark(&mark, &bytes)
    try scene.write(Data(bytes), "-walmark")
    var copy: TestDatabase?
    #expect(throws: CancellationError.self) {
      try writer.transaction {
        // More than the cache holds, so that frames are written.
        try writer.run("UPDATE secrets SET b = zeroblob(9000)")
        copy = try scene.copy()
        throw CancellationError()
      }
    }
    #expect(try #require(copy).contents() == right)
  }

  // MARK: - Earlier versions

  private static let first = [Migration("CREATE TABLE secrets (n INTEGER PRIMARY KEY, s TEXT, b BLOB)")]
  private static let second = first + [Migration("")]

  /// Creates a database like those of versions without checksums.
  private func makeOlder(_ scene: TestDatabase) throws {
    let sql = """
      PRAGMA journal_mode = WAL;
      CREATE TABLE secrets (n INTEGER PRIMARY KEY, s TEXT, b BLOB); CREATE INDEX i ON secrets (s);
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 500)
      INSERT INTO secrets SELECT i, 'clear text ' || i, randomblob(i * 10) FROM n;
      PRAGMA user_version = 1
      """
    #expect(faulty_disk_execute_plainly(scene.path, sql) == 0)
    #expect(try scene.bytes()[20] == 0)
  }

  @Test func anOlderDatabaseGetsChecksums() throws {
    let scene = try TestDatabase()
    try makeOlder(scene)
    let right = try scene.contents()
    do {
      let connection = try Connection.open(scene.path, migrations: Self.second)
      #expect(connection.hasChecksums)
      #expect(try connection.contents() == right)
    }
    #expect(try scene.contents() == right)
    let file = try scene.bytes()
    #expect(file[20] == UInt8(TENON_CHECKSUM_SIZE))
    for page in stride(from: 0, to: file.count, by: 4096) {
      let sum = Array(file[page..<page + 4096]).withUnsafeBytes {
        tenon_page_checksum($0.baseAddress, 4096, UInt64(page / 4096 + 1))
      }
      #expect(file[page + 4088..<page + 4096].reversed().reduce(0) { $0 << 8 | UInt64($1) } == sum)
    }
  }

  @Test func anOlderDatabaseInUseIsLeftWithoutChecksums() throws {
    let scene = try TestDatabase()
    try makeOlder(scene)
    let right = try scene.contents()
    var other: Connection? = try scene.open()
    #expect(try #require(other).contents() == right)
    do {
      let connection = try Connection.open(scene.path, migrations: Self.second)
      #expect(!connection.hasChecksums)
      #expect(try connection.contents() == right)
      try connection.run("INSERT INTO secrets VALUES (1000, 'u', NULL)")
    }
    #expect(try other?.first("SELECT count(*) FROM secrets") { $0.integer(0) } == 501)
    other = nil
    let connection = try Connection.open(scene.path, migrations: Self.second)
    #expect(connection.hasChecksums)
    #expect(try connection.first("SELECT count(*) FROM secrets") { $0.integer(0) } == 501)
  }

  /// Adds checksums while the disk fails at each operation in turn, which also covers a process that is
  /// killed there.
  @Test(arguments: [
    FAULTY_DISK_WRITE, FAULTY_DISK_SYNC, FAULTY_DISK_READ, FAULTY_DISK_TRUNCATE, FAULTY_DISK_LOCK,
  ])
  func addingChecksumsLosesNothing(operation: Int) throws {
    let disk = "checksums-\(UUID())"
    faulty_disk_create(disk)
    defer { faulty_disk_remove(disk) }
    let older = try TestDatabase()
    try makeOlder(older)
    let right = try older.contents()
    var point: Int64 = 0
    while true {
      let scene = try TestDatabase()
      try scene.write(try older.bytes())
      faulty_disk_fail(disk, Int32(operation), point, .max, Int32(FAULTY_DISK_BREAKS))
      _ = try? Connection.open(scene.path, migrations: Self.second, disk: disk)
      let hasFailed = faulty_disk_failures(disk) > 0
      faulty_disk_fail(disk, 0, 0, 0, 0)
      let connection = try Connection.open(scene.path, migrations: Self.second)
      #expect(try connection.contents() == right, "point \(point)")
      #expect(connection.hasChecksums)
      guard hasFailed else { break }
      point += 1 + point / 4
    }
    #expect(point > 0)
  }

  // MARK: - Salvage

  @Test func aDamagedInteriorPageHidesNoRows() throws {
    let scene = try TestDatabase()
    try scene.fill()
    let file = try scene.bytes()
    // Interior pages of tables begin with 5. The space between the pointers and the cells is unused.
    let interior = try #require(stride(from: 4096, to: file.count, by: 4096).first { file[$0] == 5 })
    for offset in [20, 60, interior + 2_000] {
      var damaged = file
      damaged[offset] ^= 8
      try scene.write(damaged)
      #expect(throws: SQLiteError.self) { try scene.contents() }
      let connection = try Connection.open(scene.path, disk: nil, salvages: true)
      #expect(try connection.rows("SELECT n FROM secrets ORDER BY n") { $0.integer(0) } == Array(0..<200))
    }
    let leaf = try #require(stride(from: 4096, to: file.count, by: 4096).first { file[$0] == 13 })
    var damaged = file
    damaged[leaf + 4_000] ^= 8
    try scene.write(damaged)
    let connection = try Connection.open(scene.path, disk: nil, salvages: true)
    let thrown = #expect(throws: SQLiteError.self) {
      try connection.rows("SELECT b FROM secrets") { $0.blob(0) }
    }
    #expect(thrown?.code == .damaged, "rows are never returned unverified")
  }
}
