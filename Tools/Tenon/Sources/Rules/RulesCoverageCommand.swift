import ArgumentParser
import Foundation
import TenonRules
import TenonValues

/// `tenon rules coverage`: tries rules with the requests of a file.
struct RulesCoverageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coverage",
    abstract: "Tries rules with the requests of a file, and shows the values of all expressions.",
    discussion: """
      REQUESTS is JSON with documents (or objects), users, and requests with their expected verdicts:
        {
          "documents": {"notes/n": {"owner": "ann"}},
          "users": {"ann": {"email": "ann@example.com"}},
          "requests": [
            {"name": "the owner reads", "as": "ann", "get": "notes/n", "allowed": true},
            {"name": "all notes", "as": "ann", "list": "notes", "allowed": false}
          ]
        }
      A request has one of get, list, listGroup, create, update, delete and batch. The samples of Integration/Rules in Tenon's
      repository have all of them.

      A request with an unexpected verdict is an error, with the lines and the values that decided.

      EXAMPLES
        tenon rules coverage firestore.rules requests.json
        tenon rules coverage firestore.rules requests.json --html coverage.html

      Exit codes: 0 all verdicts are as expected, 1 others, or a file can't be read, 64 wrong arguments.
      """)

  @Argument(help: "The rules.", completion: .file(extensions: ["rules"]))
  var rules: String

  @Argument(help: "The requests.", completion: .file(extensions: ["json"]))
  var requests: String

  @Option(
    help: ArgumentHelp("Write the report as a page to this file.", valueName: "file"), completion: .file())
  var html: String?

  func run() throws {
    let text = try RulesFileReader.text(of: rules)
    let parsed: SecurityRules
    do { parsed = try SecurityRules(source: text) } catch {
      throw CommandError(
        RulesFileReader.findings(error.problems, .error, in: rules, text).map(\.description)
          .joined(separator: "\n"))
    }
    let sample: RulesSample
    do { sample = try RulesSample(try RulesFileReader.content(of: requests)) } catch let error as CommandError
    {
      throw error
    } catch { throw CommandError("\(requests): \(error)") }
    let coverage = RulesCoverage(parsed)
    let failures = try Self.failures(of: sample, parsed, coverage, path: requests)
    if let html {
      do { try Data(coverage.html.utf8).write(to: URL(filePath: html)) } catch {
        throw CommandError("\(html) can't be written. \(error.localizedDescription)")
      }
    }
    for failure in failures { print("\(failure)\n") }
    print(coverage.text)
    let count = sample.requests.count
    print(
      "\ntenon rules coverage: \(count) request\(count == 1 ? "" : "s"), \(failures.count) with another verdict than expected"
    )
    if !failures.isEmpty { throw ExitCode.failure }
  }

  /// Returns the requests with unexpected verdicts, each with its reasons.
  ///
  /// - Throws: ``CommandError`` for a request that can't be tried.
  static func failures(
    of sample: RulesSample, _ rules: SecurityRules, _ coverage: RulesCoverage, path: String
  ) throws -> [String] {
    let trial = RulesTrial(
      rules, documents: sample.documents, objects: sample.objects, time: Timestamp(date: Date()))
    var failures: [String] = []
    for request in sample.requests {
      do {
        let outcome = try trial.decide(request.operation, as: request.user, coverage: coverage)
        guard outcome.isAllowed != request.isAllowed else { continue }
        let explanation = try trial.explanation(of: request.operation, as: request.user)
        failures.append(
          "\(path): error: \(request.name): the request is \(outcome.isAllowed ? "allowed" : "denied").\n\(explanation)"
        )
      } catch { throw CommandError("\(path): \(request.name): \(error)") }
    }
    return failures
  }
}
