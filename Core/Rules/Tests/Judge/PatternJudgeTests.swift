import TenonTestSupport
import TenonTesting
import TenonValues
import Testing

@testable import TenonRules

/// Compares regular expressions with Google's emulator: which patterns are errors, and what they match.
@Suite(.limited, .firestoreEmulator) struct PatternJudgeTests {
  @Test(arguments: 0..<CaseCount.of(4, deep: 100)) func matchesAndSplitsAsTheEmulator(part: Int)
    async throws
  {
    let judge = try await RulesJudge(project: "patterns-\(part)")
    var generator = PatternGenerator(seed: TestSeeds.first &+ UInt64(part))
    let examples = (0..<60).map { _ in generator.example() }
    // A block for each, because the emulator can't send many reasons together.
    var source = "rules_version = '2';\nservice cloud.firestore { match /databases/{d}/documents {\n"
    var places: [(start: Int, end: Int)] = []
    for (number, example) in examples.enumerated() {
      source += "match /a/x\(number) { allow get: if "
      let start = source.unicodeScalars.count
      source += "[resource.data.text.\(example.operation)(resource.data.pattern)]"
      // The emulator's places don't contain closing brackets.
      places.append((start, source.unicodeScalars.count - 1))
      source += " == [null]; }\n"
    }
    source += "} }"
    #expect(try await judge.setRules(source) == [])
    try await judge.setDocuments(
      Dictionary(
        uniqueKeysWithValues: examples.enumerated().map { number, example in
          ("a/x\(number)", ["text": .string(example.text), "pattern": .string(example.pattern)])
        }))
    for number in examples.indices { #expect(try await !judge.get("a/x\(number)", nil)) }
    let judged = try await judge.coverage()
    let scalars = Array(source.unicodeScalars)
    for (place, example) in zip(places, examples) {
      // The list around the expression has the value, or the error.
      let theirs = judged[CoverageKey.text(place.start, place.end, in: scalars)] ?? []
      // The emulator begins before it has the document, and evaluates again.
      #expect(
        theirs.subtracting(["pending"]) == [Self.own(example)],
        "seed \(TestSeeds.first &+ UInt64(part)): \(example)")
    }
  }

  private static func own(_ example: PatternGenerator.Example) -> String {
    do {
      let pattern = try Pattern(example.pattern)
      switch example.operation {
      case .matches: return JudgedValue.text(.list([.boolean(try pattern.matches(example.text))]))
      case .split:
        return JudgedValue.text(.list([.list(try pattern.split(example.text).map { .string($0) })]))
      }
    } catch { return "error" }
  }
}

/// Generates patterns, most of them valid, and texts that some of them match.
struct PatternGenerator {
  struct Example {
    enum Operation { case matches, split }
    var operation: Operation
    var pattern: String
    var text: String
  }

  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private static let atoms = [
    "a", "b", "c", "ab", "A", "k", "é", "ß", "σ", "\n", " ", ".", "^", "$", "\\b", "\\B", "\\A", "\\z", "\\d",
    "\\w",
    "\\s", "\\D", "\\W", "\\S", "[ab]", "[^a]", "[a-c]", "[\\d-]", "[^\\w]", "[[:alpha:]]", "[[:^digit:]]",
    "[]a]",
    "[a-]", "\\pL", "\\p{Lu}", "\\PL", "\\p{Greek}", "\\p{^L}", "[\\pL\\d]", "\\x61", "\\x{e9}", "\\141",
    "\\n", "\\.",
    "\\\\", "\\Qa.b\\E", "(?:)", "()", "-", ",", "_", "1", "}", "]",
  ]
  private static let mistakes = [
    "\\1", "\\8", "\\Z", "\\C", "(?=a)", "[b-a]", "[[:foo:]]", "\\p{Foo}", "\\p", "\\x", "[", "(", ")", "*",
    "{2}",
    "a{1001}", "a{2,1}", "a{,2}", "a{", "\\", "(?z)", "(?i-)", "[a", "\\e", "\\_", "\\é", "\\08",
    "\\x{110000}",
    "(?P<é>a)", "[a-\\d]", "{*", "[(]", "\\Q(\\E",
  ]
  private static let repetitions = [
    "*", "+", "?", "*?", "+?", "??", "{2}", "{0}", "{1,3}", "{2,}", "{0,1}?", "**",
  ]
  private static let flags = ["(?i)", "(?s)", "(?m)", "(?U)", "(?i:", "(?-i:"]

  private mutating func pick(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }

  mutating func example() -> Example {
    let length = Int.random(in: 0..<8, using: &random)
    let text = (0..<length).map { _ in pick("aabbcAkKßẞéÉσς\n .-,_01\\".map(String.init) + ["\u{212A}", "ſ"])
    }
    return Example(
      operation: Bool.random(using: &random) ? .matches : .split, pattern: pattern(5),
      text: text.joined())
  }

  private mutating func pattern(_ depth: Int) -> String {
    let choice = Int.random(in: 0..<100, using: &random)
    if depth == 0 || choice < 25 {
      return pick(Int.random(in: 0..<40, using: &random) == 0 ? Self.mistakes : Self.atoms)
    }
    switch choice {
    case ..<45: return pattern(depth - 1) + pattern(depth - 1)
    case ..<60: return pattern(depth - 1) + "|" + pattern(depth - 1)
    case ..<68: return "(\(pattern(depth - 1)))"
    case ..<74: return "(?:\(pattern(depth - 1)))"
    case ..<79:
      let flag = pick(Self.flags)
      return flag + pattern(depth - 1) + (flag.hasSuffix(":") ? ")" : "")
    default: return "(?:\(pattern(depth - 1)))" + pick(Self.repetitions)
    }
  }
}
