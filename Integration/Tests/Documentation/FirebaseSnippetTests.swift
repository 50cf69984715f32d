import Foundation
import TenonTestSupport
import Testing

/// What a developer who knows firebase-ios-sdk types compiles, or the compiler says what to write instead.
///
/// The files of `Integration/FirebaseSnippets` are written in the manner of Firebase's documentation, with
/// the names of Tenon's modules. Above a line for which the compiler reports something, each `// expect: …`
/// is one message.
@Suite(.limited) struct FirebaseSnippetTests {
  /// A message and the place for which the compiler reports it.
  private struct Report: Hashable, CustomStringConvertible {
    let file: String
    let line: Int
    let message: String

    var description: String { "\(file):\(line): \(message)" }
  }

  /// Messages that name no repair.
  private static let deadEnds = [
    "cannot find", "has no member", "failed to produce diagnostic", "unable to type-check",
    "ambiguous without more context", "extra trailing closure",
  ]

  private static let folder = packageRoot.appending(path: "Integration/FirebaseSnippets")

  /// Returns what the comments of a file expect.
  private static func expected(in file: URL) throws -> [Report] {
    var (reports, messages): ([Report], [String]) = ([], [])
    let lines = try String(contentsOf: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if let match = line.wholeMatch(of: /\s*\/\/ expect: (?<message>.+)/) {
        messages.append(String(match.message))
      } else {
        // Lines are counted from 1.
        reports += messages.map { Report(file: file.path, line: index + 1, message: $0) }
        messages = []
      }
    }
    return reports
  }

  @Test func theyCompileOrTheCompilerSaysWhatToWrite() async throws {
    let files = try Page.files(in: Self.folder, named: ".swift")
    try #require(files.count >= 60)
    let expected = Set(try files.flatMap { try Self.expected(in: $0) })
    let reported = Set(
      try await SwiftCompiler.diagnostics(of: files).map {
        Report(file: $0.file, line: $0.line, message: $0.message)
      })
    for report in reported.subtracting(expected) { Issue.record("Not expected: \(report)") }
    for report in expected.subtracting(reported) { Issue.record("Not reported: \(report)") }
    for report in reported {
      #expect(!Self.deadEnds.contains { report.message.contains($0) }, "\(report)")
    }
  }
}
