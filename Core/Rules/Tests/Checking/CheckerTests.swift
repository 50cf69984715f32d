import TenonTestSupport
import Testing

@testable import TenonRules

/// What is wrong besides the grammar, and the warnings.
@Suite(.limited) struct CheckerTests {
  private static func source(_ body: String) -> String {
    "rules_version='2';service cloud.firestore{match /a/{b}{\n\(body)\n}}"
  }

  @Test(arguments: [
    ("function f() { return f(); }", "L2:10 Recursive call is not allowed.", RulesProblem.Code.declaration),
    (
      "function f() { return g(); } function g() { return f(); }",
      "L2:10 Detected a call cycle between [f,g] functions.", .declaration
    ),
    (
      "function f() { return 1; } function f() { return 2; }", "L2:37 Function f is already defined.",
      .declaration
    ),
    ("function f(a, a) { return a; }", "L2:15 Variable a is already defined.", .declaration),
    (
      "function f(a) { let a = 1; return a; }",
      "L2:21 The identifier [a] is already bound in the current scope.", .declaration
    ),
    (
      "function f(a,b,c,d,e,g,h,i) { return 1; }",
      "L2:10 Maximum allowed function arguments of 7 for function f is reached.", .limit
    ),
    (
      "match /{b=**}/{c=**} { allow read; }",
      "L2:14 Invalid glob match expression. Only one glob match is permitted in a match declaration path.",
      .declaration
    ),
    (
      "match /{b=**} { match /c/{d=**} { allow read; } }",
      "L2:25 Invalid glob match expression. Only one glob match is permitted in a match declaration path.",
      .declaration
    ),
    (
      "match /c/{d}/{d} { allow read; }", "L2:13 Variable d already exists in the PathTemplate.", .declaration
    ),
    (
      "allow read: if math == 1;", "L2:16 math is a package and cannot be used as variable name.",
      .unknownName
    ),
    (
      "allow read: if 1 is foo;",
      "L2:23 An unsupported type identifier was used with the 'is' operator. Received foo.", .syntax
    ),
    ("allow read: if 'a'.matches('(');", "L2:28 Invalid regular expression pattern. Pattern: (.", .syntax),
  ]) func mistakesAreReported(body: String, expected: String, code: RulesProblem.Code) {
    do throws(RulesError) {
      _ = try SecurityRules(source: Self.source(body))
      Issue.record("\(body) was accepted")
    } catch {
      #expect(error.description.hasPrefix(expected), "\(error)")
      #expect(error.code == code)
    }
  }

  @Test(arguments: [
    ("allow read: if a;", "L2:16 Invalid variable name: a.", RulesProblem.Code.unknownName),
    ("allow read: if f();", "L2:16 Invalid function name: f.", .unknownName),
    ("allow read: if 'a'.foo();", "L2:20 Invalid function name: foo.", .unknownName),
    ("allow read: if math.foo(1) == 1;", "L2:21 Invalid function name: math.foo.", .unknownName),
    (
      "allow read: if 'a'.size(1) == 1;", "L2:20 Incorrect number of arguments supplied to function: size.",
      .argumentCount
    ),
    (
      "allow read: if get() == 1;", "L2:16 Incorrect number of arguments supplied to function: get.",
      .argumentCount
    ),
    ("allow foo: if true;", "L2:7 Invalid method name: foo.", .noEffect),
    ("allow read; function f() { return 1; }", "L2:22 Unused function: f.", .unused),
    ("allow read: if f(1); function f(a) { return 1; }", "L2:33 Unused variable: a.", .unused),
    (
      "allow read: if f() == 1; function f() { let a = c; return a; }", "L2:49 Invalid variable name: c.",
      .unknownName
    ),
  ]) func warningsAreReported(body: String, expected: String, code: RulesProblem.Code) throws {
    let warning = try #require(try SecurityRules(source: Self.source(body)).warnings.first)
    #expect(warning.description == expected)
    #expect(warning.code == code)
  }

  @Test func namesOfOuterBlocksAreKnownInside() throws {
    let rules = try SecurityRules(
      source: Self.source(
        "function f() { return b; } match /c/{d} { allow read: if f() == d && b == d && request == resource; }"
      ))
    #expect(rules.warnings == [])
  }

  @Test(arguments: [(20, true), (21, false)]) func callsAreNestedTwentyDeep(count: Int, isAccepted: Bool) {
    let functions = (0..<count).map {
      "function f\($0)() { return \($0 == count - 1 ? "true" : "f\($0 + 1)()"); }"
    }
    let source = Self.source("allow read: if f0(); " + functions.joined())
    #expect(((try? SecurityRules(source: source)) != nil) == isAccepted)
  }

  @Test(arguments: [
    ("!", "", "true", 98), ("(", ")", "true", 98), ("[", "]", "1", 98), ("false ? true : ", "", "true", 98),
    ("true && (", ")", "true", 49),
  ]) func expressionsHaveLimitedLevels(open: String, close: String, inner: String, most: Int) {
    for (count, isAccepted) in [(most, true), (most + 1, false)] {
      let text = String(repeating: open, count: count) + inner + String(repeating: close, count: count)
      let isValid = (try? SecurityRules(source: Self.source("allow read: if \(text);"))) != nil
      #expect(isValid == isAccepted, "\(open) \(count)")
    }
  }

  @Test func membersAreNotLevels() throws {
    let text = "request" + String(repeating: ".a", count: 199)
    #expect(throws: Never.self) { try SecurityRules(source: Self.source("allow read: if \(text) == 1;")) }
  }

  @Test func servicesAreDeclaredOnce() {
    let service = "service a { match /b { allow read; } }"
    #expect(throws: RulesError.self) { try SecurityRules(source: service + service) }
  }

  @Test func globsAreLastInVersion1() {
    #expect(throws: RulesError.self) {
      try SecurityRules(source: "service a { match /{b=**}/c { allow read; } }")
    }
  }
}
