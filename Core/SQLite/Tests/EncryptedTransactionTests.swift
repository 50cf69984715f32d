import Foundation
import SQLiteFaults
import TenonTestSupport
import Testing

@testable import TenonSQLite

/// Transactions of encrypted databases: in the log, in a rollback journal, and on failing disks.
@Suite(.limited) struct EncryptedTransactionTests {
  private static let key = DatabaseKey(0..<32)!

  /// The transaction changes more pages than the cache holds, so pages are written to the log before it ends,
  /// some of them twice.
  @Test func aTransactionThatSpillsReadsWhatItWrote() throws {
    let scene = try TestDatabase(Self.key)
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
      #expect(try scene.copy().contents() == right)
    }
    #expect(try connection.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
  }

  /// Without synchronization at each commit, as a process that is killed leaves the log.
  @Test func aTransactionThatSpillsIsRecoveredWithoutSynchronization() throws {
    let scene = try TestDatabase(Self.key)
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
      let right = try connection.contents()
      #expect(try scene.copy().contents() == right)
    }
  }

  /// A process that is killed while a rollback journal is in use leaves one with encrypted pages.
  @Test func anEncryptedRollbackJournalIsPlayedBack() throws {
    let scene = try TestDatabase(Self.key)
    do {
      let connection = try scene.open()
      try scene.fill(connection)
      try connection.finishCopy()
    }
    let connection = try Connection.openExclusively(scene.path, key: Self.key)
    let right = try connection.contents()
    try connection.execute("PRAGMA cache_size = 5")
    var copy: TestDatabase?
    #expect(throws: CancellationError.self) {
      try connection.transaction {
        try connection.run("UPDATE secrets SET b = zeroblob(5000), s = 'clear of change'")
        copy = try scene.copy()
        throw CancellationError()
      }
    }
    #expect(try connection.contents() == right)
    let left = try #require(copy)
    #expect(left.files()["-journal"]?.isEmpty == false)
    #expect(try left.bytes() != scene.bytes(), "pages were written before the end")
    #expect(try left.contents() == right)
  }

  @Test(arguments: [FAULTY_DISK_WRITE, FAULTY_DISK_SYNC, FAULTY_DISK_READ])
  func noFailureOfTheDiskLosesACommittedTransaction(operation: Int) throws {
    let disk = "encryption-\(UUID())"
    faulty_disk_create(disk)
    defer { faulty_disk_remove(disk) }
    var point: Int64 = 0
    while true {
      let scene = try TestDatabase(Self.key)
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
}
