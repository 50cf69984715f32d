/// A Swift source, with comments and the contents of strings blanked out. Line breaks stay, so that line numbers
/// are right.
struct SourceFile {
  let path: String
  let code: String
  /// How many lines are neither blank nor comments.
  let codeLineCount: Int

  init(path: String, text: String) {
    self.path = path
    codeLineCount = text.split(whereSeparator: \.isNewline).count { line in
      let line = line.drop(while: \.isWhitespace)
      return !line.isEmpty && !line.hasPrefix("//")
    }
    code = CodeOnly.blanking(text)
  }

  /// The number of the line in which `index` lies, from 1.
  func line(at index: String.Index) -> Int { 1 + code[..<index].count { $0 == "\n" } }

  func finding(at index: String.Index, _ message: String) -> Finding {
    Finding(path: path, line: line(at: index), message: message)
  }

  /// The modules that the file imports.
  var imports: [(module: String, index: String.Index)] {
    // Attributes, an access level, `import`, perhaps the kind of one declaration, and the module.
    let pattern = #/^[ \t]*(?:@\w+(?:\([^)]*\))?[ \t]+)*(?:\w+[ \t]+)?import[ \t]+(?:[a-z]+[ \t]+)?(\w+)/#
      .anchorsMatchLineEndings()
    return code.matches(of: pattern).map { (String($0.1), $0.range.lowerBound) }
  }
}

/// Blanks out what isn't code.
enum CodeOnly {
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

  /// How a string literal begins and ends.
  private struct StringDelimiter {
    let length: Int
    let closing: String
    let escape: String

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
