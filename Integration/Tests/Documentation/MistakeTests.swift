import Foundation
import TenonTestSupport
import Testing

/// For the usual mistakes in the use of Store, the compiler's message says what is wrong.
@Suite(.limited) struct MistakeTests {
  /// A line of code that doesn't compile as intended, and a part of the message that explains it.
  private struct Mistake {
    /// The position in `Mistakes.txt`, counted from 1.
    let line: Int
    let code: String
    let message: String
  }

  /// Messages that don't help.
  private static let deadEnds = [
    "failed to produce diagnostic", "unable to type-check", "reasonable time",
    "ambiguous without more context",
  ]

  private static func mistakes() throws -> [Mistake] {
    let file = packageRoot.appending(path: "Integration/CompilerMessages/Mistakes.txt")
    let lines = try String(contentsOf: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.dropFirst().compactMap { index in
      guard lines[index].hasPrefix("> ") else { return nil }
      return Mistake(line: index, code: String(lines[index - 1]), message: String(lines[index].dropFirst(2)))
    }
  }

  @Test func theCompilerExplainsTheUsualMistakes() async throws {
    let mistakes = try Self.mistakes()
    try #require(mistakes.count >= 20)
    var source = "import TenonStore\nfinal class Opaque {}\n"
    for mistake in mistakes {
      source += """
        func mistake\(mistake.line)(
          store: Store, ref: DocumentReference, notes: CollectionReference, doc: DocumentSnapshot, batch: WriteBatch,
          title: String, untyped: [String: Any], opaque: Opaque, last: DocumentSnapshot
        ) async throws {
        #sourceLocation(file: "Mistakes.txt", line: \(mistake.line))
        \(mistake.code)
        #sourceLocation()
        }

        """
    }
    let diagnostics = try await SwiftCompiler.diagnostics(of: source)
    #expect(
      diagnostics.filter { $0.file != "Mistakes.txt" } == [], "What surrounds the mistakes doesn't compile.")
    for mistake in mistakes {
      let messages = diagnostics.filter { $0.line == mistake.line }.map { "\($0.severity): \($0.message)" }
      #expect(
        messages.contains { $0.contains(mistake.message) },
        "\(mistake.code)\nis explained by: \(messages.joined(separator: "\n"))")
      #expect(
        !messages.contains { message in Self.deadEnds.contains { message.contains($0) } }, "\(mistake.code)")
    }
  }
}
