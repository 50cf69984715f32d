import TenonTestSupport
import Testing

@testable import TenonRules

/// The grammar and the places of mistakes, which were compared with Google's compiler.
@Suite(.limited) struct ParserTests {
  /// Returns the problems of a body of a `match`, whose first column is 1.
  private func problems(_ body: String) throws -> [String] {
    let source = "rules_version='2';service cloud.firestore{match /a/{b}{\n\(body)\n}}"
    return try Parser.parseWithProblems(source).1.map(\.description)
  }

  @Test(arguments: [
    "allow read;", "allow read", "allow read, write: if true;", "allow foo: if true",
    "allow read: if 5 / 2 == 2;",
    "allow read: if -5 / 2 == 2;", "allow read: if /a/$(b)/c[0] == /a /b;",
    "allow read: if {'a': 1,}['a'] in [1,];",
    "allow read: if a.in && a.match && read == list;", "allow read: if 'a\\'\\u0041\\x41\\101' == \"\";",
    "allow read: if .5 + 1. == 1;", "allow read: if a ? b : c ? d : e;", "allow read: if [1][0:] == [1][:1];",
    "allow read: if 1 is int is bool == true;", "allow read: if !!(a == !-1);",
    "match /{a=**}/b/{c} { allow read; }",
    "function f(a, b) { let c = a; let d = c; return d; }", "function f() { return true }",
    "match /(default)/a.b/*/** { allow read; }", "/* a */ allow read; // b",
  ]) func validTextHasNoProblems(body: String) throws {
    #expect(try problems(body) == [])
  }

  @Test(arguments: [
    ("allow read if true;", "L2:12 Missing ':' before 'if' condition."),
    ("allow read: true;", "L2:13 Missing 'if' before conditional expression."),
    ("allow: if true;", "L2:6 Expected at least one 'operation' after 'allow'."),
    ("allow read, : if true;", "L2:11 Unexpected ','."),
    ("allow read write: if true;", "L2:12 Unexpected 'write'."),
    ("allow read: if;", "L2:15 Missing conditional expression after 'if'."),
    ("allow read: if ();", "L2:17 Unexpected ')'."),
    ("allow read: if true;;", "L2:21 Unexpected ';'."),
    ("match /a/{b} {}", "L2:15 The 'match' body must contain at least one declaration."),
    ("/a { allow read; }", "L2:1 Missing 'match' keyword before path."),
    ("match /a/ { allow read; }", "L2:9 Forward slash '/' found where identifier or binding expected."),
    ("function f() { }", "L2:16 Missing 'function' body"),
    ("function f { return true; }", "L2:12 Missing 'function' signature"),
    ("function () { return true; }", "L2:10 Missing 'function' id"),
    ("function f(a,) { return true; }", "L2:14 Unexpected ')'."),
    ("function f() { let a = 1 return a; }", "L2:26 missing ';' at 'return'"),
    ("function f() { true; }", "L2:16 Unexpected 'true'."),
    ("allow read: if a b;", "L2:18 Unexpected 'b'."),
    ("allow read: if (a;", "L2:18 Unexpected ';'."),
    ("allow read: if {'a' 1};", "L2:21 Unexpected '1'."),
    ("allow read: if f(,);", "L2:18 Unexpected ','."),
    ("allow read: if a.;", "L2:18 Unexpected ';'."),
    ("allow read: if a.1;", "L2:17 Unexpected '.1'."),
    ("allow read: if 1--1;", "L2:17 Increment (++) and decrement (--) operators are not supported."),
    ("allow read: if - -1;", "L2:18 Unexpected '-'."),
    ("allow read: if 'a\\qb';", "L2:19 Missing a closing '"),
    ("allow read: if 01;", "L2:17 Unexpected '1'."),
    ("allow read: if 9223372036854775808 == 1;", "L2:16 Invalid number literal 9223372036854775808."),
    ("allow read: if '😀é' == ;", "L2:24 mismatched input ';' expecting an expression"),
  ]) func mistakesAreReportedAtTheirPlace(body: String, expected: String) throws {
    #expect(try problems(body).first == expected)
  }

  @Test(arguments: [
    ("", "L0:0 Rules content empty. Compilation aborted."),
    ("service cloud.firestore {}", "L1:26 The 'service' body must contain at least one declaration."),
    ("service cloud.firestore;", "L1:24 Unexpected ';'."),
    (
      "rules_version = 2; service a { match /a { allow read; } }",
      "L1:17 mismatched input '2' expecting STRING"
    ),
    ("rules_version = '3'; service a { match /a { allow read; } }", "L1:1 Unsupported rules version 3."),
    ("service cloud.firestore { match /a { allow read; }", "L1:51 Unexpected '<EOF>'."),
    ("service cloud.firestore { match /a { allow read; } } }", "L1:54 Unexpected '}'."),
    ("service cloud.firestore { allow read; }", "L1:27 Unexpected 'allow'."),
  ]) func mistakesOfFilesAreReportedAtTheirPlace(source: String, expected: String) {
    do throws(RulesError) {
      _ = try Parser.parse(source)
      Issue.record("\(source) was accepted")
    } catch {
      #expect(error.problems.first?.description == expected)
      #expect(error.description.hasPrefix(expected))
    }
  }

  @Test func severalMistakesAreReportedAtOnce() throws {
    #expect(
      try problems("allow read: if a b;\nallow write: if true;\nallow get: if (;\nmatch /c { allow x y; }")
        .count == 3)
  }

  @Test(arguments: [
    ("(", ")"), ("[", "]"), ("!", ""), ("-(", ")"), ("f(", ")"), ("a.b[", "]"), ("{'a':", "}"),
    ("true ? true : ", ""),
    ("/a/$(", ")"), ("1 + (", ")"), ("1 in ", ""),
  ]) func deepNestingIsAMistakeNotACrash(open: String, close: String) throws {
    let deep = String(repeating: open, count: 10_000) + "1" + String(repeating: close, count: 10_000)
    #expect(try !problems("allow read: if \(deep);").isEmpty)
    let blocks = String(repeating: "match /a {", count: 10_000)
    #expect(try !problems(blocks).isEmpty)
  }

  @Test func filesLargerThanTheLimitAreRefused() throws {
    let large = String(repeating: " ", count: Parser.sizeLimit + 1)
    #expect(throws: RulesError.self) { try Parser.parse(large) }
  }
}
