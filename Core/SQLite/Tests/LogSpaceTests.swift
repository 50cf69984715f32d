import Foundation
import SQLiteFaults
import TenonTestSupport
import Testing

@testable import TenonSQLite

/// The zeros at the end of a log, in whose place the next transactions are written.
@Suite(.limited) struct LogSpaceTests {
  private static let keys: [DatabaseKey?] = [nil, DatabaseKey(0..<32)]
  private static let step = 131_072

  /// A database whose log is empty.
  private static func open(_ database: TestDatabase, disk: String? = nil) throws -> Connection {
    let connection = try database.open(disk: disk)
    try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return connection
  }

  private static func values(_ connection: Connection) throws -> [Int64] {
    try connection.rows("SELECT v FROM t ORDER BY v") { $0.integer(0) }
  }

  @Test(arguments: keys) func smallTransactionsMakeTheLogLongerInSteps(key: DatabaseKey?) throws {
    let database = try TestDatabase(key)
    let connection = try Self.open(database)
    var sizes: [Int] = []
    for value in 0..<60 {
      try connection.run("INSERT INTO t (v) VALUES (?)", [.integer(value)])
      sizes.append(try database.bytes("-wal").count)
      // What a process that is killed now leaves is read as far as it was written.
      if value % 7 == 0 { #expect(try Self.values(database.copy().open()).count == value + 1) }
    }
    #expect(Set(sizes) == [Self.step, 2 * Self.step])
    #expect(sizes.prefix(30).allSatisfy { $0 == Self.step })
  }

  @Test(arguments: keys) func aLargeTransactionLeavesNoSpace(key: DatabaseKey?) throws {
    let database = try TestDatabase(key)
    let connection = try Self.open(database)
    try connection.transaction {
      for _ in 0..<40 { try connection.run("INSERT INTO t (v) VALUES (zeroblob(4000))") }
    }
    let size = try database.bytes("-wal").count
    #expect(size > Self.step && (size - 32) % 4_120 == 0)
  }

  @Test func transactionsThatAreNotSynchronizedLeaveNoSpace() throws {
    let database = try TestDatabase()
    let connection = try Self.open(database)
    try connection.unsyncedTransaction { try connection.run("INSERT INTO t (v) VALUES (1)") }
    #expect(try database.bytes("-wal").count < Self.step)
  }

  /// The zeros aren't needed: a transaction for which they can't be written is committed.
  @Test(arguments: keys, [FAULTY_DISK_BREAKS, FAULTY_DISK_IS_FULL, FAULTY_DISK_WRITES_SHORT])
  func withoutSpaceATransactionIsCommitted(key: DatabaseKey?, kind: Int) throws {
    let disk = "space-\(UUID())"
    faulty_disk_create(disk)
    defer { faulty_disk_remove(disk) }
    let database = try TestDatabase(key)
    let connection = try Self.open(database, disk: disk)
    for value in 0..<3 {
      // The zeros follow the frames, and the first frame follows the header.
      faulty_disk_fail(disk, Int32(FAULTY_DISK_WRITE), value == 0 ? 2 : 1, 1, Int32(kind))
      try connection.run("INSERT INTO t (v) VALUES (?)", [.integer(value)])
      faulty_disk_fail(disk, Int32(FAULTY_DISK_WRITE), 0, 0, Int32(kind))
      #expect(try database.bytes("-wal").count < Self.step, "the zeros weren't written")
      let expected = Array(0...Int64(value))
      #expect(try Self.values(connection) == expected)
      #expect(try Self.values(database.copy().open()) == expected)
    }
    #expect(try connection.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
  }

  /// Damage before the zeros is found, and changes in them have no effect.
  @Test(arguments: keys) func damageBeforeTheSpaceIsFound(key: DatabaseKey?) throws {
    let database = try TestDatabase(key)
    let connection = try Self.open(database)
    for value in 0..<5 { try connection.run("INSERT INTO t (v) VALUES (?)", [.integer(value)]) }
    let log = try database.bytes("-wal")
    for offset in stride(from: 40, to: log.count, by: 1_009) {
      let copy = try database.copy()
      var damaged = log
      damaged[offset] ^= 4
      try copy.write(damaged, "-wal")
      if offset < 32 + 5 * 4_120 {
        let thrown = #expect(throws: SQLiteError.self) { try Self.values(copy.open()) }
        #expect(thrown?.code == .damaged, "byte \(offset)")
      } else {
        #expect(try Self.values(copy.open()) == [0, 1, 2, 3, 4], "byte \(offset)")
      }
    }
  }
}
