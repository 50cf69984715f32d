import Foundation
import TenonChecksums
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonSQLite

/// Encrypted databases whose bytes were changed by something other than SQLite.
@Suite(.limited) struct EncryptedDamageTests {
  private static let key = DatabaseKey(0..<32)!

  @Test func changedBitsOfTheFileAreNeverReturned() throws {
    let scene = try TestDatabase(Self.key)
    try scene.fill()
    let right = try scene.contents()
    let file = try scene.bytes()
    var random = SeededGenerator(seed: TestSeeds.first)
    let random100 = (0..<TestSeeds.count("TENON_BIT_FLIPS", DeepTests.count(100, deep: 10_000))).map { _ in
      Int.random(in: 0..<file.count * 8, using: &random)
    }
    let header = (0..<100).map { $0 * 8 + $0 % 8 } + (4016..<4096).map { $0 * 8 + $0 % 8 }
    for bit in header + random100 {
      var damaged = file
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      try scene.write(damaged)
      #expect(try scene.isReported(right), "bit \(bit)")
      #expect(try scene.bytes() == damaged, "bit \(bit): reading changes nothing")
    }
  }

  /// Other connections have the log open, so it isn't recovered.
  @Test func changedBitsOfAnOpenLogAreNeverReturned() throws {
    let scene = try TestDatabase(Self.key)
    let writer = try scene.open()
    try scene.fill(writer)
    let right = try writer.contents()
    try scene.checkChangesOfAnOpenLog(right)
  }

  @Test func changedBitsOfALogAreReportedWhenItIsRecovered() throws {
    let scene = try TestDatabase(Self.key)
    let writer = try scene.open()
    try scene.fill(writer)
    for n in 0..<5 { try writer.run("UPDATE secrets SET s = 'new' WHERE n = ?", [.integer(n)]) }
    let right = try writer.contents()
    let log = try scene.bytes("-wal")
    let offsets = TestDatabase.offsets(ofLog: log)
    for offset in offsets {
      let copy = try scene.copy()
      var damaged = log
      damaged[offset] ^= 1
      try copy.write(damaged, "-wal")
      #expect(try copy.isReported(right), "byte \(offset)")
    }
  }

  /// Someone who can compute the checksums of a log still can't change a page.
  @Test func aForgedFrameIsReported() throws {
    let scene = try TestDatabase(Self.key)
    let writer = try scene.open()
    try scene.fill(writer)
    var log = [UInt8](try scene.bytes("-wal"))
    let right = try writer.contents()
    log[32 + 24 + 1_000] ^= 1
    var sums: [UInt32] = [24, 28].map { offset in log[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    for start in stride(from: 32, to: log.count, by: 4120) {
      tenon_log_checksum(Array(log[start..<start + 8]), 8, 0, &sums)
      tenon_log_checksum(Array(log[start + 24..<start + 4120]), 4096, 0, &sums)
      for (index, sum) in sums.enumerated() {
        for byte in 0..<4 {
          log[start + 16 + index * 4 + byte] = UInt8(truncatingIfNeeded: sum >> UInt32(24 - 8 * byte))
        }
      }
    }
    let copy = try scene.copy()
    try copy.write(Data(log), "-wal")
    try copy.write(Data(), "-walmark")
    #expect(try copy.isReported(right))
  }

  @Test(arguments: ["swapped", "zeroed", "cutOff", "cutOffInsideAPage", "ofAnotherDatabase"])
  func pagesInTheWrongPlaceAreReported(kind: String) throws {
    let (scene, other) = (try TestDatabase(Self.key), try TestDatabase(Self.key))
    for scene in [scene, other] { try scene.fill() }
    let right = try scene.contents()
    try scene.misplacePages(kind, other: other.bytes())
    #expect(try scene.isReported(right))
    guard !kind.hasPrefix("cutOff") else { return }
    // It is the page that is found, not that the content is inconsistent.
    let error = #expect(throws: SQLiteError.self) { try scene.contents() }
    #expect(error?.message.contains("doesn't match its checksum") == true)
  }

  @Test func aDamagedInteriorPageHidesNoRows() throws {
    let scene = try TestDatabase(Self.key)
    try scene.fill()
    let file = try scene.bytes()
    let pages = file.count / 4096
    var readable = 0
    for page in 1..<pages {
      var damaged = file
      damaged[page * 4096 + 3_000] ^= 8
      try scene.write(damaged)
      let connection = try Connection.open(scene.path, disk: nil, salvages: true, key: Self.key)
      do {
        if try connection.rows("SELECT n FROM secrets ORDER BY n", [], { $0.integer(0) }) == Array(0..<200) {
          readable += 1
        }
      } catch { #expect((error as? SQLiteError)?.code == .damaged) }
    }
    #expect(readable > 0)
  }
}
