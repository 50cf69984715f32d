/// Why a rules file can't be used.
///
/// The error lists all problems; its other properties describe the first one.
public struct RulesError: Error, Sendable, Hashable {
  /// What is wrong, in the order of the places. There is at least one.
  public let problems: [RulesProblem]

  /// The most problems that one error reports.
  package static let problemLimit = 100

  package init(_ problems: [RulesProblem]) {
    self.problems = problems.isEmpty ? [RulesProblem(.start, "The rules can't be read.")] : problems
  }

  /// The line of the first problem, counted from 1.
  public var line: Int { problems[0].line }
  /// The column of the first problem, counted from 1 in Unicode scalars.
  public var column: Int { problems[0].column }
  /// What is wrong there.
  public var message: String { problems[0].message }
  /// The kind of the first problem.
  public var code: RulesProblem.Code { problems[0].code }
}

extension RulesError: CustomStringConvertible {
  /// The problems, one a line, as Google's compiler prints them.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// A mistake in a rules file, or a warning.
public struct RulesProblem: Error, Sendable, Hashable {
  /// The kind of the problem.
  public let code: Code
  /// The line, counted from 1.
  public let line: Int
  /// The column, counted from 1 in Unicode scalars.
  public let column: Int
  /// What is wrong, as a sentence.
  public let message: String

  package init(_ place: SourcePlace, _ message: String, code: Code = .syntax) {
    self.code = code
    self.line = place.line
    self.column = place.column
    self.message = message
  }

  /// The kinds of problems. New ones may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The name, which never changes.
    public let rawValue: String

    /// Creates a kind from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text doesn't follow the grammar.
    public static let syntax = Code(rawValue: "syntax")
    /// A function, variable, path or service is declared in a way that isn't allowed.
    public static let declaration = Code(rawValue: "declaration")
    /// The file, an expression or the depth of calls exceeds a limit.
    public static let limit = Code(rawValue: "limit")
    /// A warning: a name that nothing declares. An expression that uses it fails.
    public static let unknownName = Code(rawValue: "unknown-name")
    /// A warning: a call with more or fewer arguments than the function has.
    public static let argumentCount = Code(rawValue: "argument-count")
    /// A warning: something that is declared but not used.
    public static let unused = Code(rawValue: "unused")
    /// A warning: something that never has an effect, for example an unknown method after `allow`.
    public static let noEffect = Code(rawValue: "no-effect")
  }
}

extension RulesProblem: CustomStringConvertible {
  /// The place and the message, for example `L3:14 Unexpected ';'.`
  public var description: String { "L\(line):\(column) \(message)" }
}
