import ArgumentParser
import Foundation
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
        query-never-allowed  a query of --queries that the rules allow to nobody, whoever the user is and whatever the documents are that
                          the rules read

      QUERIES is JSON with queries as the app makes them, with values as examples; {"$uid": true} is the ID of the user:
        {
          "queries": [
            {"name": "my notes", "list": "notes", "where": [["owner", "==", {"$uid": true}]], "limit": 10},
            {"name": "all comments", "listGroup": "comments"}
          ]
        }

      EXAMPLES
        tenon rules check firestore.rules
        tenon rules check firestore.rules --queries queries.json
        tenon rules check firestore.rules storage.rules --strict
        tenon rules check firestore.rules --sarif > rules.sarif

      Exit codes: 0 no errors, 1 errors (with --strict also warnings), or a file can't be read, 64 wrong arguments.
      """)

  @Argument(help: "The files.", completion: .file(extensions: ["rules"]))
  var files: [String]

  @Option(
    help: ArgumentHelp("Warn of the queries in this file that no rule can allow.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var queries: String?

  @Flag(help: "Fail if there are warnings, too.")
  var strict = false

  @OptionGroup var output: FindingOptions

  func run() throws {
    var findings = try files.flatMap(Self.findings)
    if let queries { findings += try Self.findings(ofQueriesIn: queries, rules: files) }
    let errors = findings.count { $0.severity == .error }
    let warnings = findings.count - errors
    let summary =
      "\(files.count) file\(files.count == 1 ? "" : "s"), \(errors) error\(errors == 1 ? "" : "s"), "
      + "\(warnings) warning\(warnings == 1 ? "" : "s")"
    print(try output.format.render(findings, tool: "tenon rules check", summary: summary))
    if errors > 0 || strict && warnings > 0 { throw ExitCode.failure }
  }

  /// Returns a warning for each query that nobody may run.
  ///
  /// - Parameters:
  ///   - path: the file of the queries.
  ///   - files: the files of the rules. Those that have mistakes, or no rules for documents, are skipped.
  /// - Throws: ``CommandError`` if a file can't be read.
  static func findings(ofQueriesIn path: String, rules files: [String]) throws -> [Finding] {
    let content = try RulesFileReader.content(of: path)
    let sample: RulesSample
    do { sample = try RulesSample(content) } catch { throw CommandError("\(path): \(error)") }
    let lines = String(decoding: content, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    var findings: [Finding] = []
    for file in files {
      guard let rules = try? SecurityRules(source: try RulesFileReader.text(of: file)),
        rules.services.contains("cloud.firestore")
      else { continue }
      for query in sample.queries {
        guard let obstacle = rules.obstacle(to: query) else { continue }
        let line = lines.firstIndex { $0.contains("\"\(query.name)\"") }
        findings.append(
          Finding(
            rule: "query-never-allowed", severity: .warning,
            message: "\(file) allows the query \"\(query.name)\" to nobody. \(obstacle)",
            location: .init(path: path, line: line.map { $0 + 1 } ?? 1)))
      }
    }
    return findings
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
