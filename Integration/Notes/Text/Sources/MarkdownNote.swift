package import Foundation

/// The metadata of a Markdown file.
///
/// Like Markdown itself, the parser is tolerant: it treats as text what it doesn't understand. It reads each
/// line once.
///
/// It isn't cmark or swift-markdown, because tags and wiki links aren't CommonMark, and neither is installed
/// with the toolchain.
package struct MarkdownNote: Sendable, Equatable {
  /// A heading (CommonMark 0.31, sections 4.2 and 4.3).
  package struct Heading: Codable, Sendable, Equatable {
    /// The level, from 1 to 6.
    package var level: Int
    package var text: String
  }

  /// A link or an image.
  package struct Link: Codable, Sendable, Equatable {
    package var target: String
    package var isImage: Bool
  }

  /// The title: from the front matter, otherwise the first heading, otherwise the file's name.
  package var title: String
  /// The tags of the front matter and the `#hashtags`, each once, in the order of their first occurrence.
  package var tags: [String]
  package var headings: [Heading]
  /// The links, each once, in the order of their first occurrence.
  package var links: [Link]
  /// The whole file, including its front matter.
  package var text: String
  /// The front matter with its fences, byte for byte; `nil` if there is none.
  package var frontMatter: String?
  /// What follows the front matter: the whole file if there is none.
  package var body: String

  /// Parses the content of a file.
  ///
  /// - Parameters:
  ///   - content: the bytes.
  ///   - fileName: the title of a note that has no other.
  /// - Throws: ``NoteError`` if the content isn't UTF-8 or its front matter is malformed.
  package init(content: Data, fileName: String) throws(NoteError) {
    guard let text = String(validating: content, as: UTF8.self) else {
      throw NoteError(line: Self.firstBadLine(content), reason: "isn't valid UTF-8")
    }
    self.text = text
    var lines = Lines(text)
    let frontMatter = try FrontMatter(&lines)
    let start = lines.number > 0 ? lines.position : text.startIndex
    self.frontMatter = start > text.startIndex ? String(text[..<start]) : nil
    body = String(text[start...])
    var scanner = BlockScanner()
    while let line = lines.next() { scanner.take(line) }
    scanner.finish()

    headings = scanner.headings
    links = scanner.links
    title = frontMatter.title ?? headings.first?.text ?? fileName
    var seen: Set<String> = []
    tags = (frontMatter.tags + scanner.tags).filter { seen.insert($0).inserted }
  }

  /// Returns the number of words: sequences of bytes between ASCII white space.
  package var wordCount: Int {
    var count = 0
    var isInWord = false
    for byte in text.utf8 {
      let isSpace = byte == 0x20 || (0x09...0x0D).contains(byte)
      if !isSpace, !isInWord { count += 1 }
      isInWord = !isSpace
    }
    return count
  }

  private static func firstBadLine(_ content: Data) -> Int {
    let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return 1 + (lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0)
  }
}

/// The reason for which a file can't be a note.
package struct NoteError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The line, counted from 1.
  package let line: Int
  /// The problem, as the end of a sentence.
  package let reason: String

  package var description: String { "line \(line) \(reason)" }
}

/// The lines of a text without their ends, and their numbers.
struct Lines {
  private var rest: Substring
  private(set) var number = 0
  /// The beginning of the next line.
  var position: String.Index { rest.startIndex }

  init(_ text: String) {
    // A byte order mark isn't part of the first line.
    rest = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
  }

  mutating func next() -> Substring? {
    guard !rest.isEmpty else { return nil }
    number += 1
    // "\r\n" is one character.
    guard let end = rest.firstIndex(where: \.isNewline) else {
      defer { rest = rest[rest.endIndex...] }
      return rest
    }
    defer { rest = rest[rest.index(after: end)...] }
    return rest[..<end]
  }

  /// Returns the next line without advancing.
  func peek() -> Substring? {
    var copy = self
    return copy.next()
  }
}
