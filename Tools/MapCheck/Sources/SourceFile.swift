/// A Swift file in which comments and the contents of strings are replaced by spaces. Line breaks are kept, so line numbers are
/// correct.
struct SourceFile {
  /// The path relative to the package's root.
  let path: String
  /// The text without comments and strings.
  let code: String
  /// The number of lines that are neither blank nor comments.
  let codeLineCount: Int
  /// The lines, counted from 1, to which a comment `// Checked: REASON` applies: that of the comment, or the next one that is
  /// not a comment if the comment is alone on its line. The values are the lines of the comments.
  let justified: [Int: Int]

  init(path: String, text: String) {
    self.path = path
    codeLineCount = text.split(whereSeparator: \.isNewline).count { line in
      let line = line.drop(while: \.isWhitespace)
      return !line.isEmpty && !line.hasPrefix("//")
    }
    justified = Self.justified(text)
    code = CodeOnly.blanking(text)
  }

  /// Returns ``justified`` for a text.
  private static func justified(_ text: String) -> [Int: Int] {
    let mark = Array("// Checked: ".utf8)
    guard text.utf8.contains(mark) else { return [:] }
    var result: [Int: Int] = [:]
    var open: Int?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let isComment = line.drop(while: \.isWhitespace).hasPrefix("//")
      if line.utf8.contains(mark) {
        if isComment { open = index + 1 } else { result[index + 1] = index + 1 }
      } else if !isComment, let comment = open {
        result[index + 1] = comment
        open = nil
      }
    }
    return result
  }

  /// Returns the line of a position, counted from 1. O(n) in the length of the file.
  func line(at index: String.Index) -> Int { 1 + code[..<index].count { $0 == "\n" } }

  /// Returns a violation at a position.
  func finding(at index: String.Index, _ message: String) -> Finding {
    Finding(path: path, line: line(at: index), message: message)
  }

  /// The imported modules and the positions of the imports.
  var imports: [(module: String, index: String.Index)] {
    // Attributes, an access level, `import`, optionally the kind of an imported declaration, and the module.
    let pattern = #/^[ \t]*(?:@\w+(?:\([^)]*\))?[ \t]+)*(?:\w+[ \t]+)?import[ \t]+(?:[a-z]+[ \t]+)?(\w+)/#
      .anchorsMatchLineEndings()
    return code.matches(of: pattern).map { (String($0.1), $0.range.lowerBound) }
  }
}

/// Replaces everything that is not code by spaces.
enum CodeOnly {
  /// Returns a text in which comments, including nested ones, and string literals are replaced by spaces. Interpolations count as
  /// part of the string.
  static func blanking(_ text: String) -> String {
    let characters = Array(text)
    var result: [Character] = []
    result.reserveCapacity(characters.count)
    var index = 0

    func starts(_ prefix: String, at position: Int) -> Bool {
      let prefix = Array(prefix)
      return position + prefix.count <= characters.count
        && Array(characters[position..<position + prefix.count]) == prefix
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
          // An escaped character cannot end the string.
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
