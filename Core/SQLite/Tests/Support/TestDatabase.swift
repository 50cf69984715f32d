import Foundation
import Testing

@testable import TenonSQLite

/// A directory with a database, which may be encrypted, and what the tests of damaged and encrypted databases
/// do with its files. The directory is removed when this is released.
final class TestDatabase {
  /// The ends of the names of a database's files.
  static let suffixes = ["", "-wal", "-walmark", "-shm", "-journal"]

  let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-sqlite-\(UUID())")
  /// The key with which ``open(disk:)`` opens it; `nil` if it isn't encrypted.
  let key: DatabaseKey?
  var path: String { directory.appending(path: "test.sqlite").path }

  init(_ key: DatabaseKey? = nil) throws {
    self.key = key
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func open(disk: String? = nil) throws -> Connection { try open(key, disk: disk) }

  func open(_ key: DatabaseKey?, disk: String? = nil) throws -> Connection {
    try Connection.open(path, disk: disk, key: key)
  }

  /// Fills the database, which then has interior pages, an index and long values.
  func fill(_ connection: Connection) throws {
    try connection.migrate([Migration("CREATE TABLE secrets (n INTEGER PRIMARY KEY, s TEXT, b BLOB)")])
    try connection.execute("CREATE INDEX i ON secrets (s)")
    try connection.transaction {
      for n in 0..<200 {
        let bytes = Data((0..<(n % 50 == 0 ? 20_000 : 50)).map { UInt8(truncatingIfNeeded: $0 &* n) })
        try connection.run(
          "INSERT INTO secrets VALUES (?, ?, ?)", [.integer(n), .text("clear text \(n)"), .blob(bytes)])
      }
    }
  }

  func fill() throws { try fill(open()) }

  // MARK: - Files

  func bytes(_ suffix: String = "") throws -> Data { try Data(contentsOf: URL(filePath: path + suffix)) }

  func write(_ bytes: Data, _ suffix: String = "") throws {
    try bytes.write(to: URL(filePath: path + suffix))
  }

  /// Returns all files by suffix.
  func files() -> [String: Data] {
    Dictionary(
      uniqueKeysWithValues: Self.suffixes.compactMap { suffix in
        FileManager.default.contents(atPath: path + suffix).map { (suffix, $0) }
      })
  }

  /// Copies the files as a process that is killed now would leave them.
  func copy() throws -> TestDatabase {
    let copy = try TestDatabase(key)
    for (suffix, bytes) in files() where suffix != "-shm" { try copy.write(bytes, suffix) }
    return copy
  }

  // MARK: - Content

  /// Opens the database, and returns everything in it.
  func contents() throws -> [SQLValue] { try open().contents() }

  /// Opens the database, and returns whether damage was reported. Otherwise everything must be read as it was
  /// written.
  func isReported(_ right: [SQLValue]) throws -> Bool {
    do {
      #expect(try contents() == right)
      return false
    } catch let error as SQLiteError {
      #expect(error.code == .damaged && error.path == path, "\(error)")
      return true
    }
  }

  /// Changes the log at some bytes, one after another, while other connections have it open, so that it isn't
  /// recovered. Each change is reported, or everything is read as it was written.
  func checkChangesOfAnOpenLog(_ right: [SQLValue]) throws {
    let log = try bytes("-wal")
    let handle = try FileHandle(forWritingTo: URL(filePath: path + "-wal"))
    var reported = 0
    let offsets = Array(stride(from: 32, to: log.count, by: 2_003))
    for (number, offset) in offsets.enumerated() {
      try handle.seek(toOffset: UInt64(offset))
      try handle.write(contentsOf: Data([log[offset] ^ 1 << UInt8(number % 8)]))
      if try isReported(right) { reported += 1 }
      try handle.seek(toOffset: UInt64(offset))
      try handle.write(contentsOf: Data([log[offset]]))
    }
    #expect(reported > offsets.count / 2)
    #expect(try contents() == right)
  }

  /// The bytes of a log to change when it is recovered: the significant ones, and some others.
  static func offsets(ofLog log: Data) -> [Int] {
    Array(0..<56) + stride(from: 56, to: log.count, by: 4_001) + (log.count - 4120..<log.count - 4090)
  }

  /// Puts pages in the wrong place. The content must then be reported as damaged.
  ///
  /// - Parameters:
  ///   - kind: what happens to the pages.
  ///   - other: the file of another database; `nil` for bytes without meaning.
  func misplacePages(_ kind: String, other: Data? = nil) throws {
    var file = try bytes()
    let (third, fifth) = (4096 * 2..<4096 * 3, 4096 * 4..<4096 * 5)
    switch kind {
    case "swapped": file.replaceSubrange(third, with: file[fifth])
    case "zeroed": file.replaceSubrange(third, with: Data(count: 4096))
    case "cutOff": file = file.prefix(4096 * 4)
    case "cutOffInsideAPage": file = file.dropLast(1)
    default: file.replaceSubrange(third, with: other?[third] ?? Data(repeating: 0xA5, count: 4096))
    }
    try write(file)
  }
}

extension Connection {
  /// Returns everything in a ``TestDatabase``, read through the table and through the index.
  func contents() throws -> [SQLValue] {
    let rows = try rows("SELECT n, s, b FROM secrets ORDER BY n") { row in
      [row.value(0), row.value(1), row.value(2)]
    }
    let texts = try self.rows("SELECT s FROM secrets WHERE s >= 'clear' ORDER BY s") { $0.value(0) }
    return rows.flatMap { $0 } + texts
  }
}

/// Returns the code of the error that a closure throws; `nil` if it throws none.
func code(_ body: () throws -> Void) -> SQLiteError.Code? {
  do { try body() } catch { return (error as? SQLiteError)?.code }
  return nil
}
