/// A Swift file in which comments and the contents of strings are replaced by spaces. Line breaks are kept,
/// so line numbers are correct.
struct SourceFile {
  /// The path relative to the package's root.
  let path: String
  /// The text without comments and strings.
  let code: String
  /// The lines, counted from 1, to which a comment `// Checked: REASON` applies: that of the comment, or the
  /// next one that isn't a comment if the comment is alone on its line. The values are the lines of the
  /// comments.
  let justified: [Int: Int]

  init(path: String, text: String) {
    self.path = path
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

  /// Returns a finding of a rule at a position.
  func finding(_ rule: String, at index: String.Index, _ message: String) -> Finding {
    Finding(rule: rule, message: message, location: .init(path: path, line: line(at: index)))
  }

  /// The imported modules and the positions of the imports.
  var imports: [(module: String, index: String.Index)] {
    // Attributes, an access level, `import`, optionally the kind of an imported declaration, and the module.
    let pattern = #/^[ \t]*(?:@\w+(?:\([^)]*\))?[ \t]+)*(?:\w+[ \t]+)?import[ \t]+(?:[a-z]+[ \t]+)?(\w+)/#
      .anchorsMatchLineEndings()
    return code.matches(of: pattern).map { (String($0.1), $0.range.lowerBound) }
  }
}
