/// Only TenonJSON parses JSON: it limits the size and the depth, which Foundation's decoders don't.
enum JSONHasLimits: LintRule {
  static let id = "json-has-limits"
  static let summary =
    "Libraries parse JSON with TenonJSON, which limits size and depth, not with Foundation."
  static let isOptional = true

  static func findings(in package: LintedPackage) -> [Finding] {
    package.files(of: Self.self).filter { !$0.isTest }.flatMap { file in
      file.source.code.matches(of: /\b(JSONDecoder|JSONSerialization)\b/).map {
        file.source.finding(
          id, at: $0.range.lowerBound, "\($0.0) has no limits; use JSON.decode of TenonJSON")
      }
    }
  }
}
