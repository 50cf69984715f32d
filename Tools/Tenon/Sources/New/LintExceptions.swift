/// The text of `.tenon-lint.json`, whose exceptions are changed without changing the form of the rest.
struct LintExceptions {
  /// `nil` if there is no file.
  private(set) var text: String?

  private static func reason(_ rule: String) -> String {
    rule == InteropHasAConsumer.id ? "new, no product uses it yet" : "new, no product implements it yet"
  }

  private static func entry(_ rule: String, _ path: String) -> String {
    #"{"rule": "\#(rule)", "path": "\#(path)", "reason": "\#(reason(rule))"}"#
  }

  /// Returns the repair of a finding that is expected while an interop is new.
  ///
  /// - Parameters:
  ///   - rule: the rule of the finding.
  ///   - declared: the protocol.
  ///   - remedy: what to do instead, without a period.
  static func repair(_ rule: String, of declared: LintedPackage.InteropProtocol, _ remedy: String) -> String {
    let folder = declared.source.path.split(separator: "/").dropLast().map { "\($0)/" }.joined()
    return "\(remedy), or add to \"exceptions\" in \(LintConfiguration.fileName): \(entry(rule, folder))"
  }

  /// Returns a text with exceptions of an interop.
  ///
  /// - Throws: ``CommandError`` if the list of exceptions can't be found.
  func adding(_ rules: [String], for path: String) throws -> LintExceptions {
    let entries = rules.map { Self.entry($0, path) }
    guard let text else {
      return LintExceptions(
        text: "{\n  \"exceptions\": [\n    \(entries.joined(separator: ",\n    "))\n  ]\n}\n")
    }
    if let changed = ListEditor.append(entries, toListAfter: "\"exceptions\":", in: text) {
      return LintExceptions(text: changed)
    }
    guard !text.contains("\"exceptions\""), let brace = text.firstIndex(of: "{") else {
      throw CommandError(
        "\(LintConfiguration.fileName) has no list \"exceptions\": […] to which entries can be added.")
    }
    let rest = text[text.index(after: brace)...]
    let comma = rest.contains("\"") ? "," : ""
    return LintExceptions(
      text: "{\n  \"exceptions\": [\n    \(entries.joined(separator: ",\n    "))\n  ]\(comma)\(rest)")
  }

  /// Returns a text without the exception that ``adding(_:for:)`` wrote; the same text if it isn't there.
  func removing(_ rule: String, for path: String) throws -> LintExceptions {
    guard let text, let entry = text.firstRange(of: Self.entry(rule, path)) else { return self }
    var (start, end) = (entry.lowerBound, entry.upperBound)
    while start > text.startIndex, text[text.index(before: start)].isWhitespace {
      start = text.index(before: start)
    }
    if start > text.startIndex, text[text.index(before: start)] == "," {
      start = text.index(before: start)
    } else if end < text.endIndex, text[end] == "," {
      end = text.index(after: end)
    }
    return LintExceptions(text: String(text[..<start] + text[end...]))
  }
}
