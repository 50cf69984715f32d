import Foundation
import SQLiteFaults
import TenonTestSupport
import Testing

@testable import TenonSQLite

/// Files that are deleted or moved while they are open, that belong to other programs, or can't be written.
@Suite(.limited) struct PlaceTests {
  private final class Scene {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon place %41-\(UUID())")
    var path: String { directory.appending(path: "test ü?.sqlite").path }

    init() throws {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(at: directory) }

    func open(_ key: DatabaseKey? = nil) throws -> Connection {
      let connection = try Connection.open(path, disk: nil, key: key)
      try connection.execute("CREATE TABLE IF NOT EXISTS t (v)")
      return connection
    }

    func move(_ ending: String, to other: String) throws {
      try FileManager.default.moveItem(atPath: path + ending, toPath: path + other)
    }
  }

  private func insert(_ value: Int, _ connection: Connection) throws {
    try connection.transaction { try connection.run("INSERT INTO t VALUES (?)", [.integer(value)]) }
  }

  @Test(arguments: ["", "-wal"])
  func nothingIsWrittenToAFileThatWasMovedUntilItIsBack(ending: String) throws {
    let scene = try Scene()
    let connection = try scene.open()
    try insert(1, connection)
    try scene.move(ending, to: "-elsewhere")
    #expect(code { try insert(2, connection) } == .moved)
    #expect(code { try connection.transaction(.deferred) {} } == .moved)
    try scene.move("-elsewhere", to: ending)
    try insert(3, connection)
    #expect(try connection.transaction(.deferred) { try count(connection) } == 2)
    #expect(try count(Connection.open(scene.path)) == 2)
  }

  @Test func nothingIsWrittenToADirectoryThatWasDeleted() throws {
    let scene = try Scene()
    let connection = try scene.open()
    try FileManager.default.removeItem(at: scene.directory)
    #expect(code { try insert(2, connection) } == .moved)
    // Another file with the same name isn't the one that is open.
    try FileManager.default.createDirectory(at: scene.directory, withIntermediateDirectories: true)
    try insert(1, scene.open())
    #expect(code { try insert(2, connection) } == .moved)
    #expect(try count(Connection.open(scene.path)) == 1)
  }

  @Test func aConnectionThatOnlyReadsCreatesNoFile() throws {
    let scene = try Scene()
    #expect(code { _ = try Connection.open(scene.path, disk: nil, readsOnly: true) } == .cannotOpen)
    #expect(!FileManager.default.fileExists(atPath: scene.path))
  }

  private func count(_ connection: Connection) throws -> Int64? {
    try connection.first("SELECT count(*) FROM t") { $0.integer(0) }
  }

  // MARK: - Other programs

  @Test func aDatabaseOfAnotherProgramIsLeftAsItIs() throws {
    let scene = try Scene()
    #expect(faulty_disk_execute_plainly(scene.path, "CREATE TABLE other (v); PRAGMA user_version = 1") == 0)
    let bytes = try Data(contentsOf: URL(filePath: scene.path))
    let own: Set = ["CREATE TABLE t (v)"]
    let migrations = [Migration("CREATE TABLE t (v)")]
    #expect(code { _ = try Connection.open(scene.path, migrations: migrations, owned: own) } == .foreign)
    #expect(try Data(contentsOf: URL(filePath: scene.path)) == bytes)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scene.directory.path).count == 1)
  }

  @Test func aDatabaseOfThisProgramAndAnEmptyFileAreOpened() throws {
    let scene = try Scene()
    let own: Set = ["CREATE TABLE t (v)"]
    let migrations = [Migration("CREATE TABLE t (v)")]
    #expect(FileManager.default.createFile(atPath: scene.path, contents: nil))
    for _ in 0..<2 { _ = try Connection.open(scene.path, migrations: migrations, owned: own) }
    #expect(try count(Connection.open(scene.path)) == 0)
  }

  // MARK: - Files that can't be written

  private func openReadOnly(_ scene: Scene) throws -> Connection {
    try Connection.openReadOnly(scene.path, disk: nil, owned: nil, checksums: true)
  }

  @Test func aDatabaseThatWasClosedIsReadWithoutFilesBesideIt() throws {
    let scene = try Scene()
    try insert(1, scene.open())
    let connection = try openReadOnly(scene)
    #expect(connection.isReadOnly && connection.hasChecksums)
    #expect(try connection.transaction(.deferred) { try count(connection) } == 1)
    #expect(code { try insert(2, connection) } == .readOnly)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scene.directory.path).count == 1)
  }

  @Test func aDatabaseThatWasNotClosedIsNotOpenedForReading() throws {
    let scene = try Scene()
    let connection = try scene.open()
    let error = #expect(throws: SQLiteError.self) { try openReadOnly(scene) }
    #expect(error?.code == .readOnly && error?.message.contains("\(scene.path)-wal") == true)
    withExtendedLifetime(connection) {}
  }

  @Test func aDatabaseWithAnOlderSchemaIsNotOpenedForReading() throws {
    let scene = try Scene()
    try scene.open().execute("PRAGMA user_version = 1")
    let connection = try openReadOnly(scene)
    let migrations = [Migration("CREATE TABLE t (v)"), Migration("")]
    #expect(code { try connection.migrate(migrations) } == .readOnly)
    #expect(code { try connection.migrate([]) } == .newerSchema)
    try connection.migrate([migrations[0]])
  }

  // MARK: - Space

  /// Pages of a commit are in the log, but the file already has space for them.
  @Test(arguments: [nil, DatabaseKey(0..<32)])
  func aCommitMakesSpaceForItsPagesInTheFile(key: DatabaseKey?) throws {
    let scene = try Scene()
    let connection = try scene.open(key)
    try connection.transaction { try connection.run("INSERT INTO t VALUES (zeroblob(300000))") }
    let attributes = try FileManager.default.attributesOfItem(atPath: scene.path)
    let pages = try #require(try connection.first("PRAGMA page_count") { $0.integer(0) })
    #expect(pages > 70)
    #expect((attributes[.size] as? Int).map(Int64.init) == pages * 4096)
    // A transaction that is rolled back leaves a file that is whole.
    #expect(throws: CancellationError.self) {
      try connection.transaction {
        try connection.run("INSERT INTO t VALUES (zeroblob(300000))")
        throw CancellationError()
      }
    }
    #expect(try connection.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
    try insert(1, connection)
    connection.makeSpaceInLog()
    #expect(try count(connection) == 2)
  }

  /// The space is needed before anything of the transaction counts.
  @Test(arguments: [nil, DatabaseKey(0..<32)])
  func aCommitForWhichTheFileHasNoSpaceHasNoEffect(key: DatabaseKey?) throws {
    let disk = "full-\(UUID())"
    faulty_disk_create(disk)
    defer { faulty_disk_remove(disk) }
    let scene = try Scene()
    let connection = try Connection.open(scene.path, disk: disk, key: key)
    try connection.execute("CREATE TABLE t (v)")
    let size = { try FileManager.default.attributesOfItem(atPath: scene.path)[.size] as? Int }
    let before = try size()
    // The first write that fails is the one that extends the file: everything else is in the log.
    try connection.execute("PRAGMA wal_autocheckpoint = 0")
    faulty_disk_fail_growth(disk, Int64(try #require(before)) + 4096)
    let error = code {
      try connection.transaction { try connection.run("INSERT INTO t VALUES (zeroblob(300000))") }
    }
    #expect(error == .full)
    faulty_disk_fail_growth(disk, 0)
    #expect(try size() == before)
    #expect(try count(connection) == 0)
    try insert(1, connection)
    #expect(try count(Connection.open(scene.path, disk: disk, key: key)) == 1)
  }

  // MARK: - Symbolic links

  private func link(_ name: String, to target: String, in scene: Scene) throws -> String {
    let path = scene.directory.appending(path: name).path
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    return path
  }

  @Test(arguments: ["absolute", "relative", "chain"])
  func theFilesOfADatabaseAreBesideTheTargetOfALink(kind: String) throws {
    let scene = try Scene()
    let folder = scene.directory.appending(path: "folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let path =
      switch kind {
      case "absolute": try link("folder/link", to: scene.path, in: scene)
      case "relative": try link("folder/link", to: "../test ü?.sqlite", in: scene)
      default:
        try link("folder/link", to: link("other", to: "./test ü?.sqlite", in: scene), in: scene)
      }
    // The file doesn't exist yet.
    let connection = try Connection.open(path)
    #expect(FileManager.default.fileExists(atPath: scene.path))
    #expect(Connection.followingLinks(path) == Connection.followingLinks(connection.path ?? ""))
    try connection.execute("CREATE TABLE t (v)")
    try insert(1, connection)
    let log = { FileManager.default.contents(atPath: scene.path + "-wal")?.count ?? 0 }
    #expect(log() > 0)
    try connection.trimLog()
    #expect(log() == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["link"])
    try scene.move("", to: "-elsewhere")
    #expect(code { try insert(2, connection) } == .moved)
    try scene.move("-elsewhere", to: "")
    try insert(2, connection)
    #expect(try count(scene.open()) == 2)
  }

  /// Without the log, these databases would seem to be empty or to end with an earlier transaction.
  @Test func damageToTheLogBesideTheTargetOfALinkIsReported() throws {
    let scene = try Scene()
    let connection = try scene.open()
    for value in 0..<5 { try insert(value, connection) }
    let copy = try Scene()
    for ending in ["", "-wal", "-walmark"] {
      try FileManager.default.copyItem(atPath: scene.path + ending, toPath: copy.path + ending)
    }
    let path = try link("link", to: copy.path, in: copy)
    var log = try Data(contentsOf: URL(filePath: copy.path + "-wal"))
    log[32 + 24 + 100] ^= 1
    try log.write(to: URL(filePath: copy.path + "-wal"))
    for open in [{ _ = try Connection.open(path) }, { try Connection.withoutChanging(path) { _ in } }] {
      #expect(code { try open() } == .damaged)
    }
    #expect(Connection.isLogDamaged(of: path))
    try copy.move("", to: "-elsewhere")
    for open in [{ _ = try Connection.open(path) }, { try Connection.withoutChanging(path) { _ in } }] {
      #expect(code { try open() } == .damaged)
    }
    #expect(!FileManager.default.fileExists(atPath: copy.path))
  }

  @Test func linksThatLeadToOneAnotherAreAnError() throws {
    let scene = try Scene()
    let path = try link("a", to: "b", in: scene)
    _ = try link("b", to: "a", in: scene)
    #expect(code { _ = try Connection.open(path) } == .cannotOpen)
  }
}
