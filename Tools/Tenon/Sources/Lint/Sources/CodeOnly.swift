/// Replaces everything that isn't code by spaces.
enum CodeOnly {
  /// Returns a text in which comments, including nested ones, and string literals are replaced by spaces.
  /// Interpolations count as part of the string.
  static func blanking(_ text: String) -> String {
    var blanker = Blanker(Array(text))
    return blanker.blanked()
  }

  /// The position in a text, and what was made of the text before it.
  private struct Blanker {
    private let characters: [Character]
    private var result: [Character] = []
    private var index = 0

    init(_ characters: [Character]) {
      self.characters = characters
      result.reserveCapacity(characters.count)
    }

    mutating func blanked() -> String {
      while index < characters.count {
        guard !blankComment(), !blankString() else { continue }
        result.append(characters[index])
        index += 1
      }
      return String(result)
    }

    private func starts(_ prefix: String) -> Bool {
      var position = index
      for character in prefix {
        guard position < characters.count, characters[position] == character else { return false }
        position += 1
      }
      return true
    }

    private mutating func blank(_ count: Int) {
      for character in characters[index..<min(index + count, characters.count)] {
        result.append(character.isNewline ? character : " ")
      }
      index = min(index + count, characters.count)
    }

    /// Blanks a comment, if one begins here.
    private mutating func blankComment() -> Bool {
      if starts("//") {
        while index < characters.count, !characters[index].isNewline { blank(1) }
        return true
      }
      guard starts("/*") else { return false }
      var depth = 0
      repeat {
        if starts("/*") {
          depth += 1
          blank(2)
        } else if starts("*/") {
          depth -= 1
          blank(2)
        } else {
          blank(1)
        }
      } while depth > 0 && index < characters.count
      return true
    }

    /// Blanks a string literal, if one begins here. The literals that an interpolation contains don't end it.
    private mutating func blankString() -> Bool {
      guard let literal = StringDelimiter(characters, at: index) else { return false }
      blank(literal.length)
      while index < characters.count, !starts(literal.closing) {
        if starts(literal.escape + "(") {
          blank(literal.escape.count)
          blankParentheses()
        } else {
          // An escaped character can't end the string.
          blank(starts(literal.escape) ? literal.escape.count + 1 : 1)
        }
      }
      blank(literal.closing.count)
      return true
    }

    /// Blanks an interpolation from its parenthesis to the one that closes it.
    private mutating func blankParentheses() {
      var depth = 0
      repeat {
        guard !blankComment(), !blankString() else { continue }
        if characters[index] == "(" { depth += 1 }
        if characters[index] == ")" { depth -= 1 }
        blank(1)
      } while depth > 0 && index < characters.count
    }
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
