/// Security Rules: Firebase's language that says who may read and write which documents and objects.
///
/// ```swift
/// let rules = try SecurityRules(
///   source: """
///     rules_version = '2';
///     service cloud.firestore {
///       match /databases/{database}/documents {
///         match /users/{user} { allow read, write: if request.auth.uid == user; }
///       }
///     }
///     """)
/// ```
///
/// The value is immutable and can be used from any thread.
public struct SecurityRules: Sendable {
  /// The text of the file.
  public let source: String
  /// What is probably not intended, in the order of the places, for example names that nothing declares.
  public let warnings: [RulesProblem]
  /// The names of the services that the file has rules for, for example `cloud.firestore`.
  public var services: [String] { program.services.map(\.name).sorted() }

  package let program: RulesProgram
  package let file: RulesFile

  /// Reads rules.
  ///
  /// - Parameter source: the text of a rules file, at most 256 KB.
  /// - Throws: ``RulesError`` with all mistakes and their places.
  public init(source: String) throws(RulesError) {
    try self.init(source: source, recordsCoverage: false)
  }

  /// Reads rules whose evaluations can be recorded.
  package init(source: String, recordsCoverage: Bool) throws(RulesError) {
    let (file, mistakes) = try Parser.parseWithProblems(source)
    let (problems, warnings) = Checker.check(file)
    guard mistakes.isEmpty, problems.isEmpty else {
      // A name in a statement that can't be read may have been meant otherwise.
      let certain = mistakes.isEmpty ? problems : problems.filter { $0.code != .unknownName }
      throw RulesError(Checker.sorted(mistakes + certain))
    }
    self.source = source
    self.file = file
    self.warnings = warnings
    program = Compiler.compile(file, recordsCoverage: recordsCoverage)
  }
}
