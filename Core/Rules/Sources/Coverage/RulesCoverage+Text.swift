extension RulesCoverage {
  /// The report as text: each line of the rules that has expressions, with their values and how often each
  /// was found.
  public var text: String {
    let expressions = expressions
    return (["\(Self.summary(expressions)).", ""] + lines(of: expressions)).joined(separator: "\n")
  }

  /// The lines with expressions that were evaluated, which explain a verdict.
  package var explanation: String {
    lines(of: expressions.filter { !$0.entries.isEmpty }).joined(separator: "\n")
  }

  /// The values of the first expressions that were evaluated, in one line of limited length. Of what rules
  /// have as a whole, such as `request.auth`, only the members that they use are shown.
  var valuesText: String {
    let expressions = expressions.filter { !$0.entries.isEmpty }
    let shown = expressions.filter { !Self.isBeginning($0, among: expressions) }
    return shown.prefix(8).map { "`\(Self.oneLine($0.text))` → \($0.values)" }.joined(separator: "; ")
  }

  /// Returns how much was evaluated, as a sentence without its full stop.
  ///
  /// The beginnings of names, such as `resource.data` of `resource.data.owner`, don't count.
  static func summary(_ expressions: [Expression]) -> String {
    let counted = expressions.filter { !isBeginning($0, among: expressions) }
    let evaluated = counted.count { !$0.entries.isEmpty }
    return "\(evaluated) of \(counted.count) expressions were evaluated"
  }

  private func lines(of expressions: [Expression]) -> [String] {
    let source = rules.source.split(separator: "\n", omittingEmptySubsequences: false)
    let shown = expressions.filter { !Self.isBeginning($0, among: expressions) }
    let width = String(shown.map(\.line).max() ?? 0).count
    var result: [String] = []
    var line = 0
    for expression in shown {
      if expression.line != line {
        line = expression.line
        let number = String(line)
        let text = line <= source.count ? Self.trimmed(source[line - 1]) : ""
        result.append(String(repeating: " ", count: max(0, width - number.count)) + "\(number) | \(text)")
      }
      let text = Self.oneLine(expression.text)
      result.append(String(repeating: " ", count: width) + " |   \(text) → \(expression.values)")
    }
    return result
  }

  /// Whether an expression is only the beginning of a longer one: `resource.data` of `resource.data.owner`,
  /// or `a && b` of `a && b && c`.
  private static func isBeginning(_ expression: Expression, among expressions: [Expression]) -> Bool {
    var low = 0
    var high = expressions.count
    while low < high {
      let middle = (low + high) / 2
      if expressions[middle].start < expression.start { low = middle + 1 } else { high = middle }
    }
    while low < expressions.count, expressions[low].start == expression.start {
      let other = expressions[low]
      if other.end > expression.end, isName(other.text) || isChain(expression.text) { return true }
      low += 1
    }
    return false
  }

  private static func isName(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
    }
  }

  /// Whether text has `&&` or `||` outside of brackets and quotes.
  private static func isChain(_ text: String) -> Bool {
    var depth = 0
    var quote: UInt8?
    var last: UInt8 = 0
    for byte in text.utf8 {
      if let mark = quote {
        if byte == mark, last != UInt8(ascii: "\\") { quote = nil }
      } else {
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): quote = byte
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        case UInt8(ascii: "&"), UInt8(ascii: "|"): if depth == 0, last == byte { return true }
        default: break
        }
      }
      last = byte
    }
    return false
  }

  private static func trimmed(_ line: Substring) -> String {
    var line = line.drop { $0 == " " || $0 == "\t" }
    while line.last?.isWhitespace == true { line.removeLast() }
    return String(line)
  }

  /// Returns text with single spaces instead of line breaks and indentation.
  private static func oneLine(_ text: String) -> String {
    let words = text.split { $0.isWhitespace }.joined(separator: " ")
    return words.count > 120 ? "\(words.prefix(119))…" : words
  }
}
