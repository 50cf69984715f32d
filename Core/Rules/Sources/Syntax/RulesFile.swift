/// A rules file as it was written.
package struct RulesFile: Sendable {
  /// The version of the language, 1 if the file doesn't say.
  package var version = 1
  /// Whether the file says its version.
  package var statesVersion = false
  /// The functions that are declared outside of services.
  package var functions: [FunctionDeclaration] = []
  /// The services.
  package var services: [ServiceDeclaration] = []
}

/// `service cloud.firestore { … }`.
package struct ServiceDeclaration: Sendable {
  /// The name, for example `cloud.firestore`.
  package var name: String
  /// What is inside.
  package var block: RulesBlock
  /// The place of the name.
  package var place: SourcePlace
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
  /// The place of the path.
  package var place: SourcePlace

  /// A segment of the pattern of a path.
  package struct Segment: Sendable {
    /// What it matches.
    package var kind: Kind
    /// Its place.
    package var place: SourcePlace
  }

  /// The kinds of segments.
  package enum Kind: Sendable, Hashable {
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
  /// The methods, with their places.
  package var methods: [(name: String, place: SourcePlace)]
  /// The condition; `nil` if the methods are always allowed.
  package var condition: Expression?
  /// The place of `allow`.
  package var place: SourcePlace
}

/// `function name(parameters) { let …; return …; }`.
package struct FunctionDeclaration: Sendable {
  /// The name.
  package var name: String
  /// The parameters, with their places.
  package var parameters: [(name: String, place: SourcePlace)]
  /// The variables, in the order in which they are declared.
  package var variables: [Variable]
  /// What it returns.
  package var result: Expression
  /// The place of the name.
  package var place: SourcePlace

  /// `let name = value;`.
  package struct Variable: Sendable {
    /// The name.
    package var name: String
    /// The value.
    package var value: Expression
    /// The place of the name.
    package var place: SourcePlace
    /// The whole statement.
    package var range: SourceRange
  }
}
