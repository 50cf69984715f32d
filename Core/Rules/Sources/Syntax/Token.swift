/// A word, number, text or sign of a rules file.
package struct Token: Sendable {
  /// What it is.
  package var kind: Kind
  /// Its first character.
  package var start: SourcePlace
  /// The number of UTF-8 bytes before its end.
  package var end: Int

  /// The kinds of tokens.
  package enum Kind: UInt8, Sendable {
    case identifier, integer, float, string, bytes, unclosedString, pathSegment
    case function, `import`, service, rulesVersion, match, allow, `if`, `return`, `let`, `is`, `in`
    case `true`, `false`, null
    case openBrace, closeBrace, openBracket, closeBracket, openParenthesis, closeParenthesis
    case colon, semicolon, comma, dot, question, dollar, assign
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, and, or, not
    case plus, minus, times, slash, percent, increment, decrement, recursive, other
    /// The end of the file.
    case end
  }
}

extension Token.Kind {
  /// Returns the kind of a word.
  package init(word: Substring) {
    self =
      switch word {
      case "function": .function
      case "import": .import
      case "service": .service
      case "rules_version": .rulesVersion
      case "match": .match
      case "allow": .allow
      case "if": .if
      case "return": .return
      case "let": .let
      case "is": .is
      case "in": .in
      case "true": .true
      case "false": .false
      case "null": .null
      default: .identifier
      }
  }

  /// Whether it is a word, which may name a member even where it is reserved.
  var isWord: Bool {
    switch self {
    case .identifier, .function, .import, .service, .rulesVersion, .match, .allow, .if, .return, .let, .is,
      .in,
      .true, .false, .null:
      true
    default: false
    }
  }

  /// Whether an expression can begin with it.
  var startsExpression: Bool {
    switch self {
    case .identifier, .integer, .float, .string, .bytes, .unclosedString, .pathSegment, .true, .false, .null,
      .openBrace, .openBracket, .openParenthesis, .not, .minus, .slash, .increment, .decrement:
      true
    default: false
    }
  }
}
