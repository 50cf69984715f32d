import Foundation
import SQLiteFaults
import TenonTestSupport
import Testing

@testable import TenonSQLite

/// The writes to a log, which reach the disk in groups of pages.
@Suite(.limited) struct GatheredWritesTests {
  private static let keys: [DatabaseKey?] = [nil, DatabaseKey(0..<32)]

  /// A database on a disk that counts writes and fails.
  private final class Scene {
    let disk = "gathered-\(UUID())"
    let database: TestDatabase

    init(_ key: DatabaseKey?) throws {
      faulty_disk_create(disk)
      database = try TestDatabase(key)
    }

    deinit { faulty_disk_remove(disk) }

    func open() throws -> Connection {
      let connection = try database.open(disk: disk)
      try connection.execute("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, v, padding)")
      return connection
    }

    /// Makes a write fail, the first one that may.
    func fail(_ kind: Int = FAULTY_DISK_BREAKS, after skip: Int = 0, times: Int64 = 1) {
      faulty_disk_fail(disk, Int32(FAULTY_DISK_WRITE), Int64(skip), times, Int32(kind))
    }

    func heal() { fail(times: 0) }
    var writes: Int { Int(faulty_disk_count(disk)) }

    /// The values in a copy of the files as a process that is killed now would leave them.
    func copiedValues() throws -> [Int64] { try values(database.copy().open()) }
  }

  private static func values(_ connection: Connection) throws -> [Int64] {
    try connection.rows("SELECT v FROM t ORDER BY v") { $0.integer(0) }
  }

  private static func insert(_ value: Int, pages: Int, _ connection: Connection) throws {
    for _ in 0..<pages {
      try connection.run("INSERT INTO t (v, padding) VALUES (?, zeroblob(3000))", [.integer(value)])
    }
  }

  @Test(arguments: keys) func aTransactionWritesSeveralPagesWithOneCall(key: DatabaseKey?) throws {
    let scene = try Scene(key)
    let connection = try scene.open()
    try connection.transaction { try Self.insert(0, pages: 200, connection) }
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    scene.heal()
    try connection.transaction { try connection.run("UPDATE t SET v = 1") }
    // 200 frames, 16 with each call, the header of the log and the mark.
    #expect((10...20).contains(scene.writes), "\(scene.writes) writes")
    scene.heal()
    try connection.transaction { try connection.run("UPDATE t SET v = 2 WHERE id = 7") }
    // One frame, and the mark.
    #expect(scene.writes == 2)
    #expect(try scene.copiedValues().count == 200)
  }

  /// Pages that a transaction wrote to the log before it was rolled back must not appear there later, in the
  /// place of those that another connection has committed.
  @Test(arguments: keys) func whatARolledBackTransactionLeftIsNotWritten(key: DatabaseKey?) throws {
    let scene = try Scene(key)
    let (first, second) = (try scene.open(), try scene.open())
    try first.execute("PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 0")
    try first.transaction { try Self.insert(0, pages: 60, first) }
    for round in 1...5 {
      #expect(throws: CancellationError.self) {
        try first.transaction {
          try first.run("UPDATE t SET v = -1")
          #expect(try first.first("SELECT sum(v) FROM t") { $0.integer(0) } == -60)
          throw CancellationError()
        }
      }
      try second.transaction { try second.run("UPDATE t SET v = v + 1") }
      let expected = Array(repeating: Int64(round), count: 60)
      #expect(try Self.values(second) == expected)
      #expect(try Self.values(first) == expected)
      #expect(try scene.copiedValues() == expected)
    }
  }

  /// A rolled back part of a transaction is written over by what follows.
  @Test(arguments: keys) func aSavepointIsRolledBackAfterPagesWereWritten(key: DatabaseKey?) throws {
    let scene = try Scene(key)
    let connection = try scene.open()
    try connection.execute("PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 0")
    try connection.transaction { try Self.insert(1, pages: 60, connection) }
    try connection.transaction {
      try connection.run("UPDATE t SET v = 2 WHERE id <= 30")
      for _ in 0..<3 {
        try connection.execute("SAVEPOINT part")
        try connection.run("UPDATE t SET v = 3")
        try connection.execute("ROLLBACK TO part; RELEASE part")
      }
      try connection.run("UPDATE t SET v = 4 WHERE id > 55")
    }
    let expected =
      Array(repeating: 1, count: 25) + Array(repeating: 2, count: 30) + Array(repeating: 4, count: 5)
      as [Int64]
    #expect(try Self.values(connection) == expected)
    #expect(try scene.copiedValues() == expected)
    #expect(try connection.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
  }

  /// Each write of a transaction that spills fails once.
  @Test(arguments: keys, [FAULTY_DISK_BREAKS, FAULTY_DISK_IS_FULL, FAULTY_DISK_WRITES_SHORT])
  func aTransactionOfWhichAnyWriteFailsIsUndone(key: DatabaseKey?, kind: Int) throws {
    let scene = try Scene(key)
    let connection = try scene.open()
    try connection.execute("PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 0")
    try connection.transaction { try Self.insert(0, pages: 60, connection) }
    var (failures, value) = (0, 0 as Int64)
    for skip in 0..<40 {
      scene.fail(kind, after: skip)
      do {
        try connection.transaction { try connection.run("UPDATE t SET v = v + 1") }
        value += 1
      } catch let error as SQLiteError {
        failures += 1
        #expect(error.code == (kind == FAULTY_DISK_BREAKS ? .io : .full))
      }
      scene.heal()
      let expected = Array(repeating: value, count: 60)
      #expect(try Self.values(connection) == expected, "write \(skip)")
      #expect(try scene.copiedValues() == expected, "write \(skip)")
    }
    #expect(failures > 3)
    #expect(try connection.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
  }

  /// The first write of a connection reads the log's page size and its mark first.
  @Test(arguments: keys, 0..<6) func theFirstTransactionIsKeptOrFailsIfAReadFails(
    key: DatabaseKey?, skip: Int
  ) throws {
    let scene = try Scene(key)
    let first = try scene.open()
    try first.execute("PRAGMA wal_autocheckpoint = 0")
    try first.transaction { try Self.insert(1, pages: 3, first) }
    let second = try scene.open()
    try second.execute("PRAGMA synchronous = OFF")
    let before = try Self.values(second)
    faulty_disk_fail(scene.disk, Int32(FAULTY_DISK_READ), Int64(skip), 1, Int32(FAULTY_DISK_BREAKS))
    var isKept = true
    do {
      try second.transaction { try second.run("UPDATE t SET v = 2 WHERE id = 1") }
    } catch let error as SQLiteError {
      #expect(error.code == .io)
      isKept = false
    }
    scene.heal()
    let expected = isKept ? [1, 1, 2] : before
    #expect(try Self.values(first) == expected)
    #expect(try Self.values(second) == expected)
    #expect(try scene.copiedValues() == expected)
  }
}
