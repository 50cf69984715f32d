/// Nothing opts out of the compiler's checks of concurrency, except in the files that the configuration lists
/// with their reasons.
enum NoUncheckedSendable: LintRule {
  static let id = "no-unchecked-sendable"
  static let summary = "`@unchecked Sendable` and `nonisolated(unsafe)` appear only in excepted files."
  static let isOptional = true

  static func findings(in package: LintedPackage) -> [Finding] {
    package.files(of: Self.self).flatMap { file in
      file.source.code.matches(of: /@unchecked\s+Sendable|nonisolated\(unsafe\)/).map {
        file.source.finding(
          id, at: $0.range.lowerBound, "\($0.0) outside the files that \(LintConfiguration.fileName) excepts")
      }
    }
  }
}
