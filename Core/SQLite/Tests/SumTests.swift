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
}
