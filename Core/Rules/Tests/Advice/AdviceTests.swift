import TenonTestSupport
import Testing

@testable import TenonRules

@Suite(.limited)
struct AdviceTests {
  /// Returns the advice on the statements of a block.
  private static func advice(_ statements: String, path: String = "/a/{id}") throws -> [String] {
    try SecurityRules(
      source: """
        rules_version = '2';
        service cloud.firestore { match /databases/{d}/documents { match \(path) {
        \(statements)
        } } }
        """
    ).advice.map { "\($0.line - 2): \($0.code.rawValue): \($0.message)" }
  }

  @Test(arguments: [
    "allow read: if true;", "allow read;", "allow write: if false;", "allow write: if request.auth != null;",
    "allow read, write: if request.auth.uid == id;", "allow create: if request.resource.data.a == 1;",
    "allow update: if resource.data.a == request.resource.data.a;", "allow delete: if resource.data.a == 1;",
    "allow write: if request.auth != null && (resource == null || resource.data.a == 1);",
    "allow write: if request.auth != null && (request.resource == null || request.resource.data.a == 1);",
    "allow write: if request.auth != null && (request.method == 'delete' || request.resource.data.a == 1);",
    "allow write: if request.resource.data.a == 1; allow delete: if resource.data.a == 1;",
    "allow list: if request.query.limit < 5;",
    "allow read: if debug(id) == 'a';",
    "allow read: if math.abs(1) == 1;", "allow read: if get(/a/b).data.a;", "allow create: if !exists(/a/b);",
    "allow read: if f(true); function f(x) { let y = resource.data.a; return x && y; }",
    "allow update: if (request.auth != null ? resource.data.a : 1) == 1;",
    "allow get: if resource.data.keys() == ['a'];",
  ])
  func soundStatementsHaveNone(_ statements: String) throws {
    #expect(try Self.advice(statements) == [])
  }

  @Test(arguments: [
    "1 == 2", "'a' == 1", "id == 1", "id is int", "true && 1 > 2", "!true", "request.method == 'read'",
    "request.auth == null && 1 > 'a'", "resource.data.keys() == ['a'].toSet()", "request.time == 'now'",
    "f(1) && request.auth != null", "f(1) ? true : 1 == 2", "[request.query.limit] == []",
  ])
  func conditionThatIsNeverTrueIsNamed(_ condition: String) throws {
    #expect(
      try Self.advice("allow get: if \(condition); function f(x) { let y = x; return y == 2; }")
        == ["1: never-true: The condition is never true, so the statement allows nothing."])
  }

  @Test(arguments: [
    "true || resource.data.a == 1", "1 < 2", "!(1 == 2)", "id is string", "id != 1", "f(1) || 1 == 1",
  ])
  func conditionThatIsAlwaysTrueIsNamed(_ condition: String) throws {
    #expect(
      try Self.advice("allow get: if \(condition); function f(x) { return x == 2; }")
        == ["1: always-true: The condition is always true for get."])
  }

  @Test(arguments: [
    (
      "allow write: if request.resource.data.a == 1;",
      "delete: request.resource is null when something is deleted"
    ),
    ("allow write: if resource.data.a == 1;", "create: resource is null when something is created"),
    (
      "allow get, update: if request.resource.data.a == 1;",
      "get: there is no request.resource when something is read"
    ),
  ])
  func methodForWhichItIsNeverTrueIsNamed(_ statement: String, _ what: String) throws {
    #expect(try Self.advice(statement) == ["1: never-true: The condition is never true for \(what)."])
  }

  @Test func whatIsOpenToEveryoneIsNamed() throws {
    #expect(
      try Self.advice("allow read;\nallow create, delete;") == [
        "2: open-to-everyone: Everyone is allowed to create and delete, without signing in. "
          + "Add a condition such as \"request.auth != null\"."
      ])
    #expect(
      try Self.advice("allow read: if true;", path: "/{document=**}") == [
        "1: open-to-everyone: Everyone is allowed to get and list everything, without signing in. "
          + "Add a condition such as \"request.auth != null\"."
      ])
  }

  /// Functions that call each other twice, which is a million calls at the end.
  @Test func effortIsLimited() throws {
    let functions = (1..<20).map { "function f\($0)() { return f\($0 - 1)() && f\($0 - 1)(); }" }
    let text = "function f0() { return 1 == 1; } \(functions.joined(separator: " ")) allow get: if f19();"
    #expect(try Self.advice(text) == [])
  }

  @Test func samplesHaveOnlyOne() throws {
    let advice = try SampleFile.all().flatMap { file in
      try SecurityRules(source: file.source).advice.map { "\(file.name): \($0.code.rawValue)" }
    }
    // An administrator can't delete, because the condition needs new data.
    #expect(advice == ["settings: never-true"])
  }
}
