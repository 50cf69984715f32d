/// A part of a search text.
enum TextQueryToken: Equatable {
  case open
  case close
  case and
  case or
  case not
  /// A word, or a phrase in quotation marks.
  case term(String, isPrefix: Bool)

  /// Divides a text into its parts.
  ///
  /// - Complexity: O(n) in the length of the text.
  static func tokens(of text: String) -> [TextQueryToken] {
    var tokens: [TextQueryToken] = []
    var rest = text.unicodeScalars[...]
    while let first = rest.first {
      switch first {
      case "(":
        tokens.append(.open)
        rest.removeFirst()
      case ")":
        tokens.append(.close)
        rest.removeFirst()
      case "\"":
        rest.removeFirst()
        let phrase = rest.prefix { $0 != "\"" }
        rest = rest[phrase.endIndex...].dropFirst()
        let isPrefix = rest.first == "*"
        if isPrefix { rest.removeFirst() }
        tokens.append(.term(plain(phrase), isPrefix: isPrefix))
      case "-" where rest.dropFirst().first.map(beginsOperand) ?? false:
        tokens.append(.not)
        rest.removeFirst()
      case _ where isSpace(first): rest.removeFirst()
      default:
        let word = rest.prefix { !isSpace($0) && $0 != "(" && $0 != ")" && $0 != "\"" }
        rest = rest[word.endIndex...]
        tokens.append(token(of: word))
      }
    }
    return tokens
  }

  /// Returns the operator or the term that a word is.
  private static func token(of word: Substring.UnicodeScalarView) -> TextQueryToken {
    switch String(word) {
    // "AND" between terms is the default, so it adds nothing. Neither does a minus whose operand hasn't been
    // typed yet.
    case "AND", "-": return .and
    case "OR": return .or
    case "NOT": return .not
    default:
      let isPrefix = word.last == "*"
      return .term(plain(isPrefix ? word.dropLast() : word), isPrefix: isPrefix)
    }
  }

  /// Whether a minus before a character excludes what follows.
  private static func beginsOperand(_ scalar: Unicode.Scalar) -> Bool {
    !isSpace(scalar) && scalar != ")" && scalar != "-"
  }

  /// Whether a character separates words. A zero does, because SQLite's text ends there.
  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.value == 0
  }

  /// Returns a text without zeros.
  private static func plain(_ scalars: Substring.UnicodeScalarView) -> String {
    String(String.UnicodeScalarView(scalars.map { $0.value == 0 ? " " : $0 }))
  }
}
