import Foundation
import TenonDocuments
import TenonTestSupport
import TenonValues
import Testing

@Suite(.limited) struct DatabaseNameTests {
  private let database = DatabaseName(project: "p", database: "d")

  @Test func namesHaveTheFormOfTheProtocol() {
    #expect(database.name == "projects/p/databases/d")
    #expect(database.root == "projects/p/databases/d/documents")
    #expect(database.prefix == "projects/p/databases/d/documents/")
    #expect(database.fullName(of: WireText.ab) == "projects/p/databases/d/documents/a/b")
    #expect(database.fullName(of: ResourcePath(segments: [])) == database.root)
    #expect(DatabaseName(project: "p").name == "projects/p/databases/(default)")
  }

  @Test(arguments: [[], ["a"], ["a", "b"], ["é", "e\u{301}", "a b", "%2F"]])
  func thePathOfAFullNameIsTheOriginal(segments: [String]) throws {
    let path = ResourcePath(segments: segments)
    #expect(try database.path(of: database.fullName(of: path)) == path)
  }

  @Test(
    arguments: [
      "projects/q/databases/d/documents/a/b", "projects/p/databases/e/documents/a/b",
      "projects/p/databases/d2/documents/a/b", "projects/p2/databases/d/documents",
    ])
  func aNameOfAnotherDatabaseIsRejected(name: String) {
    let error = #expect(throws: DocumentError.self) { try database.path(of: name) }
    #expect(error?.code == .otherDatabase)
    #expect(error?.message.contains("projects/p/databases/d") == true)
  }

  @Test(
    arguments: [
      "", "/", "a/b", "projects/p/databases/d", "projects/p/databases/d/documentsx/a/b",
      "projects//databases",
      "projects/p/databases/d/documents/", "projects/p/databases/d/documents/a//b",
      "projects/p/databases/d/documents/a/", "/projects/p/databases/d/documents/a/b",
      "project/p/databases/d/documents/a/b", "projects/p/database/d/documents/a/b",
    ])
  func whatIsNoFullNameIsDamaged(name: String) {
    #expect(throws: DocumentError.self) { try database.path(of: name) }
      .map { #expect($0.code == .damaged, "\($0)") }
  }

  @Test(arguments: [
    "projects/p/databases/d", "projects/p/databases/d/documents/a/b", "projects/p/databases/d/",
  ])
  func aDatabaseIsParsedFromItsNameAndFromThoseOfItsResources(text: String) throws {
    #expect(try DatabaseName(parsing: text) == database)
  }

  @Test(arguments: [
    "", "projects/p", "projects//databases/d", "projects/p/databases/", "x/p/databases/d", "projects/p/x/d",
  ])
  func whatIsNoNameOfADatabaseIsDamaged(text: String) {
    #expect(throws: DocumentError.self) { try DatabaseName(parsing: text) }
  }

  @Test func specialCharactersArePercentEncodedInURLs() throws {
    let path = ResourcePath(segments: ["a:commit", "ü/?#%+ .~-_()"])
    let url = DatabaseName(project: "p").urlPath(of: path)
    #expect(
      url == "projects/p/databases/(default)/documents/a%3Acommit/%C3%BC%2F%3F%23%25%2B%20.~-_()")
    #expect(database.urlPath() == "projects/p/databases/d/documents")
  }

  @Test(arguments: ["", "/"])
  func aURLIsParsedBack(slash: String) throws {
    let path = ResourcePath(segments: ["a:b", "ü %\u{301}"])
    let parsed = try DatabaseName.parse(urlPath: slash + database.urlPath(of: path))
    #expect(parsed.0 == database && parsed.1 == path)
    #expect(
      try DatabaseName.parse(urlPath: "projects/p/databases/d/documents/%7e/%7E").1.segments == ["~", "~"])
  }

  @Test(
    arguments: [
      "", "/", "projects/p/databases/d", "projects/p/databases/d/docs/a",
      "projects/p/databases/d/documents/a%2Fb",
      "projects/p/databases/d/documents//a", "projects/p/databases/d/documents/%",
      "projects/p/databases/d/documents/%2",
      "projects/p/databases/d/documents/%GG", "projects/p/databases/d/documents/%FF",
      "projects//databases/d/documents",
      "//projects/p/databases/d/documents",
    ])
  func aURLOfSomethingElseIsDamaged(url: String) {
    let error = #expect(throws: DocumentError.self) { try DatabaseName.parse(urlPath: url) }
    #expect(error?.code == .damaged)
  }
}
