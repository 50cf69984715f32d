import Foundation
import TenonSQLite
import TenonTestSupport
import Testing

@Suite(.limited) struct ConnectionTests {
  private struct Failure: Error {}

  /// Passes the path of a database to a closure, and deletes its directory afterwards.
  private func withDatabase(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-sqlite-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try body(directory.appending(path: "test.sqlite").path)
  }

  private func code(_ body: () throws -> Void) -> SQLiteError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? SQLiteError)?.code
    }
  }

  @Test(
    arguments: [
      SQLValue.null, .integer(Int64.min), .integer(Int64.max), .real(-0.5), .real(.infinity), .text(""),
      .text("ü\u{0}😀"), .blob(Data()), .blob(Data([0, 255, 1])),
    ])
  func valuesAreReadAsTheyWereWritten(value: SQLValue) throws {
    let connection = try Connection.open(nil)
    try connection.execute("CREATE TABLE t (v)")
    try connection.run("INSERT INTO t VALUES (?)", [value])
    #expect(try connection.first("SELECT v FROM t") { $0.value(0) } == value)
  }

  @Test func optionalGettersDistinguishNull() throws {
    let connection = try Connection.open(nil)
    let isNull = try connection.first("SELECT NULL, 1, 'a', x'00'") { row in
      [
        row.optionalInteger(0) == nil, row.optionalInteger(1) == 1, row.optionalText(2) == "a",
        row.optionalBlob(3) == Data([0]), row.count == 4, row.isNull(0), row.integer(0) == 0,
      ]
    }
    #expect(isNull == Array(repeating: true, count: 7))
  }

  @Test func bytesAndTextAreReadFromColumnsOfEveryType() throws {
    let connection = try Connection.open(nil)
    let read = try connection.first("SELECT 'grün', x'00FF', 42, 1.5, NULL, ''") { row in
      let bytes = (0..<6).map { column in row.withBytes(column) { span in span.indices.map { span[$0] } } }
      return (texts: (0..<6).map { row.text($0) }, bytes: bytes)
    }
    #expect(read?.texts == ["grün", "\u{0}\u{FFFD}", "42", "1.5", "", ""])
    #expect(
      read?.bytes == [Array("grün".utf8), [0, 255], Array("42".utf8), Array("1.5".utf8), [], []])
  }

  @Test func rowsAreReadOneAtATimeUntilTheClosureStops() throws {
    let connection = try Connection.open(nil)
    var seen: [Int64] = []
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    try connection.forEachRow(sql) { row in
      seen.append(row.integer(0))
      return seen.count < 3
    }
    #expect(seen == [1, 2, 3])
  }

  @Test func aQueryInsideTheSameQueryHasItsOwnRows() throws {
    let connection = try Connection.open(nil)
    try connection.execute("CREATE TABLE t (v); INSERT INTO t VALUES (1), (2)")
    let pairs = try connection.rows("SELECT v FROM t ORDER BY v") { outer in
      let number = outer.integer(0)
      return try connection.rows("SELECT v FROM t ORDER BY v") { "\(number)\($0.integer(0))" }
    }
    #expect(pairs == [["11", "12"], ["21", "22"]])
  }

  @Test func aTransactionThatThrowsChangesNothing() throws {
    let connection = try Connection.open(nil)
    try connection.execute("CREATE TABLE t (v)")
    #expect(throws: Failure.self) {
      try connection.transaction {
        try connection.run("INSERT INTO t VALUES (1)")
        throw Failure()
      }
    }
    try connection.transaction { try connection.run("INSERT INTO t VALUES (2)") }
    #expect(try connection.rows("SELECT v FROM t") { $0.integer(0) } == [2])
    #expect(connection.changes == 1)
  }

  @Test func errorsNameTheMistake() throws {
    let connection = try Connection.open(nil)
    try connection.execute("CREATE TABLE t (v UNIQUE)")
    try connection.run("INSERT INTO t VALUES (1)")
    #expect(code { try connection.run("INSERT INTO t VALUES (1)") } == .constraint)
    #expect(code { try connection.run("SELECT nothing FROM t") } == .misuse)
    #expect(code { try connection.run("INSERT INTO t VALUES (?)") } == .misuse)
    #expect(code { try connection.transaction { try connection.transaction {} } } == .misuse)
    let thrown = #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO t VALUES (?)", [1, 2]) }
    #expect(thrown?.description.contains("1 parameters, but 2 values") == true)
    // The connection remains usable.
    #expect(try connection.rows("SELECT v FROM t") { $0.integer(0) } == [1])
  }

  @Test func commitsAreVisibleToOtherConnectionsAndChangeTheirDataVersion() throws {
    try withDatabase { path in
      let writer = try Connection.open(path)
      let reader = try Connection.open(path)
      try writer.execute("CREATE TABLE t (v)")
      let before = try reader.dataVersion
      #expect(try reader.dataVersion == before)
      try writer.run("INSERT INTO t VALUES (1)")
      #expect(try reader.dataVersion != before)
      #expect(try reader.first("SELECT v FROM t") { $0.integer(0) } == 1)
    }
  }

  @Test func aHeldLockFailsWithBusyAfterTheTimeout() throws {
    try withDatabase { path in
      let holder = try Connection.open(path)
      let other = try Connection.open(path, busyTimeout: .zero)
      try holder.execute("CREATE TABLE t (v)")
      try holder.transaction {
        #expect(code { try other.transaction {} } == .busy)
      }
      try other.transaction { try other.run("INSERT INTO t VALUES (1)") }
    }
  }

  @Test func aFileThatIsNotADatabaseIsReportedAndLeftUnchanged() throws {
    try withDatabase { path in
      let content = Data(repeating: 65, count: 4096)
      try content.write(to: URL(filePath: path))
      let thrown = #expect(throws: SQLiteError.self) { _ = try Connection.open(path) }
      #expect(thrown?.code == .damaged)
      #expect(thrown?.description.contains(path) == true)
      #expect(try Data(contentsOf: URL(filePath: path)) == content)
    }
  }

  @Test func aMissingDirectoryIsNamed() {
    let thrown = #expect(throws: SQLiteError.self) { _ = try Connection.open("/nowhere/a.sqlite") }
    #expect(thrown?.code == .cannotOpen)
    #expect(thrown?.path == "/nowhere/a.sqlite")
  }

  @Test func migrationsRunOnceAndInOrder() throws {
    try withDatabase { path in
      let first = [Migration("CREATE TABLE t (a)")]
      let second = first + [Migration { try $0.execute("ALTER TABLE t ADD COLUMN b") }]
      do {
        let connection = try Connection.open(path)
        try connection.migrate(first)
        try connection.migrate(first)
        try connection.run("INSERT INTO t VALUES (1)")
      }
      let connection = try Connection.open(path)
      try connection.migrate(second)
      #expect(try connection.first("SELECT a, b FROM t") { $0.isNull(1) } == true)
      #expect(code { try connection.migrate(first) } == .newerSchema)
    }
  }

  @Test(arguments: [-1, Int(Int32.min)])
  func aNegativeSchemaVersionIsReported(version: Int) throws {
    try withDatabase { path in
      let first = [Migration("CREATE TABLE t (a)")]
      let connection = try Connection.open(path)
      try connection.migrate(first)
      try connection.execute("PRAGMA user_version = \(version)")
      let thrown = #expect(throws: SQLiteError.self) { try connection.migrate(first) }
      #expect(thrown?.code == .damaged && thrown?.path == path)
      #expect(thrown?.description.contains("schema version \(version)") == true)
    }
  }

  @Test func tablesWithoutAVersionAreReportedIfMigrationsOwnAllTables() throws {
    try withDatabase { path in
      try Connection.open(path).execute("CREATE TABLE other (a)")
      let migrations = [Migration("CREATE TABLE t (a)")]
      let thrown = #expect(throws: SQLiteError.self) {
        try Connection.open(path, migrations: migrations)
      }
      #expect(thrown?.code == .damaged && thrown?.path == path)
      // A program may have created tables before it used migrations.
      try Connection.open(path).migrate(migrations)
      _ = try Connection.open(path, migrations: migrations)
    }
  }

  @Test func aFailedMigrationLeavesTheOldSchema() throws {
    let connection = try Connection.open(nil)
    try connection.migrate([Migration("CREATE TABLE t (a)")])
    let broken = [Migration("CREATE TABLE t (a)"), Migration("CREATE TABLE u (b); NONSENSE")]
    #expect(code { try connection.migrate(broken) } == .misuse)
    #expect(try connection.rows("SELECT name FROM sqlite_schema") { $0.text(0) } == ["t"])
  }

  @Test func aThousandDifferentStatementsCanBeRun() throws {
    let connection = try Connection.open(nil)
    for number in 0..<1_000 {
      #expect(try connection.first("SELECT \(number)") { $0.integer(0) } == Int64(number))
    }
  }
}
