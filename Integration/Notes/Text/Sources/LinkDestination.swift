/// What stands in the parentheses of `[text](destination "title")` (CommonMark 0.31, section 6.3).
struct LinkDestination {
  /// The destination without the title and without angle brackets.
  let target: Substring
  /// Just after the closing parenthesis; `nil` if the parentheses hold something else as well, or aren't closed.
  let end: String.Index?

  /// Reads a destination.
  ///
  /// - Parameters:
  ///   - text: begins with the opening parenthesis.
  ///   - longest: the number of characters after which reading gives up, so that unclosed parentheses cost little.
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

  /// A destination without angle brackets ends at white space, or where a parenthesis closes that it didn't open.
  private static func endOfBareTarget(_ text: Substring) -> String.Index? {
    var depth = 0
    for index in text.indices {
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" { depth -= 1 }
      if depth < 0 || text[index].isWhitespace { return index }
    }
    return nil
  }

  /// The end of a link of which only a title, or nothing, may be left.
  private static func endOfLink(_ text: Substring) -> String.Index? {
    var rest = text.drop(while: \.isWhitespace)
    if let quote = rest.first, let closing = ["\"": "\"", "'": "'", "(": ")"][quote] as Character? {
      guard let end = rest.dropFirst().firstIndex(of: closing) else { return nil }
      rest = rest[rest.index(after: end)...].drop(while: \.isWhitespace)
    }
    return rest.first == ")" ? rest.index(after: rest.startIndex) : nil
  }
}
