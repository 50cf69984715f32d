import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonValues
import Testing

@testable import TenonRules

/// Whatever a file contains, reading and evaluating it ends, soon and without a crash.
@Suite(.limited) struct FuzzTests {
  private static let words = [
    "rules_version", "=", "'2'", ";", "service", "cloud.firestore", "{", "}", "match", "/a", "/", "{b=**}",
    "allow", "read",
    ":", "if", "true", "function", "f", "(", ")", "return", "let", "x", "&&", "||", "==", "in", "is", "int",
    "[", "]", ",",
    "?", "1", "-", "!", "request", ".", "auth", "$", "'a", "\"", "b'\\xff'", "9223372036854775808", "1.5",
    "/*", "*/", "//",
    "é", "😀", "\u{0}", "|", "&", "\n", "resource.data.s", "matches('(a*)*')", "/$(", "%zz",
  ]

  @Test(arguments: 0..<4) func randomTokensAreRefusedOrRun(part: Int) {
    for number in 0..<CaseCount.of(500, deep: 50_000) {
      var random = SeededGenerator(seed: UInt64(part * 1_000_000 + number))
      var text =
        Bool.random(using: &random)
        ? "" : "rules_version='2';service cloud.firestore{match /{a=**}{allow read: if "
      for _ in 0..<Int.random(in: 0..<60, using: &random) {
        text += Self.words[Int.random(in: 0..<Self.words.count, using: &random)]
        if Bool.random(using: &random) { text += " " }
      }
      if Bool.random(using: &random) { text += ";}}" }
      Self.run(text)
    }
  }

  @Test(arguments: 0..<2) func randomBytesAreRefusedOrRun(part: Int) {
    for number in 0..<CaseCount.of(200, deep: 20_000) {
      var random = SeededGenerator(seed: UInt64(part * 1_000_000 + number))
      var bytes = Array(SampleRules.files[number % SampleRules.files.count].utf8)
      for _ in 0..<Int.random(in: 1..<8, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      Self.run(String(decoding: bytes, as: UTF8.self))
    }
  }

  @Test(arguments: 0..<2) func generatedRulesRun(part: Int) {
    for number in 0..<CaseCount.of(200, deep: 20_000) {
      var generator = RulesGenerator(seed: UInt64(part * 1_000_000 + number + 7_000_000))
      Self.run(generator.file())
    }
  }

  /// Files of a size near the limit, made of one thing.
  @Test(arguments: [
    "[", "(", "!", "{", "-", "'", "/", "/a", "a.", "f(", "a[", "match /a {", "/*", "//", "a?", "1+", "&&",
    "é", "function f() {",
    "let a = 1;", "allow read;", "return ", "'\\", "b'", "$(", "/$(", "[1,", "{'a':", "a,", "service a {",
    "\n", "😀",
  ])
  func hugeFilesTakeLinearTime(unit: String) {
    let count = (Parser.sizeLimit - 200) / unit.utf8.count
    for prefix in [
      "", "service cloud.firestore{match /a{allow read: if ",
      "service cloud.firestore{match /a{function f(){return ",
      "service cloud.firestore{match /a{",
    ] {
      Self.run(prefix + String(repeating: unit, count: count))
    }
  }

  @Test func manyDeclarationsTakeLinearTime() {
    let functions = (0..<5000).map { "function f\($0)() { return f\(($0 + 1) % 5000)(); }" }.joined()
    Self.run("service cloud.firestore { match /a { \(functions) } }")
    let chain = (0..<5000).map { "function f\($0)() { return f\($0 + 1)(); }" }.joined()
    Self.run("service cloud.firestore { match /a { \(chain) } }")
    let lets = (0..<8000).map { "let v\($0) = \($0 == 0 ? "1" : "v\($0 - 1)");" }.joined()
    Self.run(
      "rules_version='2';service cloud.firestore { match /{a=**} { allow read: if f() == 1; function f() { \(lets) return v7999; } } }"
    )
    let allows = String(repeating: "allow read: if a == 1;", count: 9000)
    Self.run("rules_version='2';service cloud.firestore { match /{a=**} { \(allows) } }")
  }

  @Test func largeValuesTakeLinearTime() throws {
    let list = Value.array((0..<20_000).map { .integer(Int64($0)) })
    let texts = Value.array((0..<20_000).map { .string("text \($0)") })
    let map = Value.map(
      Fields(Dictionary(uniqueKeysWithValues: (0..<20_000).map { ("k\($0)", .integer(Int64($0))) })))
    let conditions = [
      "resource.data.l.hasAll(resource.data.l)",
      "resource.data.l.toSet().union(resource.data.t.toSet()).size() == 40000",
      "resource.data.l.removeAll(resource.data.l).size() == 0",
      "resource.data.m.diff(resource.data.m).affectedKeys().size() == 0",
      "resource.data.t.join(',').split(',').size() == 20000",
      "resource.data.t.toSet().hasOnly(resource.data.t)",
      "resource.data.t.join('').matches('(.*a)*b.*|t.*')",
      "resource.data.m.keys().toSet().intersection(resource.data.m.keys().toSet()).size() == 20000",
    ]
    for condition in conditions {
      let rules = try SecurityRules(
        source: "rules_version='2';service cloud.firestore{match /{a=**}{allow read: if \(condition);}}")
      let request = RulesRequest(
        .get(
          ResourcePath(segments: ["x", "d"]), database: "(default)",
          document: .exists(["l": list, "t": texts, "m": map])), user: nil,
        time: Timestamp(seconds: 0))
      #expect(rules.decision(request)?.isAllowed == true, "\(condition)")
    }
  }

  @Test(arguments: [
    ("resource.data.s", "v + v"), ("[1]", "v.concat(v)"), ("[1]", "[v, v]"), ("{'a': 1}", "{'a': v, 'b': v}"),
    ("'a'", "v.replace('a', 'aaaaaaaaaa')"), ("/a/b", "/$(v)/$(v)"), ("['a']", "[v.join('a'), v.join('b')]"),
    ("[1].toSet()", "[v, v].toSet()"), ("'a'", "v.toUtf8().toHexString()"),
  ]) func valuesThatDoubleAreLimited(start: String, step: String) throws {
    let lets = (1...200).map { number in
      "let v\(number) = \(step.replacing("v", with: "v\(number - 1)").replacing("v\(number - 1)alue", with: "value"));"
    }
    let rules = try SecurityRules(
      source: """
        rules_version='2';
        service cloud.firestore {
          match /{a=**} {
            allow read: if f();
            function f() { let v0 = \(start); \(lets.joined()) return v200 == v200 && [v200].hasAll([v200]); }
          }
        }
        """)
    let request = RulesRequest(
      .get(
        ResourcePath(segments: ["x", "d"]), database: "(default)",
        document: .exists(["s": .string(String(repeating: "s", count: 1000))])), user: nil,
      time: Timestamp(seconds: 0))
    #expect(rules.decision(request)?.isAllowed == false)
  }

  @Test(arguments: [Int64.min, .min + 1, -1, .max - 1, .max]) func timesOutOfRangeFail(seconds: Int64) throws
  {
    for expression in [
      "t.year() == 1", "t.date() == t", "t.time() == t", "t.toMillis() == 1",
      "t + duration.value(1, 'd') > t",
      "t - duration.value(1, 'd') > t", "t - t == t", "t.dayOfYear() == t.dayOfWeek()",
      "duration.value(1, 'd') + t == t",
    ] {
      let rules = try SecurityRules(
        source: """
          rules_version='2';
          service cloud.firestore {
            match /{a=**} { allow read: if f(resource.data.t); function f(t) { return \(expression); } }
          }
          """)
      for nanoseconds in [Int32.min, -1, 0, .max] {
        let time = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
        let request = RulesRequest(
          .get(
            ResourcePath(segments: ["x", "d"]), database: "(default)",
            document: .exists(["t": .timestamp(time)])),
          user: nil, time: time)
        _ = rules.decision(request)
      }
    }
  }

  private static func run(_ source: String) {
    guard let rules = try? SecurityRules(source: source) else { return }
    let fields: Fields = ["s": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "l": [1, 2], "i": .integer(.min)]
    let path = ResourcePath(segments: ["x", "d"])
    for target in [
      RulesRequest.Target.get(path, database: "(default)", document: .exists(fields)),
      .write(path, database: "(default)", document: .exists(fields), newDocument: fields),
      .list(
        StructuredQuery(parent: ResourcePath(segments: []), collectionID: "x"), database: "(default)",
        offset: 0),
    ] {
      _ = rules.decision(
        RulesRequest(target, user: RulesUser(uid: "ann", claims: fields), time: Timestamp(seconds: 0)))
    }
  }
}
