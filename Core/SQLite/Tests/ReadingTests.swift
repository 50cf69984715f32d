import Foundation
import TenonTestSupport
import Testing

@testable import TenonSQLite

/// Databases that are read without changing them.
@Suite(.limited) struct ReadingTests {
  private let directory: URL
  private var path: String { directory.appending(path: "with 100%?#.sqlite").path }

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "tenon-reading-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  private func write(_ rows: Int) throws -> Connection {
    let connection = try Connection.open(path)
    try connection.execute("CREATE TABLE IF NOT EXISTS t (x)")
    for _ in 0..<rows { try connection.run("INSERT INTO t VALUES (zeroblob(9000))") }
    return connection
  }

  /// Returns the number of rows, read without changing the database at a path.
  private func count(_ path: String) throws -> Int64? {
    try Connection.withoutChanging(path) { try $0.first("SELECT count(*) FROM t") { $0.integer(0) } }
  }

  /// The files of the directory with their content; without that of the index of the log if it is in use.
  private func files(_ folder: URL? = nil, withIndex: Bool = true) throws -> [String: Data] {
    let folder = folder ?? directory
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return try names.reduce(into: [:]) {
      let isIndex = !withIndex && $1.hasSuffix("-shm")
      $0[$1] = isIndex ? Data() : try Data(contentsOf: folder.appending(path: $1))
    }
  }

  /// Copies the files with some suffixes into another directory, as a process leaves them that is killed.
  private func copy(_ suffixes: [String]) throws -> (folder: URL, path: String) {
    let folder = directory.appending(path: "copy-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for suffix in suffixes {
      try FileManager.default.copyItem(
        atPath: path + suffix, toPath: folder.appending(path: "c.sqlite\(suffix)").path)
    }
    return (folder, folder.appending(path: "c.sqlite").path)
  }

  @Test func aClosedDatabaseIsReadAndNoFileAppears() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    do { _ = try write(3) }
    let before = try files()
    #expect(before.count == 1)
    #expect(try count(path) == 3)
    #expect(try files() == before)
  }

  @Test(arguments: [["", "-wal", "-walmark", "-shm"], ["", "-wal", "-walmark"], ["", "-wal"]])
  func theTransactionsInTheLogOfAKilledProcessAreReadAndNoFileChanges(suffixes: [String]) throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let open = try write(3)
    let left = try copy(suffixes)
    let before = try files(left.folder)
    #expect(try count(left.path) == 3)
    #expect(try files(left.folder) == before)
    #expect(before.count == suffixes.count)
    try open.execute("DROP TABLE t")
  }

  @Test(arguments: [0, 1]) func aDatabaseThatIsOpenIsReadAfterEachWrite(writesBefore: Int) throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    do { _ = try write(3) }
    let open = try Connection.open(path)
    for _ in 0..<writesBefore { try open.run("INSERT INTO t VALUES (1)") }
    let before = try files(withIndex: false)
    #expect(try count(path) == Int64(3 + writesBefore))
    #expect(try files(withIndex: false) == before)
    try open.run("INSERT INTO t VALUES (1)")
    #expect(try count(path) == Int64(4 + writesBefore))
  }

  /// Its log is beside the file that the link leads to.
  @Test func aSymbolicLinkIsFollowed() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let open = try write(3)
    let link = directory.appending(path: "link.sqlite").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    let before = try files(withIndex: false)
    #expect(try count(link) == 3)
    #expect(try files(withIndex: false) == before)
    try open.execute("DROP TABLE t")
  }

  @Test func writesOfOthersDoNotAppear() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let open = try write(3)
    try Connection.withoutChanging(path) { connection in
      try open.run("INSERT INTO t VALUES (1)")
      try open.trimLog()
      #expect(try connection.first("SELECT count(*) FROM t") { $0.integer(0) } == 3)
    }
  }

  @Test func statementsThatWriteFail() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    do { _ = try write(1) }
    for access in [false, true] {
      let open = access ? try Connection.open(path) : nil
      let error = #expect(throws: SQLiteError.self) {
        try Connection.withoutChanging(path) { try $0.execute("INSERT INTO t VALUES (1)") }
      }
      #expect(error?.code == .readOnly)
      _ = open
    }
  }

  /// Without locks, a change could leave pages of two states in one result.
  @Test func aChangeByAProcessThatOpensTheDatabaseMeanwhileIsAnError() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    do { _ = try write(3) }
    let error = #expect(throws: SQLiteError.self) {
      try Connection.withoutChanging(path) { connection in
        _ = try connection.first("SELECT count(*) FROM t") { $0.integer(0) }
        _ = try write(10)
      }
    }
    #expect(error?.code == .changed)
  }

  @Test func aDatabaseThatDoesNotExistIsNotCreated() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let error = #expect(throws: SQLiteError.self) { try count(path) }
    #expect(error?.code == .cannotOpen)
    #expect(try files().isEmpty)
  }

  @Test func aLogThatHasLostTransactionsIsDamaged() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let open = try write(3)
    let left = try copy(["", "-wal", "-walmark", "-shm"])
    let log = URL(filePath: left.path + "-wal")
    var data = try Data(contentsOf: log)
    data[data.count / 2] ^= 1
    try data.write(to: log)
    let error = #expect(throws: SQLiteError.self) { try count(left.path) }
    #expect(error?.code == .damaged)
    try open.execute("DROP TABLE t")
  }

  @Test func changedPagesAreDamagedAndFound() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    do { _ = try write(9) }
    let sound = try Connection.withoutChanging(path) { try $0.damagedPages(limit: 10) }
    #expect(sound.isEmpty)
    var data = try Data(contentsOf: URL(filePath: path))
    for page in [3, 5, 7] { data[page * 4_096 - 2_000] ^= 1 }
    try data.write(to: URL(filePath: path))
    try Connection.withoutChanging(path) { connection in
      let error = #expect(throws: SQLiteError.self) { try connection.rows("SELECT x FROM t") { $0.blob(0) } }
      #expect(error?.code == .damaged)
      let (all, some) = (try connection.damagedPages(limit: 10), try connection.damagedPages(limit: 2))
      #expect(all == [3, 5, 7] && some == [3, 5])
    }
  }
}
