/// Replaces everything that isn't code by spaces.
enum CodeOnly {
  /// Returns a text in which comments, including nested ones, and string literals are replaced by spaces.
  /// Interpolations count as part of the string.
  static func blanking(_ text: String) -> String {
    let characters = Array(text)
    var result: [Character] = []
    result.reserveCapacity(characters.count)
    var index = 0

    func starts(_ prefix: String, at position: Int) -> Bool {
      var position = position
      for character in prefix {
        guard position < characters.count, characters[position] == character else { return false }
        position += 1
      }
      return true
    }
    func blank(_ count: Int) {
      for character in characters[index..<min(index + count, characters.count)] {
        result.append(character.isNewline ? character : " ")
      }
      index = min(index + count, characters.count)
    }

    while index < characters.count {
      if starts("//", at: index) {
        while index < characters.count, !characters[index].isNewline { blank(1) }
      } else if starts("/*", at: index) {
        var depth = 0
        repeat {
          if starts("/*", at: index) {
            depth += 1
            blank(2)
          } else if starts("*/", at: index) {
            depth -= 1
            blank(2)
          } else {
            blank(1)
          }
        } while depth > 0 && index < characters.count
      } else if let opening = StringDelimiter(characters, at: index) {
        blank(opening.length)
        while index < characters.count, !starts(opening.closing, at: index) {
          // An escaped character can't end the string.
          blank(starts(opening.escape, at: index) ? opening.escape.count + 1 : 1)
        }
        blank(opening.closing.count)
      } else {
        result.append(characters[index])
        index += 1
      }
    }
    return String(result)
  }

  /// The delimiters of a string literal: single-line, multi-line or raw.
  private struct StringDelimiter {
    /// The length of the opening delimiter.
    let length: Int
    /// The closing delimiter.
    let closing: String
    /// The escape sequence's beginning.
    let escape: String

    /// Recognizes an opening delimiter; `nil` if there is none at the position.
    init?(_ characters: [Character], at start: Int) {
      var position = start
      while position < characters.count, characters[position] == "#" { position += 1 }
      let pounds = String(repeating: "#", count: position - start)
      guard position < characters.count, characters[position] == "\"" else { return nil }
      let isMultiline =
        position + 2 < characters.count && characters[position + 1] == "\""
        && characters[position + 2] == "\""
      let quotes = isMultiline ? "\"\"\"" : "\""
      length = pounds.count + quotes.count
      closing = quotes + pounds
      escape = "\\" + pounds
    }
  }
}
