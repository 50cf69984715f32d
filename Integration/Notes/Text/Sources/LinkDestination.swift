/// The part in the parentheses of `[text](destination "title")` (CommonMark 0.31, section 6.3).
struct LinkDestination {
  /// The destination without the title and angle brackets.
  let target: Substring
  /// The position behind the closing parenthesis; `nil` if the parentheses contain anything else or aren't
  /// closed.
  let end: String.Index?

  /// Parses a destination.
  ///
  /// - Parameters:
  ///   - text: text that begins with the opening parenthesis.
  ///   - longest: the number of characters after which parsing stops, so that unclosed parentheses cost
  ///     little.
  /// - Returns: `nil` if there is no destination.
  init?(_ text: Substring, longest: Int) {
    guard text.first == "(" else { return nil }
    var rest = text.dropFirst().prefix(longest).drop(while: \.isWhitespace)
    if rest.first == "<" {
      guard let end = rest.firstIndex(of: ">") else { return nil }
      target = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[rest.index(after: end)...]
    } else {
      guard let end = Self.endOfBareTarget(rest) else { return nil }
      target = rest[..<end]
      rest = rest[end...]
    }
    end = Self.endOfLink(rest)
  }

  /// Returns the end of a destination without angle brackets: at white space, or at an unmatched closing
  /// parenthesis.
  private static func endOfBareTarget(_ text: Substring) -> String.Index? {
    var depth = 0
    for index in text.indices {
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" { depth -= 1 }
      if depth < 0 || text[index].isWhitespace { return index }
    }
    return nil
  }

  /// Returns the end of a link of which at most a title remains.
  private static func endOfLink(_ text: Substring) -> String.Index? {
    var rest = text.drop(while: \.isWhitespace)
    if let quote = rest.first, let closing = ["\"": "\"", "'": "'", "(": ")"][quote] as Character? {
      guard let end = rest.dropFirst().firstIndex(of: closing) else { return nil }
      rest = rest[rest.index(after: end)...].drop(while: \.isWhitespace)
    }
    return rest.first == ")" ? rest.index(after: rest.startIndex) : nil
  }
}
