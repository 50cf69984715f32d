/// Finds headings, and the lines that can contain links and tags, outside of code blocks.
struct BlockScanner {
  private(set) var headings: [MarkdownNote.Heading] = []
  private var inline = InlineScanner()
  /// The marker that ends the current code block.
  private var fence: (character: Character, count: Int)?
  /// The line of a paragraph that an underline would turn into a heading.
  private var paragraph: Substring?

  var links: [MarkdownNote.Link] { inline.links }
  var tags: [String] { inline.tags }

  mutating func take(_ line: Substring) {
    let indentation = line.prefix { $0 == " " }.count
    let content = line.dropFirst(indentation)
    if let fence {
      let run = content.prefix { $0 == fence.character }
      if run.count >= fence.count, content.dropFirst(run.count).allSatisfy(\.isWhitespace) {
        self.fence = nil
      }
      return
    }
    if let opening = Self.fence(content), indentation < 4 {
      fence = opening
      paragraph = nil
    } else if (indentation >= 4 || line.first == "\t"), paragraph == nil {
      // Indented code. After the line of a paragraph, it would continue the paragraph.
    } else if let heading = Self.heading(content) {
      add(heading)
    } else if let text = paragraph, let level = Self.underline(content) {
      add(MarkdownNote.Heading(level: level, text: String(text)))
    } else {
      let text = content.trimmed
      paragraph = text.isEmpty ? nil : text
      inline.take(content)
    }
  }

  mutating func finish() { paragraph = nil }

  private mutating func add(_ heading: MarkdownNote.Heading) {
    headings.append(heading)
    // The text of an underlined heading was already scanned as a paragraph.
    if paragraph == nil || paragraph.map(String.init) != heading.text { inline.take(heading.text[...]) }
    paragraph = nil
  }

  private static func fence(_ content: Substring) -> (Character, Int)? {
    guard let character = content.first, character == "`" || character == "~" else { return nil }
    let run = content.prefix { $0 == character }
    // A backtick in the info string makes the opening a code span.
    guard run.count >= 3, character == "~" || !content.dropFirst(run.count).contains("`") else { return nil }
    return (character, run.count)
  }

  private static func heading(_ content: Substring) -> MarkdownNote.Heading? {
    let level = content.prefix { $0 == "#" }.count
    let rest = content.dropFirst(level)
    guard (1...6).contains(level), rest.first.map(\.isWhitespace) ?? true else { return nil }
    var text = rest.trimmed
    // A closing sequence of # isn't part of the text if a space precedes it.
    let withoutClosing = text.trimming { $0 == "#" }
    if withoutClosing.isEmpty || withoutClosing.last.map(\.isWhitespace) ?? false {
      text = withoutClosing.trimmed
    }
    return MarkdownNote.Heading(level: level, text: String(text))
  }

  private static func underline(_ content: Substring) -> Int? {
    let text = content.trimmed
    guard let character = text.first, character == "=" || character == "-" else { return nil }
    return text.allSatisfy { $0 == character } ? (character == "=" ? 1 : 2) : nil
  }
}

extension Substring {
  /// The text without white space at both ends.
  var trimmed: Substring { drop(while: \.isWhitespace).trimming(while: \.isWhitespace) }

  /// Returns the text without certain characters at its end.
  func trimming(while isUnwanted: (Character) -> Bool) -> Substring {
    var end = endIndex
    while end > startIndex, isUnwanted(self[index(before: end)]) { end = index(before: end) }
    return self[..<end]
  }
}
