/// Findings as a log of the Static Analysis Results Interchange Format, version 2.1.0 (OASIS), in the subset
/// that code hosts read.
struct SARIF: Encodable {
  struct Run: Encodable {
    struct Tool: Encodable { let driver: Driver }
    struct Driver: Encodable {
      let name: String
      let rules: [Rule]
    }
    struct Rule: Encodable { let id: String }
    let tool: Tool
    let results: [Result]
  }
  struct Result: Encodable {
    let ruleId: String
    let level: String
    let message: Text
    let locations: [Location]
  }
  struct Text: Encodable { let text: String }
  struct Location: Encodable {
    let physicalLocation: Physical
    struct Physical: Encodable {
      let artifactLocation: Artifact
      let region: Region?
    }
    struct Artifact: Encodable { let uri: String }
    struct Region: Encodable {
      let startLine: Int
      let startColumn: Int?
    }
  }

  let version = "2.1.0"
  let schema = "https://json.schemastore.org/sarif-2.1.0.json"
  let runs: [Run]

  enum CodingKeys: String, CodingKey {
    case version, runs
    case schema = "$schema"
  }

  /// Creates a log of one run.
  init(findings: [Finding], tool: String) {
    let rules = Set(findings.map(\.rule)).sorted().map(Run.Rule.init)
    runs = [
      Run(tool: .init(driver: .init(name: tool, rules: rules)), results: findings.map(Result.init))
    ]
  }
}

extension SARIF.Result {
  init(_ finding: Finding) {
    ruleId = finding.rule
    level = finding.severity.rawValue
    message = .init(text: ([finding.message] + finding.repairs).joined(separator: "\n"))
    locations =
      finding.location.map { place in
        [
          .init(
            physicalLocation: .init(
              artifactLocation: .init(uri: SARIF.uriReference(place.path)),
              region: place.line.map { .init(startLine: $0, startColumn: place.column) }))
        ]
      } ?? []
  }
}

extension SARIF {
  /// Returns a path as a URI reference (RFC 3986), in which a blank, for example, is `%20`.
  static func uriReference(_ path: String) -> String {
    path.utf8.map { byte in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "/-._~".utf8.contains(byte)
      if isPlain { return String(UnicodeScalar(byte)) }
      let hexadecimal = String(byte, radix: 16, uppercase: true)
      return "%" + (hexadecimal.count == 1 ? "0" : "") + hexadecimal
    }.joined()
  }
}
