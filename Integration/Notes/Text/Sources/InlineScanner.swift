/// Finds links, images and hashtags in lines of text, outside of code spans.
struct InlineScanner {
  /// The greatest length of text between brackets, so that unclosed brackets don't make scanning slow.
  private static let longest = 500

  private(set) var links: [MarkdownNote.Link] = []
  private(set) var tags: [String] = []
  private var seen: Set<String> = []

  mutating func take(_ line: Substring) {
    if let definition = Self.definition(line) {
      add(definition, isImage: false)
      return
    }
    var index = line.startIndex
    var previous: Character?
    while index < line.endIndex {
      let rest = line[index...]
      var next = line.index(after: index)
      switch line[index] {
      case "\\": next = next < line.endIndex ? line.index(after: next) : next
      case "`": next = Self.endOfCode(rest)
      case "[":
        if let wiki = Self.between("[[", "]]", rest) {
          add(String(wiki.prefix { $0 != "|" }), isImage: previous == "!")
          next = line.index(wiki.endIndex, offsetBy: 2)
        } else if let target = Self.target(rest) {
          add(String(target), isImage: previous == "!")
          // The text between the brackets is scanned as well, because it may contain an image.
        }
      case "]":
        // A destination isn't text: `[text](#section)` has no tag, even if the link's text began in an
        // earlier line.
        let parenthesis = rest.dropFirst()
        if parenthesis.first == "(" {
          let destination = LinkDestination(parenthesis, longest: Self.longest)
          next = destination.map { $0.end ?? $0.target.endIndex } ?? parenthesis.endOfWord
        }
      case "<":
        if let address = Self.between("<", ">", rest), address.contains(":"), !address.contains(" ") {
          add(String(address), isImage: false)
          next = line.index(after: address.endIndex)
        }
      case "#":
        let tag = line[next...].prefix { $0.isLetter || $0.isNumber || "-_/".contains($0) }
        let isApart = previous.map { $0.isWhitespace || $0 == "(" } ?? true
        if isApart, tag.first?.isLetter ?? false {
          tags.append(String(tag))
          next = tag.endIndex
        }
      default: break
      }
      previous = line[line.index(before: next)]
      index = next
    }
  }

  private mutating func add(_ target: String, isImage: Bool) {
    guard !target.isEmpty, seen.insert((isImage ? "!" : "") + target).inserted else { return }
    links.append(MarkdownNote.Link(target: target, isImage: isImage))
  }

  /// Returns the target of `[label]: target` on a separate line.
  private static func definition(_ line: Substring) -> String? {
    guard line.first == "[", let label = between("[", "]", line), !label.isEmpty, label.first != "^" else {
      return nil
    }
    let rest = line[label.endIndex...].dropFirst()
    guard rest.first == ":" else { return nil }
    let target = rest.dropFirst().trimmed.prefix { !$0.isWhitespace }
    return target.isEmpty ? nil : String(target.drop { $0 == "<" }.trimming { $0 == ">" })
  }

  /// Returns the target of `[text](target "title")`.
  private static func target(_ text: Substring) -> Substring? {
    var depth = 0
    var index = text.startIndex
    var length = 0
    // Brackets in the text must be paired.
    while index < text.endIndex, length < longest {
      if text[index] == "[" { depth += 1 }
      if text[index] == "]" { depth -= 1 }
      index = text.index(after: index)
      length += 1
      if depth == 0 { break }
    }
    guard depth == 0 else { return nil }
    return LinkDestination(text[index...], longest: longest)?.target
  }

  /// Returns the text between an opening at the beginning of `text` and the next closing.
  private static func between(_ opening: String, _ closing: String, _ text: Substring) -> Substring? {
    guard text.hasPrefix(opening) else { return nil }
    let inside = text.dropFirst(opening.count).prefix(longest)
    var index = inside.startIndex
    while index < inside.endIndex {
      if inside[index...].hasPrefix(closing) { return inside[..<index] }
      index = inside.index(after: index)
    }
    return nil
  }

  /// Returns the end of a code span, or of its backticks if the span isn't closed.
  private static func endOfCode(_ text: Substring) -> String.Index {
    let run = text.prefix { $0 == "`" }.count
    var rest = text.dropFirst(run)
    let afterOpening = rest.startIndex
    while let tick = rest.firstIndex(of: "`") {
      let closing = rest[tick...].prefix { $0 == "`" }
      if closing.count == run { return closing.endIndex }
      rest = rest[closing.endIndex...]
    }
    return afterOpening
  }
}

extension Substring {
  /// Returns the first white space, or the end.
  fileprivate var endOfWord: Index { firstIndex(where: \.isWhitespace) ?? endIndex }
}
