import Foundation
import SQLiteFaults
import TenonTestSupport
import Testing

@testable import TenonSQLite

/// Page 1, which SQLite reads before it knows what else belongs to a database.
@Suite(.limited) struct FirstPageTests {
  /// A database on its own disk.
  private final class Scene {
    let disk = "first-page-\(UUID())"
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

    func size(_ suffix: String = "") -> Int? {
      FileManager.default.contents(atPath: path + suffix)?.count
    }
  }

  private static let keys = [nil, DatabaseKey(0..<32)]

  /// The process was killed after it had written page 1 and before it deleted the rollback journal, which
  /// commits the creation. SQLite rolls it back, after the key was read from page 1.
  @Test(arguments: keys) func aDatabaseWhoseCreationWasInterruptedIsEmpty(key: DatabaseKey?) throws {
    let (scene, left) = (try Scene(), try Scene())
    do {
      let connection = Connection(
        handle: try Connection.handle(scene.path, disk: scene.disk, key: key), path: scene.path, key: key)
      faulty_disk_fail(scene.disk, Int32(FAULTY_DISK_DELETE), 0, .max, Int32(FAULTY_DISK_BREAKS))
      #expect(throws: SQLiteError.self) { try connection.execute("PRAGMA journal_mode = WAL") }
      for suffix in ["", "-journal"] {
        try FileManager.default.copyItem(atPath: scene.path + suffix, toPath: left.path + suffix)
      }
      faulty_disk_fail(scene.disk, 0, 0, 0, 0)
    }
    #expect(left.size() == 4096)
    #expect(try #require(left.size("-journal")) > 0)
    let connection = try Connection.open(left.path, disk: nil, key: key)
    #expect(left.size("-journal") == nil)
    try connection.execute("CREATE TABLE t (v); INSERT INTO t VALUES (1)")
    let other = try Connection.open(left.path, disk: nil, key: key)
    #expect(try other.first("SELECT v FROM t") { $0.integer(0) } == 1)
  }

  /// The first reads return half of the page, as while another process is moving it from the log into the
  /// file.
  @Test(arguments: keys, [1, 3]) func aPageThatIsBeingWrittenIsReadAgain(key: DatabaseKey?, times: Int64)
    throws
  {
    let scene = try Scene()
    do {
      let connection = try Connection.open(scene.path, disk: nil, key: key)
      try connection.execute("CREATE TABLE t (v); INSERT INTO t VALUES (1)")
    }
    faulty_disk_tear(scene.disk, times)
    let connection = try Connection.open(scene.path, disk: scene.disk, key: key)
    #expect(try connection.first("SELECT v FROM t") { $0.integer(0) } == 1)
  }

  @Test(arguments: keys) func aPageThatStaysHalfWrittenIsDamaged(key: DatabaseKey?) throws {
    let scene = try Scene()
    do { try Connection.open(scene.path, disk: nil, key: key).execute("CREATE TABLE t (v)") }
    faulty_disk_tear(scene.disk, .max)
    let error = #expect(throws: SQLiteError.self) {
      try Connection.open(scene.path, disk: scene.disk, key: key).execute("SELECT v FROM t")
    }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("page 1 of the file") == true)
  }
}
