import ArgumentParser
import Foundation

/// The forms in which findings are printed.
enum FindingFormat: String, CaseIterable, ExpressibleByArgument {
  case text, json, sarif

  /// Returns the findings in this form, sorted by place.
  ///
  /// - Parameters:
  ///   - findings: the findings.
  ///   - tool: the name of the check, which SARIF requires.
  ///   - summary: the last line of the text, for example `12 files, 2 findings`.
  func render(_ findings: [Finding], tool: String, summary: String) throws -> String {
    let sorted = findings.sorted { $0.order < $1.order }
    switch self {
    case .text: return (sorted.map(\.description) + ["\(tool): \(summary)"]).joined(separator: "\n")
    case .json: return try Self.encode(sorted)
    case .sarif: return try Self.encode(SARIF(findings: sorted, tool: tool))
    }
  }

  private static func encode(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

extension Finding {
  /// Findings without a place come first.
  fileprivate var order: (String, Int, String, String) {
    (location?.path ?? "", location?.line ?? 0, rule, message)
  }
}

/// The options of commands that print findings.
struct FindingOptions: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Print the findings as JSON.")
  var asJSON = false

  @Flag(
    name: .customLong("sarif"),
    help: "Print the findings as SARIF 2.1.0, which code hosts show beside the lines.")
  var asSARIF = false

  var format: FindingFormat { asSARIF ? .sarif : asJSON ? .json : .text }

  func validate() throws {
    if asJSON && asSARIF { throw ValidationError("Choose one of --json and --sarif.") }
  }
}
