import Foundation
import TenonSQLite
import TenonTestSupport
import Testing

@Suite(.limited) struct RepeatedStatementTests {
  private let connection: Connection

  init() throws {
    connection = try Connection.open(nil)
    try connection.execute("CREATE TABLE t (n INTEGER UNIQUE, b BLOB)")
  }

  private static let insertion = "INSERT INTO t VALUES (?, ?)"

  private func table() throws -> [SQLValue] {
    try connection.rows("SELECT n, b FROM t ORDER BY n") { [$0.value(0), $0.value(1)] }.flatMap { $0 }
  }

  @Test func eachRunUsesTheLatestBindings() throws {
    let bytes: [UInt8] = [1, 2, 3]
    try connection.repeating(Self.insertion, of: bytes.span) { statement in
      for (number, range) in [0..<2, 1..<3, 3..<3].enumerated() {
        try statement.bind(Int64(number), at: 1)
        try statement.bind(range, at: 2)
        try statement.run()
      }
      try statement.bind(9, at: 1)
      try statement.run()
    }
    let empty = SQLValue.blob(Data())
    #expect(try table() == [0, .blob(Data([1, 2])), 1, .blob(Data([2, 3])), 2, empty, 9, empty])
  }

  @Test func bindingsAreClearedAfterwards() throws {
    let bytes: [UInt8] = [7]
    try connection.repeating(Self.insertion, of: bytes.span) { statement in
      try statement.bind(1, at: 1)
      try statement.bind(0..<1, at: 2)
      try statement.run()
    }
    try connection.repeating(Self.insertion, of: bytes.span) { try $0.run() }
    #expect(try table() == [.null, .null, 1, .blob(Data([7]))])
  }

  @Test func textIsBoundWithItsZerosAndDistinguishedFromNull() throws {
    let bytes = Array("a\0é".utf8)
    try connection.execute("CREATE TABLE s (n INTEGER, t TEXT)")
    try connection.repeating("INSERT INTO s VALUES (?, ?)", of: bytes.span) { statement in
      for (number, range) in [0..<4, 0..<1, 4..<4].enumerated() {
        try statement.bind(Int64(number), at: 1)
        try statement.bind(text: range, at: 2)
        try statement.run()
      }
      #expect(failure { try statement.bind(text: 0..<1, at: 3) } != nil)
    }
    let none: [UInt8] = []
    try connection.repeating("INSERT INTO s VALUES (3, ?)", of: none.span) { statement in
      try statement.bind(text: 0..<0, at: 1)
      try statement.run()
    }
    let texts = try connection.rows("SELECT t FROM s ORDER BY n") { $0.value(0) }
    #expect(texts == ["a\0é", "a", "", ""])
  }

  private func failure(_ body: () throws -> Void) -> SQLiteError? {
    do {
      try body()
      return nil
    } catch { return error as? SQLiteError }
  }

  @Test func aFailedRunNamesTheStatementAndCanBeRepeated() throws {
    let bytes: [UInt8] = []
    try connection.repeating(Self.insertion, of: bytes.span) { statement in
      try statement.bind(1, at: 1)
      try statement.run()
      let error = failure { try statement.run() }
      #expect(error?.code == .constraint)
      #expect(error?.description.contains("INSERT INTO t") == true)
      #expect(failure { try statement.bind(1, at: 3) } != nil)
      try statement.bind(2, at: 1)
      try statement.run()
    }
    let error = failure { try connection.repeating("INSERT INTO u VALUES (1)", of: bytes.span) { _ in } }
    #expect(error?.code == .misuse)
    #expect(try table() == [1, .null, 2, .null])
  }
}
