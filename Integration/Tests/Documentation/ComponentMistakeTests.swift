import Foundation
import TenonTestSupport
import Testing

/// For the usual mistakes in the use of components, the compiler's first error says what is wrong.
///
/// The files of `Integration/CompilerMessages/Components` contain one mistake each. Above the line for which
/// the compiler reports it, `// error: …` is the message.
@Suite(.limited) struct ComponentMistakeTests {
  /// A file that doesn't compile, and the first error that the compiler reports for it.
  private struct Mistake {
    let name: String
    let line: Int
    let message: String
  }

  /// Messages that don't help, or that are about the compiler.
  private static let deadEnds = [
    "failed to produce diagnostic", "pack expansion requires",
    "no exact matches in call to static method 'buildExpression'", "unable to type-check",
    "ambiguous without more context",
  ]

  private static let folder = packageRoot.appending(path: "Integration/CompilerMessages/Components")

  /// Returns the mistake of each file but the one with the declarations that they share.
  private static func mistakes(in files: [URL]) throws -> [Mistake] {
    try files.filter { $0.lastPathComponent != "Declarations.swift" }.map { file in
      let lines = try String(contentsOf: file, encoding: .utf8).split(
        separator: "\n", omittingEmptySubsequences: false)
      let marks = lines.indices.compactMap { index in
        lines[index].wholeMatch(of: /\s*\/\/ error: (?<message>.+)/).map { (index, $0.message) }
      }
      try #require(marks.count == 1, "\(file.lastPathComponent) has one line `// error: …`.")
      // Lines are counted from 1, and the mistake is on the next line.
      return Mistake(name: file.lastPathComponent, line: marks[0].0 + 2, message: String(marks[0].1))
    }
  }

  @Test(.deep) func theCompilerExplainsTheUsualMistakes() async throws {
    let files = try Page.files(in: Self.folder, named: ".swift")
    let mistakes = try Self.mistakes(in: files)
    try #require(mistakes.count >= 50)
    let diagnostics = try await SwiftCompiler.diagnostics(of: files)
    for mistake in mistakes {
      let errors = diagnostics.filter { $0.severity == "error" && $0.file.hasSuffix("/\(mistake.name)") }
      let first = try #require(errors.first, "\(mistake.name) compiles.")
      #expect(first.message == mistake.message, "\(mistake.name)")
      #expect(first.line == mistake.line, "\(mistake.name)")
      for error in errors {
        #expect(!Self.deadEnds.contains { error.message.contains($0) }, "\(error)")
      }
    }
    #expect(diagnostics.filter { $0.file.hasSuffix("/Declarations.swift") } == [])
  }
}
