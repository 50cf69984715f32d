/// A rules file as it was written.
package struct RulesFile: Sendable {
  /// The version of the language, 1 if the file doesn't say.
  package var version: Int
  /// The functions that are declared outside of services.
  package var functions: [FunctionDeclaration]
  /// The services.
  package var services: [ServiceDeclaration]
}

/// `service cloud.firestore { … }`.
package struct ServiceDeclaration: Sendable {
  /// The name, for example `cloud.firestore`.
  package var name: String
  /// What is inside.
  package var block: RulesBlock
  /// Where it was written.
  package var range: SourceRange
}

/// What is inside of a service or a `match`.
package struct RulesBlock: Sendable {
  /// The functions.
  package var functions: [FunctionDeclaration] = []
  /// The blocks inside.
  package var matches: [MatchDeclaration] = []
  /// The statements that allow something.
  package var allows: [AllowStatement] = []
}

/// `match /users/{user} { … }`.
package struct MatchDeclaration: Sendable {
  /// The pattern's segments.
  package var segments: [Segment]
  /// What is inside.
  package var block: RulesBlock
  /// Where it was written.
  package var range: SourceRange

  /// A segment of the pattern of a path.
  package enum Segment: Sendable, Hashable {
    /// Text that must be equal.
    case text(String)
    /// `{name}`: one segment.
    case wildcard(String)
    /// `{name=**}`: the rest of the path, or in version 2 any number of segments.
    case recursiveWildcard(String)
  }
}

/// `allow read, write: if condition;`.
package struct AllowStatement: Sendable {
  /// The methods.
  package var methods: [String]
  /// The condition; `nil` if the methods are always allowed.
  package var condition: Expression?
  /// Where it was written.
  package var range: SourceRange
}

/// `function name(parameters) { let …; return …; }`.
package struct FunctionDeclaration: Sendable {
  /// The name.
  package var name: String
  /// The names of the parameters.
  package var parameters: [String]
  /// The variables, in the order in which they are declared.
  package var variables: [(name: String, value: Expression)]
  /// What it returns.
  package var result: Expression
  /// Where it was written.
  package var range: SourceRange
}
