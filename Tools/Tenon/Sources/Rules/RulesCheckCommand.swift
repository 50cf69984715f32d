import ArgumentParser
import TenonRules

/// `tenon rules check`: mistakes in files of Security Rules.
struct RulesCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract:
      "Checks files of Security Rules: mistakes with their places, and what is probably not intended.",
    discussion: """
      Errors are those for which Firebase refuses a file. Warnings are its own, such as names that nothing declares, and those of Tenon:
        never-true        a condition that is never true, perhaps for some methods only: request.resource is null in a deletion
        always-true       a condition that is always true
        open-to-everyone  everyone may write, or read everything, without signing in

      EXAMPLES
        tenon rules check firestore.rules
        tenon rules check firestore.rules storage.rules --strict
        tenon rules check firestore.rules --sarif > rules.sarif

      Exit codes: 0 no errors, 1 errors (with --strict also warnings), or a file can't be read, 64 wrong arguments.
      """)

  @Argument(help: "The files.", completion: .file(extensions: ["rules"]))
  var files: [String]

  @Flag(help: "Fail if there are warnings, too.")
  var strict = false

  @OptionGroup var output: FindingOptions

  func run() throws {
    let findings = try files.flatMap(Self.findings)
    let errors = findings.count { $0.severity == .error }
    let warnings = findings.count - errors
    let summary =
      "\(files.count) file\(files.count == 1 ? "" : "s"), \(errors) error\(errors == 1 ? "" : "s"), "
      + "\(warnings) warning\(warnings == 1 ? "" : "s")"
    print(try output.format.render(findings, tool: "tenon rules check", summary: summary))
    if errors > 0 || strict && warnings > 0 { throw ExitCode.failure }
  }

  /// Returns what is found in a file.
  ///
  /// - Throws: ``CommandError`` if it can't be read.
  static func findings(in path: String) throws -> [Finding] {
    let text = try RulesFileReader.text(of: path)
    do {
      let rules = try SecurityRules(source: text)
      return RulesFileReader.findings(rules.warnings + rules.advice, .warning, in: path, text)
    } catch {
      return RulesFileReader.findings(error.problems, .error, in: path, text)
    }
  }
}
