import Foundation
import SQLiteFaults
import TenonTestSupport
import Testing

@testable import TenonSQLite

/// Replacing the key of a database.
@Suite(.limited) struct KeyReplacementTests {
  private static let key = DatabaseKey(0..<32)!
  private static let otherKey = DatabaseKey(1..<33)!

  @Test func aReplacedKeyOpensTheDatabaseAndTheFormerOneDoesNot() throws {
    let scene = try TestDatabase(Self.key)
    let connection = try scene.open()
    try scene.fill(connection)
    let right = try connection.contents()
    let other = try scene.open()
    #expect(try other.contents() == right)
    try connection.replaceKey(with: Self.otherKey)
    #expect(code { _ = try scene.open() } == .keyWrong)
    #expect(try scene.open(Self.otherKey).contents() == right)
    // A connection with the former key continues, also to write page 1 and to move the log.
    try other.execute("CREATE TABLE more (v); INSERT INTO more VALUES (1); PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try connection.contents() == right)
    #expect(code { _ = try scene.open() } == .keyWrong)
    #expect(try scene.open(Self.otherKey).first("SELECT v FROM more") { $0.integer(0) } == 1)
    #expect(code { try scene.open(nil).execute("SELECT 1") } == .keyMissing)
  }

  /// The record is in the log first. A process may be killed at any point.
  @Test func aKeyThatIsBeingReplacedIsAlwaysOneOfTheTwo() throws {
    let scene = try TestDatabase(Self.key)
    let connection = try scene.open()
    try scene.fill(connection)
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let right = try connection.contents()
    // A reader keeps the log from being moved into the file.
    let reader = try scene.open()
    try reader.execute("PRAGMA busy_timeout = 0; BEGIN; SELECT count(*) FROM secrets")
    try connection.execute("PRAGMA busy_timeout = 0")
    #expect(code { try connection.replaceKey(with: Self.otherKey) } == .busy)
    #expect(try connection.contents() == right)
    let copy = try scene.copy()
    let files = copy.files()
    // The former key fits the file, but no longer the log.
    for _ in 0..<2 { #expect(code { _ = try copy.open() } == .keyWrong) }
    #expect(copy.files().filter { $0.key != "-shm" } == files)
    #expect(try copy.open(Self.otherKey).contents() == right)
    #expect(code { _ = try copy.open() } == .keyWrong)
    // After a checkpoint by the reader, which has the former key.
    try reader.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(code { _ = try scene.open() } == .keyWrong)
    #expect(try scene.open(Self.otherKey).contents() == right)
  }

  @Test func aKeyThatCannotBeReplacedWhileAnotherConnectionWritesStays() throws {
    let scene = try TestDatabase(Self.key)
    let connection = try scene.open()
    try scene.fill(connection)
    try connection.replaceKey(with: Self.otherKey)
    let right = try connection.contents()
    let writer = try scene.open(Self.otherKey)
    try connection.execute("PRAGMA busy_timeout = 0")
    try writer.execute("BEGIN IMMEDIATE")
    #expect(code { try connection.replaceKey(with: Self.key) } == .busy)
    try writer.execute("COMMIT")
    // Writes page 1 with the record of the present key.
    try connection.execute("CREATE TABLE more (v); PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try scene.open(Self.otherKey).contents() == right)
    #expect(code { _ = try scene.open() } == .keyWrong)
  }

  @Test(arguments: [FAULTY_DISK_WRITE, FAULTY_DISK_SYNC])
  func aKeyThatCouldNotBeReplacedStays(operation: Int) throws {
    let disk = "encryption-\(UUID())"
    faulty_disk_create(disk)
    defer { faulty_disk_remove(disk) }
    var point: Int64 = 0
    while true {
      let scene = try TestDatabase(Self.key)
      var hasFailed = false
      do {
        let connection = try scene.open(disk: disk)
        try scene.fill(connection)
        let right = try connection.contents()
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
        #expect(try copy.open(present).contents().count == right.count + 4)
      }
      guard hasFailed else { break }
      point += 1
    }
    #expect(point > 0)
  }
}
