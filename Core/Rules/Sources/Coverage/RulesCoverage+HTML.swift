extension RulesCoverage {
  /// The report as one page: the rules, in which expressions are marked, and whose values appear when the
  /// pointer is on them.
  public var html: String {
    let expressions = expressions
    return """
      <!DOCTYPE html>
      <html lang="en">
      <meta charset="utf-8">
      <title>Coverage of Security Rules</title>
      <style>
      :root { color-scheme: light dark }
      body { font: 14px/1.5 system-ui, sans-serif; margin: 2em }
      pre { font: 13px/1.6 ui-monospace, monospace; tab-size: 2 }
      span { border-radius: 3px }
      .both { background: #4a94 } .true { background: #4a92; border-bottom: 1px dotted #2a7 }
      .false { background: #e922; border-bottom: 1px dotted #c70 } .error { background: #e332 }
      .never { background: #8882; text-decoration: underline wavy #8888 }
      span:hover { outline: 1px solid #888 }
      </style>
      <h1>Coverage of Security Rules</h1>
      <p>\(Self.summary(expressions)). <span class="both">true and false</span> <span class="true">only true</span>
      <span class="false">only false</span> <span class="error">only errors</span> <span class="never">never</span></p>
      <pre>\(marked(expressions))</pre>
      </html>

      """
  }

  /// Returns the source with an element for each expression. They are nested as the expressions are.
  private func marked(_ expressions: [Expression]) -> String {
    let source = Array(rules.source.utf8)
    var result = ""
    var offset = 0
    var open: [Int] = []
    func write(to end: Int) {
      guard offset < end else { return }
      result += Self.escaped(String(decoding: source[offset..<end], as: UTF8.self))
      offset = end
    }
    func close(until start: Int) {
      while let end = open.last, end <= start {
        write(to: end)
        result += "</span>"
        open.removeLast()
      }
    }
    for expression in expressions {
      close(until: expression.start)
      // Whatever isn't nested has no element.
      if let end = open.last, expression.end > end { continue }
      write(to: expression.start)
      result += "<span class=\"\(Self.mark(expression))\" title=\"\(Self.escaped(expression.values))\">"
      open.append(expression.end)
    }
    close(until: source.count)
    write(to: source.count)
    return result
  }

  private static func mark(_ expression: Expression) -> String {
    if expression.entries.isEmpty { return "never" }
    if expression.wasTrue { return expression.wasFalse ? "both" : "true" }
    if expression.wasFalse { return "false" }
    let hasValue = expression.entries.contains { if case .success = $0.result { true } else { false } }
    return hasValue ? "value" : "error"
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
