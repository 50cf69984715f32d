/// Every exception of the configuration names a rule and files that exist.
enum ExceptionsAreCurrent: LintRule {
  static let id = "exceptions-are-current"
  static let summary = "An exception in the configuration applies to a file that exists."

  static func findings(in package: LintedPackage) -> [Finding] {
    package.configuration.exceptions.filter { exception in
      !package.files.contains { exception.covers($0.source.path) }
        && !package.otherTests.contains { exception.covers($0.path) }
    }.map { exception in
      Finding(
        rule: id, message: "\(exception.path) is excepted from \(exception.rule), but it doesn't exist",
        location: .init(path: LintConfiguration.fileName, line: nil))
    }
  }
}
