import Foundation
import TenonSQLite
import TenonTestSupport
import Testing

/// The size of the write-ahead log.
@Suite(.limited) struct LogSizeTests {
  private let directory: URL
  private var path: String { directory.appending(path: "d.sqlite").path }

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "tenon-log-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  private static func logSize(of path: String) throws -> Int {
    guard FileManager.default.fileExists(atPath: path + "-wal") else { return 0 }
    return try Data(contentsOf: URL(filePath: path + "-wal")).count
  }

  /// The log limit of a small database: 256 pages of 4 KiB.
  private static let small = 256 * 4_120 + 32

  private func open(_ path: String? = nil) throws -> Connection {
    let connection = try Connection.open(path ?? self.path, durability: .normal)
    try connection.execute("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, data BLOB)")
    return connection
  }

  /// Trims the log. `#expect` can't rethrow errors of one type.
  private func trim(_ connection: Connection) throws -> Bool { try connection.trimLog() }

  private func write(
    _ connection: Connection, rows: Range<Int>, bytes: Int = 100, revision: UInt8 = 0
  ) throws {
    try connection.transaction {
      for row in rows {
        try connection.run(
          "INSERT OR REPLACE INTO t VALUES (?, ?)",
          [.integer(Int64(row)), .blob(Data(repeating: revision, count: bytes))])
      }
    }
  }

  @Test func theLogOfASmallDatabaseStaysSmall() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let connection = try open()
    for round in 0..<3_000 { try write(connection, rows: 0..<7, revision: UInt8(round % 256)) }
    #expect(try Self.logSize(of: path) <= Self.small + 16 * 4_120)
    #expect(try Self.logSize(of: path) > 0, "the log is reused, not recreated for each transaction")
    withExtendedLifetime(connection) {}
  }

  @Test func theLogMayGrowToTheSizeOfALargeDatabase() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let connection = try open()
    // 8 MiB of rows, in transactions of 16 pages.
    for start in stride(from: 0, to: 2_000, by: 10) {
      try write(connection, rows: start..<start + 10, bytes: 4_000)
    }
    // The limit is the number of pages of the file, rounded up to a power of two.
    let size = try Self.logSize(of: path)
    #expect(size > 3 << 20 && size < 10 << 20, "\(size)")
    withExtendedLifetime(connection) {}
  }

  @Test func aLogLengthenedByALargeTransactionIsTruncatedAtTheNextWrite() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let connection = try open()
    try write(connection, rows: 0..<3_000, bytes: 3_000)
    #expect(try Self.logSize(of: path) > 4 << 20)
    try write(connection, rows: 0..<7)
    #expect(try Self.logSize(of: path) <= Self.small + 16 * 4_120)
    withExtendedLifetime(connection) {}
  }

  @Test func closingTheLastConnectionDeletesTheLog() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    do {
      let connections = [try open(), try open()]
      for connection in connections { try write(connection, rows: 0..<100) }
      #expect(try Self.logSize(of: path) > 0)
      withExtendedLifetime(connections) {}
    }
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
  }

  @Test func openingTruncatesALogThatAKilledProcessLeft() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let connection = try open()
    try write(connection, rows: 0..<3_000, bytes: 2_000)
    // The files as a process that exits now would leave them.
    let left = directory.appending(path: "left.sqlite").path
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + ending, toPath: left + ending)
    }
    #expect(try Self.logSize(of: left) > 4 << 20)
    let next = try open(left)
    #expect(try Self.logSize(of: left) == 0)
    #expect(try next.first("SELECT count(*) FROM t") { $0.integer(0) } == 3_000)
    withExtendedLifetime(connection) {}
  }

  @Test func trimmingTheLogNeitherWaitsNorLosesCommits() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let (writer, reader) = (try open(), try open())
    try write(writer, rows: 0..<100)
    try reader.transaction(.deferred) {
      #expect(try reader.first("SELECT count(*) FROM t") { $0.integer(0) } == 100)
      try write(writer, rows: 100..<200)
      // If trimming waited for the reader, the test would exceed its limit.
      writer.waitForLocks(upTo: .seconds(3_600))
      #expect(try !trim(writer))
      #expect(try Self.logSize(of: path) > 0, "a connection is reading from it")
      #expect(try reader.first("SELECT count(*) FROM t") { $0.integer(0) } == 100)
      // Other connections can be opened, too.
      #expect(try open().first("SELECT count(*) FROM t") { $0.integer(0) } == 200)
    }
    #expect(try trim(writer))
    #expect(try Self.logSize(of: path) == 0)
    #expect(try trim(writer), "it is empty already")
    #expect(try reader.first("SELECT count(*) FROM t") { $0.integer(0) } == 200)
    // The writer waits for locks again.
    try reader.transaction {
      writer.waitForLocks(upTo: .milliseconds(20))
      let isEmpty = try writer.trimLog()
      #expect(isEmpty, "an empty log needs no lock")
      let start = ContinuousClock.now
      #expect(throws: SQLiteError.self) { try writer.execute("BEGIN IMMEDIATE") }
      #expect(ContinuousClock.now - start >= .milliseconds(20))
    }
  }
  /// Another connection that writes, or that moves the log itself, isn't waited for either.
  @Test func trimmingTheLogGivesWayToAWriter() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let (connection, other) = (try open(), try open())
    try write(connection, rows: 0..<100)
    try other.transaction {
      connection.waitForLocks(upTo: .seconds(3_600))
      let (isEmpty, size) = (try connection.trimLog(), try Self.logSize(of: path))
      #expect(!isEmpty && size > 0)
    }
    #expect(try trim(connection))
    #expect(try Self.logSize(of: path) == 0)
  }
}
