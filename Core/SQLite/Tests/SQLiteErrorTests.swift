import Foundation
import TenonSQLite
import TenonTestSupport
import Testing

@Suite(.limited) struct SQLiteErrorTests {
  @Test func theDescriptionEndsWithTheCode() throws {
    let connection = try Connection.open(nil)
    let error = #expect(throws: SQLiteError.self) { try connection.run("SELECT missing") }
    #expect(error?.description == "SQLite: no such column: missing [1], running SELECT missing (misuse)")
  }

  @Test func theDescriptionNamesTheFile() {
    let error = #expect(throws: SQLiteError.self) { _ = try Connection.open("/nowhere/a.sqlite") }
    let text = "SQLite: unable to open database file [14] in /nowhere/a.sqlite (cannot-open)"
    #expect(error?.description == text)
  }

  @Test func theLocalizedDescriptionIsTheDescription() throws {
    let connection = try Connection.open(nil)
    let error = #expect(throws: SQLiteError.self) {
      try connection.transaction { try connection.transaction {} }
    }
    #expect(error?.description == "SQLite: a transaction can't begin inside another one (misuse)")
    let caught: any Error = try #require(error)
    #expect(caught.localizedDescription == error?.description)
  }
}
