import Foundation
import TenonTestSupport
import Testing

@testable import TenonSQLite

/// Sums that SQLite computes with the function of this library.
@Suite(.limited) struct SumTests {
  private func table(_ values: [SQLValue]) throws -> Connection {
    let connection = try Connection.open(nil)
    try connection.execute("CREATE TABLE t (x)")
    for value in values { try connection.run("INSERT INTO t VALUES (?)", [value]) }
    return connection
  }

  private func sum(_ values: [SQLValue]) throws -> SQLSum {
    try table(values).sum("x", of: "t", []) {}
  }

  @Test(
    arguments: [
      [], [0], [-1], [1, 2, 3], [.max, .max, .max], [.min, .min, .min], [.max, 1, .min, -1],
      [-1, 1], [.min, .max, 5], Array(repeating: .max, count: 1000), Array(repeating: .min, count: 1000),
    ] as [[Int64]])
  func integersAreAddedExactly(_ numbers: [Int64]) throws {
    let sum = try sum(numbers.map(SQLValue.integer))
    #expect(sum.integers == numbers.reduce(0 as Int128) { $0 + Int128($1) })
    #expect(sum.integerCount == numbers.count && sum.rows == numbers.count)
    #expect(sum.doubleCount == 0 && sum.doubles == 0)
  }

  @Test func doublesAreAddedBesideIntegersAndOtherValuesAreOnlyCounted() throws {
    let sum = try sum([.real(0.5), .integer(2), .null, .text("7"), .blob(Data([49])), .real(-0.25), .real(1)])
    #expect(sum.rows == 7 && sum.integerCount == 1 && sum.integers == 2)
    #expect(sum.doubleCount == 3 && sum.doubles == 1.25)
  }

  @Test func bindingsSelectTheRows() throws {
    let connection = try table((1...10).map { .integer($0) })
    #expect(try connection.sum("x", of: "t WHERE x > ?", [.integer(8)]) {}.integers == 19)
    #expect(try connection.sum("x", of: "t WHERE x > ?", [.integer(100)]) {}.rows == 0)
  }

  @Test func aLongSumEndsWhenItsCheckThrows() throws {
    struct Ended: Error {}
    let connection = try table((0..<100).map { .integer($0) })
    var checks = 0
    #expect(throws: Ended.self) {
      // A million rows.
      try connection.sum("a.x", of: "t a, t b, t c", []) {
        checks += 1
        if checks == 3 { throw Ended() }
      }
    }
    #expect(checks == 3)
    // Later statements aren't interrupted.
    #expect(try connection.sum("a.x", of: "t a, t b, t c", []) {}.rows == 1_000_000)
  }

  // MARK: - Numbers in blobs

  /// Blobs of one byte a path: 0 is missing, 1 to 99 are integers, 100 to 199 halves, 200 is no number, and
  /// others are damaged. A path is the index of a byte.
  private func sums(_ blobs: [[UInt8]], at paths: [UInt8]) throws -> SQLSums {
    let reader: SQLNumberReader = { blob, size, path, pathSize, bits in
      guard let blob, let path, let bits, pathSize == 1 else { return -1 }
      let index = Int(path.load(as: UInt8.self))
      guard index < size else { return -1 }
      let byte = blob.load(fromByteOffset: index, as: UInt8.self)
      switch byte {
      case 0: return 0
      case 1..<100:
        bits.pointee = Int64(byte)
        return 1
      case 100..<200:
        bits.pointee = Int64(bitPattern: (Double(byte) / 2).bitPattern)
        return 2
      case 200: return 3
      default: return 9
      }
    }
    return try table(blobs.map { .blob(Data($0)) }).sums(
      of: "x", at: paths.map { .blob(Data([$0])) }, reading: reader, in: "t WHERE x != ?", [.blob(Data([7]))]
    ) {}
  }

  @Test func numbersInBlobsAreAddedWhereARowHasAllValues() throws {
    let sums = try sums([[1, 10], [2, 0], [0, 20], [3, 101], [4, 200], [7]], at: [0, 1])
    #expect(sums.rows == 5 && sums.counted == 3 && sums.damaged == 0)
    #expect(sums.sums.map(\.integers) == [8, 10] && sums.sums.map(\.doubles) == [0, 50.5])
    #expect(sums.sums.map(\.integerCount) == [3, 1] && sums.sums.map(\.doubleCount) == [0, 1])
  }

  @Test func blobsThatCannotBeReadAreCounted() throws {
    let sums = try sums([[1], [255], [3]], at: [0])
    #expect(sums.rows == 3 && sums.counted == 2 && sums.damaged == 1 && sums.sums[0].integers == 4)
    #expect(try self.sums([], at: [0]).rows == 0)
  }

  @Test func asManySumsAsTheLimitAreComputedTogether() throws {
    let paths = (0..<UInt8(Connection.sumsLimit)).map { $0 }
    #expect(try sums([paths.map { $0 + 1 }], at: paths).sums.map(\.integers) == paths.map { Int128($0) + 1 })
    #expect(throws: SQLiteError.self) { try sums([paths + [9]], at: paths + [8]) }
  }
}
