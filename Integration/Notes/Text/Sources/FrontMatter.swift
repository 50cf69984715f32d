import Yams

/// The YAML between two lines of `---` at the beginning of a note.
struct FrontMatter {
  private(set) var title: String?
  private(set) var tags: [String] = []

  /// Removes the front matter from the lines, if there is any.
  init(_ lines: inout Lines) throws(NoteError) {
    guard lines.peek().map(Self.isFence) ?? false else { return }
    var rest = lines
    _ = rest.next()
    var yaml = ""
    while let line = rest.next() {
      if Self.isFence(line) || line == "..." {
        lines = rest
        try read(yaml)
        return
      }
      yaml += line + "\n"
    }
    // Without an end it is a thematic break rather than front matter.
  }

  private static func isFence(_ line: Substring) -> Bool {
    line.hasPrefix("---") && line.dropFirst(3).allSatisfy(\.isWhitespace)
  }

  private mutating func read(_ yaml: String) throws(NoteError) {
    let node: Node?
    do {
      node = try Yams.compose(yaml: yaml)
    } catch {
      // The first line of the file is the fence.
      let line = (error as? YamlError).flatMap(Self.line) ?? 1
      throw NoteError(line: line + 1, reason: "has front matter that isn't YAML")
    }
    guard let node else { return }
    guard let mapping = node.mapping else {
      throw NoteError(line: 2, reason: "has front matter without names, such as \"title: …\"")
    }
    title = mapping["title"]?.scalar?.string
    let tags = mapping["tags"] ?? mapping["keywords"]
    if let list = tags?.sequence {
      self.tags = list.compactMap { $0.scalar?.string }
    } else if let text = tags?.scalar?.string {
      self.tags = text.split { $0 == "," || $0.isWhitespace }.map(String.init)
    }
    self.tags = self.tags.map { $0.hasPrefix("#") ? String($0.dropFirst()) : $0 }.filter { !$0.isEmpty }
  }

  private static func line(of error: YamlError) -> Int? {
    switch error {
    case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _): mark.line
    default: nil
    }
  }
}
