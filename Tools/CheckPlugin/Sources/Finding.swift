import Foundation

// The forms in which `tenon check` prints problems, too. A plugin can't use the modules of the package that
// it comes with.

/// A problem of a program.
struct Finding: Encodable, Equatable, CustomStringConvertible {
  struct Location: Encodable, Equatable {
    var path: String
    var line: Int?
    var column: Int?

    /// The place in a file in SARIF.
    var region: [String: Int]? {
      line.map { line in ["startLine": line].merging(column.map { ["startColumn": $0] } ?? [:]) { $1 } }
    }
  }

  /// The number of the kind of problem.
  var rule: String
  var severity = "error"
  var message: String
  var repairs: [String] = []
  var location: Location?

  /// Returns the note that a library requires options that aren't known.
  static func required(_ options: [String], by library: String) -> Finding {
    Finding(
      rule: "required-options", severity: "note",
      message:
        "\(library) requires \(options.joined(separator: " and ")), which wasn't checked: the options aren't known.",
      repairs: ["Name their file in TENON_CONFIG, or use --at-configure if the program passes them."])
  }

  /// A program without components isn't one without problems.
  static let nothingChecked = Finding(
    rule: "no-components", severity: "warning",
    message: "No library has registered components, so nothing was checked.",
    repairs: ["Use --at-configure to check the components that the program declares itself."])

  /// Returns the finding for a program that couldn't be inspected.
  static func failure(_ message: String) -> Finding { Finding(rule: "not-inspected", message: message) }

  /// The form that editors and CI systems recognize, followed by the repairs.
  var description: String {
    let place =
      location.map { place in
        "\(place.path):" + [place.line, place.column].compactMap { $0.map { "\($0):" } }.joined() + " "
      } ?? ""
    return (["\(place)\(severity): \(message) [\(rule)]"] + repairs.map { "  - \($0)" }).joined(
      separator: "\n")
  }
}

enum Findings {
  static func encoded(_ value: any Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

/// Findings in the Static Analysis Results Interchange Format, version 2.1.0 (OASIS).
struct SARIF: Encodable {
  struct Run: Encodable {
    let tool: [String: Driver]
    let results: [Result]
  }
  struct Driver: Encodable {
    let name: String
    let rules: [[String: String]]
  }
  struct Result: Encodable {
    let ruleId: String
    let level: String
    let message: [String: String]
    let locations: [[String: Place]]
  }
  struct Place: Encodable {
    let artifactLocation: [String: String]
    let region: [String: Int]?
  }

  let version = "2.1.0"
  let schema = "https://json.schemastore.org/sarif-2.1.0.json"
  let runs: [Run]

  enum CodingKeys: String, CodingKey {
    case version, runs
    case schema = "$schema"
  }

  init(_ findings: [Finding]) {
    let rules = Set(findings.map(\.rule)).sorted().map { ["id": $0] }
    let results = findings.map { finding in
      Result(
        ruleId: finding.rule, level: finding.severity,
        message: ["text": ([finding.message] + finding.repairs).joined(separator: "\n")],
        locations: finding.location.map { location in
          let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: ":"))
          let uri = location.path.addingPercentEncoding(withAllowedCharacters: allowed) ?? location.path
          return [
            [
              "physicalLocation": Place(
                artifactLocation: ["uri": uri], region: location.region)
            ]
          ]
        } ?? [])
    }
    runs = [Run(tool: ["driver": Driver(name: "tenon check", rules: rules)], results: results)]
  }
}
