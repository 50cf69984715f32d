import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonRules

/// Compares what is wrong with broken files with Google's compiler.
@Suite(.limited, .firestoreEmulator) struct MistakeTests {
  /// The signs that are inserted, or replace others.
  private static let signs = [
    "", "", "", " ", ";", "}", "{", ")", "(", "]", "[", ":", ",", ".", "'", "if", "&&", "==", "1", "x", "/",
    "=", "!", "-",
    "return", "allow", "match", "true", "in", "is", "|", "@",
  ]

  /// Returns a sample with one place changed.
  private static func broken(_ number: Int) -> String {
    var random = SeededGenerator(seed: UInt64(number))
    let sample = SampleRules.files[number % SampleRules.files.count]
    var lexer = Lexer(Array(sample.utf8))
    let tokens = lexer.tokens().dropLast()
    let token = tokens[Int.random(in: 0..<tokens.count, using: &random)]
    let sign = signs[Int.random(in: 0..<signs.count, using: &random)]
    let bytes = Array(sample.utf8)
    // The token is replaced, or the sign is inserted before it.
    let end = Bool.random(using: &random) ? token.start.offset : token.end
    return String(decoding: bytes[..<token.start.offset], as: UTF8.self) + sign
      + String(decoding: bytes[end...], as: UTF8.self)
  }

  @Test func mistakesAreFoundWhereTheEmulatorFindsThem() async throws {
    let judge = try await RulesJudge(project: "mistakes")
    var (same, near, differences): (Int, Int, [String]) = (0, 0, [])
    let count = CaseCount.of(200, deep: 5000)
    for number in 0..<count {
      let source = Self.broken(number)
      let complaints = try await judge.setRules(source)
      let own: [String]
      do {
        _ = try SecurityRules(source: source)
        own = []
      } catch { own = error.problems.map(\.description) }
      func places(_ texts: [String]) -> [Substring] { texts.compactMap { $0.split(separator: " ").first } }
      // Warnings are among the emulator's complaints if there are errors.
      let theirs = complaints.filter { text in
        !Self.warnings.contains { text.contains($0) }
      }
      if own.isEmpty != theirs.isEmpty {
        differences.append("\(number): here \(own), there \(complaints)\n\(source)")
      } else if places(own).first == places(theirs).first {
        same += 1
      } else if let first = places(own).first, places(theirs).contains(first) {
        // Google's parser also reports blocks around the place, whose keyword it takes to be missing.
        near += 1
      } else {
        differences.append("\(number): here \(own), there \(theirs)\n\(source)")
      }
    }
    print("Mistakes: \(same) of \(count) at the same first place, \(near) among the emulator's places")
    // A few concern the name of a service, for which the emulator has another lexer.
    #expect(differences.count <= count / 200, "\(differences.prefix(8).joined(separator: "\n\n"))")
  }

  private static let warnings = [
    "Unused function", "Unused variable", "Invalid variable name", "Invalid function name",
    "Invalid method name",
    "are not comparable", "Invalid type", "Incorrect number of arguments", "old version",
  ]
}
