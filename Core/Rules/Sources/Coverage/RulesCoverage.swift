import TenonFoundation

/// Which expressions of rules were evaluated in tests, and which values they had.
///
/// ```swift
/// let coverage = RulesCoverage(rules)
/// try await rules.expectAllowed(.get("notes/n"), as: .user("ann"), documents: documents, coverage: coverage)
/// print(coverage.text)
/// ```
///
/// It can be used from any thread.
public final class RulesCoverage: Sendable {
  /// The rules, compiled so that their evaluation can be recorded.
  package let rules: SecurityRules
  private let entries = Lock<[Int: [CoverageRecorder.Entry]]>([:])

  /// Creates the coverage of rules of which nothing has been evaluated.
  public init(_ rules: SecurityRules) { self.rules = SecurityRules(recording: rules) }

  /// Adds what was recorded during an evaluation of ``rules``.
  package func add(_ recorder: CoverageRecorder) {
    let added = recorder.entries
    entries.withLock { known in
      for (node, entries) in added {
        for entry in entries {
          CoverageRecorder.add(entry.result, entry.count, to: &known[node, default: []])
        }
      }
    }
  }

  /// An expression with its values.
  struct Expression {
    /// The offset of its first byte.
    var start: Int
    /// The offset after its last byte.
    var end: Int
    /// The line of its start, counted from 1.
    var line: Int
    /// Its text.
    var text: String
    /// Its values.
    var entries: [CoverageRecorder.Entry]

    /// Whether it was true at least once.
    var wasTrue: Bool { has(true) }
    /// Whether it was false at least once.
    var wasFalse: Bool { has(false) }

    private func has(_ expected: Bool) -> Bool {
      entries.contains { if case .success(.boolean(expected)) = $0.result { true } else { false } }
    }

    /// The values, the most frequent first.
    var values: String {
      if entries.isEmpty { return "never evaluated" }
      return entries.sorted { $0.count > $1.count }.map { entry in
        let value =
          switch entry.result {
          case .success(let value): value.description
          case .failure(let error): "error: \(error.message)"
          }
        let short = value.count > 100 ? "\(value.prefix(99))…" : value
        return entry.count == 1 ? short : "\(short) ×\(entry.count)"
      }.joined(separator: ", ")
    }
  }

  /// The expressions in the order of their starts, the outer ones first, without constants.
  var expressions: [Expression] {
    let entries = entries.withLock { $0 }
    let source = Array(rules.source.utf8)
    var found: [Span: Expression] = [:]
    for (node, range) in rules.program.ranges.enumerated() {
      let start = range.start.offset
      let end = Self.end(of: source, from: start, to: range.end)
      guard start < end else { continue }
      let text = String(decoding: source[start..<end], as: UTF8.self)
      guard !Self.isConstant(text) else { continue }
      var expression =
        found[Span(start: start, end: end)]
        ?? Expression(start: start, end: end, line: range.start.line, text: text, entries: [])
      for entry in entries[node] ?? [] {
        CoverageRecorder.add(entry.result, entry.count, to: &expression.entries)
      }
      found[Span(start: start, end: end)] = expression
    }
    return found.values.sorted { $0.start == $1.start ? $0.end > $1.end : $0.start < $1.start }
  }

  private struct Span: Hashable {
    var start: Int
    var end: Int
  }

  /// Returns the end of an expression including its closing brackets, which its range doesn't contain.
  private static func end(of source: [UInt8], from start: Int, to end: Int) -> Int {
    guard start >= 0, end <= source.count, start < end else { return start }
    var open = 0
    var quote: UInt8?
    var offset = start
    while offset < source.count {
      if offset >= end, open == 0, quote == nil {
        // A call without arguments ends with its name.
        return source[offset...].starts(with: "()".utf8) ? offset + 2 : offset
      }
      let byte = source[offset]
      offset += 1
      if let mark = quote {
        if byte == UInt8(ascii: "\\") { offset += 1 } else if byte == mark { quote = nil }
        continue
      }
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""): quote = byte
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): open += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): open = max(0, open - 1)
      default: break
      }
    }
    return end
  }

  /// Whether text is a literal, or a list of literals.
  private static func isConstant(_ text: String) -> Bool {
    if ["true", "false", "null"].contains(text) { return true }
    var quote: UInt8?
    var isEscaped = false
    for byte in text.utf8 {
      if let mark = quote {
        if !isEscaped, byte == mark { quote = nil }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        continue
      }
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""): quote = byte
      case 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "["),
        UInt8(ascii: "]"), 0x0A, 0x0D, 0x09:
        break
      default: return false
      }
    }
    return true
  }
}

extension SecurityRules {
  /// Compiles rules again, so that their evaluation can be recorded.
  fileprivate init(recording rules: SecurityRules) {
    source = rules.source
    warnings = rules.warnings
    file = rules.file
    program = Compiler.compile(rules.file, recordsCoverage: true)
  }
}
