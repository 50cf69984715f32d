/// A regular expression with RE2's syntax and meaning, as `matches`, `replace` and `split` of Security Rules
/// have them.
///
/// The time of every operation is at most proportional to the length of the text times the size of the
/// program, whatever the pattern is: all alternatives are followed together, character by character, so
/// nothing is tried twice. `Core/Rules/Patterns.md` says where patterns differ from those of Google's
/// emulator.
package struct Pattern: Sendable {
  /// The pattern as it was written.
  package let text: String
  let program: PatternProgram

  /// The length of the longest pattern, in UTF-16 units, as in the emulator.
  package static let maximumLength = 4096
  /// How deeply parentheses may be nested, as in the emulator.
  package static let maximumDepth = 20
  /// The highest count of a repetition such as `a{1,1000}`, as in RE2.
  package static let maximumCount = 1000
  /// The size of the largest program.
  package static let maximumSize = 100_000
  /// The number of steps that one operation may take, which is less than a second.
  package static let maximumSteps = 100_000_000

  /// Creates a pattern.
  ///
  /// - Throws: a ``PatternError`` that names the place and the reason.
  package init(_ text: String) throws(PatternError) {
    self.text = text
    try Self.checkLimits(text)
    var parser = PatternParser(text)
    program = try parser.parse()
  }

  /// Returns whether the pattern matches the whole text.
  ///
  /// - Throws: ``PatternError/Code/tooExpensive``.
  package func matches(_ text: String) throws(PatternError) -> Bool {
    var matcher = PatternMatcher(program, text)
    return try matcher.matchesAll()
  }

  /// Returns the text with all matches replaced.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - replacement: the replacement: `$1` and `${name}` are the text of a group, `\` takes the
  ///     next character as it is.
  /// - Throws: ``PatternError/Code/unknownGroup`` or ``PatternError/Code/tooExpensive``.
  package func replacing(in text: String, with replacement: String) throws(PatternError) -> String {
    let parts = Replacement(replacement, program)
    var finder = PatternFinder(program, text, groups: parts.usesGroups)
    // Appending many parts to a text itself would copy it each time.
    var result: [Unicode.Scalar] = []
    var last = 0
    while let match = try finder.next() {
      result.append(contentsOf: finder.text[last..<match.start])
      try parts.append(to: &result, match, finder.text, groupCount: program.groupCount)
      last = match.end
    }
    result.append(contentsOf: finder.text[last...])
    var replaced = String.UnicodeScalarView()
    replaced.append(contentsOf: result)
    return String(replaced)
  }

  /// Returns the parts of a text between the matches, without the empty ones at its end; but always at least
  /// one.
  ///
  /// - Throws: ``PatternError/Code/tooExpensive``.
  package func split(_ text: String) throws(PatternError) -> [String] {
    var finder = PatternFinder(program, text, groups: false)
    var result: [String] = []
    var last = 0
    func part(_ range: Range<Int>) -> String {
      var part = String.UnicodeScalarView()
      part.append(contentsOf: finder.text[range])
      return String(part)
    }
    while let match = try finder.next() {
      result.append(part(last..<match.start))
      last = match.end
    }
    result.append(part(last..<finder.text.count))
    while result.count > 1, result.last == "" { result.removeLast() }
    return result
  }

  /// Checks the limits that the emulator checks before it reads a pattern. It counts parentheses without
  /// looking at brackets or at `\Q…\E`, so that `[(]` is an error, and `[\(]` isn't.
  private static func checkLimits(_ text: String) throws(PatternError) {
    guard text.utf16.count <= maximumLength else {
      throw PatternError(
        .tooLong, "Regular expression too long. Maximum allowed length: \(maximumLength).")
    }
    var open: [Int] = []
    var escaped = false
    for (offset, scalar) in text.unicodeScalars.enumerated() {
      defer { escaped = !escaped && scalar == "\\" }
      if escaped { continue }
      if scalar == "(" {
        open.append(offset)
        guard open.count <= maximumDepth else {
          throw PatternError(
            .tooDeep, at: offset,
            "Regular expression too many nested groupings. Maximum allowed nested groupings: \(maximumDepth)."
          )
        }
      } else if scalar == ")", open.popLast() == nil {
        throw PatternError(
          .invalidPattern, at: offset, "There is no \"(\" for this \")\". Write \"\\)\" for a parenthesis.")
      }
    }
    if let offset = open.last {
      throw PatternError(
        .invalidPattern, at: offset, "There is no \")\" for this \"(\". Write \"\\(\" for a parenthesis.")
    }
  }
}
