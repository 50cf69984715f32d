import Foundation
import TenonSQLite
import TenonTestSupport
import Testing

/// Copies of databases, from and into files.
@Suite(.limited) struct CopyingTests {
  private final class Scene {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-sqlite-\(UUID())")
    init() throws {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(at: directory) }
    func path(_ name: String) -> String { directory.appending(path: name).path }
    var names: [String] {
      get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }
  }

  private struct Stop: Error {}

  /// Fills a database with rows of about 1 KiB.
  private func fill(_ connection: Connection, _ rows: Range<Int>) throws {
    try connection.execute("CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, padding)")
    try connection.transaction {
      for row in rows { try connection.run("INSERT INTO t VALUES (?, randomblob(1000))", [.integer(row)]) }
    }
  }

  private func sum(_ connection: Connection) throws -> Int64? {
    try connection.first("SELECT sum(n) FROM t") { $0.integer(0) }
  }

  /// More pages than SQLite's caches hold, some of which are still in the write-ahead log, where they have no
  /// checksums.
  @Test func aCopyHasAllPagesWithTheirChecksums() throws {
    let scene = try Scene()
    let source = try Connection.open(scene.path("source"))
    try fill(source, 0..<20_000)
    let copied = scene.path("copy")
    do {
      let copy = try Connection.makeCopy(at: copied, checksums: source.hasChecksums)
      try source.copy(into: copy) { _, _ in }
      try copy.finishCopy()
    }
    #expect(try scene.names.filter { $0.hasPrefix("copy") } == ["copy"], "a copy is a single file")
    // The versions of the header are those of a database without a write-ahead log.
    #expect(try Data(contentsOf: URL(filePath: copied))[18..<20].elementsEqual([1, 1]))
    let copy = try Connection.open(copied)
    #expect(copy.hasChecksums)
    #expect(try copy.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
    #expect(try sum(copy) == sum(source))
    #expect(try copy.first("SELECT count(*) FROM sqlite_schema") { $0.integer(0) } == 1)
  }

  @Test func progressGrowsToTheSizeOfTheFile() throws {
    let scene = try Scene()
    let source = try Connection.open(scene.path("source"))
    try fill(source, 0..<2_000)
    let copy = try Connection.makeCopy(at: scene.path("copy"), checksums: true)
    var reports: [(Int64, Int64)] = []
    try source.copy(into: copy) { reports.append(($0, $1)) }
    try copy.finishCopy()
    #expect(reports.count > 5 && reports.map(\.0) == reports.map(\.0).sorted())
    #expect(Set(reports.map(\.1)).count == 1)
    let size = try FileManager.default.attributesOfItem(atPath: scene.path("copy"))[.size] as? Int64
    #expect(reports.last?.0 == size && reports.last?.1 == size)
  }

  @Test func aCopyIsOneStateOfADatabaseThatIsWritten() throws {
    let scene = try Scene()
    let source = try Connection.open(scene.path("source"))
    try fill(source, 0..<2_000)
    let before = try sum(source)
    let writer = try Connection.open(scene.path("source"), busyTimeout: .zero)
    let copy = try Connection.makeCopy(at: scene.path("copy"), checksums: true)
    var next = 2_000
    try source.copy(into: copy) { _, _ in
      // Neither waits nor makes the copy start over.
      try fill(writer, next..<next + 50)
      next += 50
    }
    #expect(next < 2_000 + 50 * 100)
    #expect(try sum(copy) == before)
    #expect(try sum(writer) == Int64(next * (next - 1) / 2))
  }

  @Test func aDatabaseIsReplacedInOneTransaction() throws {
    let scene = try Scene()
    let source = try Connection.open(scene.path("source"))
    try fill(source, 0..<12_000)
    let path = scene.path("target")
    do { try fill(Connection.open(path), 0..<100) }
    do {
      let target = try Connection.openExclusively(path)
      #expect(throws: Stop.self) {
        try source.copy(into: target) { copied, total in if copied > total / 2 { throw Stop() } }
      }
      #expect(try sum(target) == 4_950)
    }
    #expect(try sum(Connection.open(path)) == 4_950)
    do { try source.copy(into: Connection.openExclusively(path)) { _, _ in } }
    let target = try Connection.open(path)
    #expect(try sum(target) == sum(source))
    #expect(target.hasChecksums)
    #expect(try target.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
  }

  /// The last step has committed the copy.
  @Test func anErrorOfTheLastReportIsNotThatOfTheCopy() throws {
    let scene = try Scene()
    let source = try Connection.open(scene.path("source"))
    try fill(source, 0..<500)
    let path = scene.path("target")
    do { try fill(Connection.open(path), 0..<10) }
    var hasThrown = false
    do {
      try source.copy(into: Connection.openExclusively(path)) { copied, total in
        guard copied == total else { return }
        hasThrown = true
        throw Stop()
      }
    }
    #expect(hasThrown)
    #expect(try sum(Connection.open(path)) == sum(source))
  }

  @Test func damageOfTheSourceIsReportedAsItsOwn() throws {
    let scene = try Scene()
    let path = scene.path("source")
    do { try fill(Connection.open(path), 0..<500) }
    var content = try Data(contentsOf: URL(filePath: path))
    content[content.count / 2] ^= 1
    try content.write(to: URL(filePath: path))
    let source = try Connection.open(path)
    let copy = try Connection.makeCopy(at: scene.path("copy"), checksums: true)
    let error = #expect(throws: SQLiteError.self) { try source.copy(into: copy) { _, _ in } }
    #expect(error?.code == .damaged && error?.path == path, "\(String(describing: error))")
    #expect(error?.message.contains("doesn't match its checksum") == true)
  }

  /// What a process leaves that is killed at any point of the copy.
  @Test func theFilesOfAnIncompleteReplacementHaveTheFormerContent() throws {
    let scene = try Scene()
    let source = try Connection.open(scene.path("source"))
    try fill(source, 0..<12_000)
    let path = scene.path("target")
    do { try fill(Connection.open(path), 0..<100) }
    let target = try Connection.openExclusively(path)
    var images = 0
    try source.copy(into: target) { copied, total in
      guard copied < total, images * 20 < Int(copied * 100 / total) else { return }
      images += 1
      let image = scene.path("image\(images)")
      for ending in ["", "-wal", "-walmark"] where FileManager.default.fileExists(atPath: path + ending) {
        try FileManager.default.copyItem(atPath: path + ending, toPath: image + ending)
      }
      #expect(try sum(Connection.open(image)) == 4_950)
    }
    #expect(images > 3)
  }

  @Test func aDatabaseThatIsOpenElsewhereIsNotReplaced() throws {
    let scene = try Scene()
    let other = try Connection.open(scene.path("target"))
    try fill(other, 0..<10)
    let error = #expect(throws: SQLiteError.self) { try Connection.openExclusively(scene.path("target")) }
    #expect(error?.code == .busy)
    #expect(try sum(other) == 45)
  }

  /// A database in memory has no checksums, so neither has its copy.
  @Test func aDatabaseInMemoryIsCopiedToAFileAndBack() throws {
    let scene = try Scene()
    let memory = try Connection.open(nil)
    try fill(memory, 0..<3_000)
    do {
      let copy = try Connection.makeCopy(at: scene.path("copy"), checksums: memory.hasChecksums)
      try memory.copy(into: copy) { _, _ in }
      try copy.finishCopy()
    }
    let copy = try Connection.open(scene.path("copy"))
    #expect(try copy.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
    let withChecksums = try Connection.open(scene.path("source"))
    try fill(withChecksums, 0..<3_000)
    for source in [copy, withChecksums] {
      let other = try Connection.open(nil)
      try fill(other, 0..<5)
      try source.copy(into: other) { _, _ in }
      try fill(other, 3_000..<3_001)
      #expect(try sum(other) == 4_501_500)
      #expect(try other.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
    }
  }
}
