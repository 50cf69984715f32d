import Foundation
import SQLiteFaults
import TenonSQLite
import TenonTestSupport
import Testing

/// The errors and the state of a database on a failing disk.
@Suite(.limited) struct FailingDiskTests {
  /// A database on its own disk, and a directory for copies of it.
  private final class Scene {
    let disk = "failing-\(UUID())"
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-sqlite-\(UUID())")
    var path: String { directory.appending(path: "test.sqlite").path }

    init() throws {
      faulty_disk_create(disk)
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
      faulty_disk_remove(disk)
      try? FileManager.default.removeItem(at: directory)
    }

    func open() throws -> Connection {
      let connection = try Connection.open(path, disk: disk)
      try connection.execute("CREATE TABLE t (v, padding)")
      return connection
    }

    func fail(_ operations: Int, times: Int64 = .max) {
      faulty_disk_fail(disk, Int32(operations), 0, times, Int32(FAULTY_DISK_BREAKS))
    }

    func heal() { fail(0) }

    /// The header of the write-ahead log.
    func logHead() throws -> Data { try Data(contentsOf: URL(filePath: path + "-wal")).prefix(32) }

    /// Copies the files as a process that is killed now would leave them.
    func copy() throws -> String {
      let copy = directory.appending(path: "copy-\(UUID()).sqlite").path
      for ending in ["", "-wal", "-walmark"] {
        try FileManager.default.copyItem(atPath: path + ending, toPath: copy + ending)
      }
      return copy
    }
  }

  private func insert(_ value: Int, pages: Int, _ connection: Connection) throws {
    try connection.transaction {
      try connection.run("INSERT INTO t VALUES (?, zeroblob(?))", [.integer(value), .integer(pages * 4096)])
    }
  }

  private func values(_ connection: Connection) throws -> [Int64] {
    try connection.rows("SELECT v FROM t ORDER BY v") { $0.integer(0) }
  }

  @Test func aCommitThatCouldNotBeSynchronizedIsNeverRecovered() throws {
    let scene = try Scene()
    let connection = try scene.open()
    try insert(1, pages: 1, connection)
    for times in [1, 2, Int64.max] {
      scene.fail(FAULTY_DISK_SYNC, times: times)
      #expect(code { try insert(2, pages: 5, connection) } == .io)
      #expect(try values(connection) == [1])
      #expect(try values(Connection.open(scene.copy())) == [1])
    }
    scene.heal()
    try insert(3, pages: 1, connection)
    #expect(try values(connection) == [1, 3])
    #expect(try values(Connection.open(scene.copy())) == [1, 3])
  }

  /// A new log with an incomplete header replaces one that was checkpointed completely.
  @Test func aPartlyWrittenLogHeaderIsNotReportedAsDamage() throws {
    let scene = try Scene()
    let connection = try scene.open()
    try insert(1, pages: 3, connection)
    try connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    let head = try scene.logHead()
    faulty_disk_fail(scene.disk, Int32(FAULTY_DISK_WRITE), 0, 1, Int32(FAULTY_DISK_WRITES_SHORT))
    #expect(code { try insert(2, pages: 1, connection) } == .full)
    let torn = try scene.logHead()
    #expect(torn.prefix(16) != head.prefix(16))
    #expect(torn.suffix(16) == head.suffix(16))

    #expect(try values(Connection.open(scene.copy())) == [1])
    scene.heal()
    try insert(3, pages: 1, connection)
    #expect(try values(Connection.open(scene.copy())) == [1, 3])
  }

  @Test(arguments: [[9], [9, 3], [3, 9], [9, 5, 2], [2, 5, 9, 4]])
  func framesOfFailedTransactionsAreNotReportedAsDamage(pages: [Int]) throws {
    let scene = try Scene()
    let connection = try scene.open()
    try insert(0, pages: 1, connection)
    scene.fail(FAULTY_DISK_SYNC)
    for pages in pages { #expect(code { try insert(-1, pages: pages, connection) } == .io) }
    scene.heal()
    #expect(try values(Connection.open(scene.copy())) == [0])
    for value in 1...4 {
      try insert(value, pages: 0, connection)
      #expect(try values(Connection.open(scene.copy())) == Array(0...Int64(value)))
    }
  }

  /// Damages the log at many bytes. Either the transactions before the damage are read, or the damage is
  /// reported. No transaction may silently be missing but the last one, which can't be distinguished from an
  /// incomplete one.
  @Test func damageInTheLogIsReported() throws {
    let scene = try Scene()
    let connection = try scene.open()
    for value in 0..<10 { try insert(value, pages: value % 3, connection) }
    let sound = try scene.copy()
    let log = try Data(contentsOf: URL(filePath: sound + "-wal"))
    var reported = 0
    // Every byte of the log's header and of the headers of the last frames, and some other bytes.
    let offsets = (0..<log.count).filter { offset in
      let isOfHead = (offset - 32) % 4120 < 24 && offset > log.count - 5 * 4120
      return offset < 32 || isOfHead || offset % 997 == 0
    }
    for offset in offsets {
      let copy = scene.directory.appending(path: "damaged-\(offset).sqlite").path
      try FileManager.default.copyItem(atPath: sound, toPath: copy)
      var damaged = log
      damaged[offset] ^= 0x10
      try damaged.write(to: URL(filePath: copy + "-wal"))
      do {
        let found = try values(Connection.open(copy))
        #expect(found == Array(0..<10) || found == Array(0..<9), "byte \(offset)")
      } catch let error as SQLiteError {
        reported += 1
        #expect(error.code == .damaged && error.description.contains(copy + "-wal"))
        #expect(try Data(contentsOf: URL(filePath: copy + "-wal")) == damaged)
      }
    }
    #expect(reported > 20)
  }

  @Test func withoutConnectionsExcludesOtherConnections() throws {
    let scene = try Scene()
    var connection: Connection? = try scene.open()
    #expect(code { try Connection.withoutConnections(to: scene.path) {} } == .busy)
    #expect(connection?.path == scene.path)
    connection = nil
    let result = try Connection.withoutConnections(to: scene.path) {
      // No connection can be opened during this.
      code { _ = try Connection.open(scene.path, busyTimeout: .zero) }
    }
    #expect(result == .busy)
    _ = try Connection.open(scene.path)
  }
}
