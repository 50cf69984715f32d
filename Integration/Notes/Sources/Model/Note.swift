import Foundation
import NotesText
import TenonStore

/// A note in Store.
struct Note: Codable, Sendable {
  /// The path of the file, relative to the imported folder.
  var path: String
  var title: String
  var tags: [String]
  var headings: [MarkdownNote.Heading]
  var links: [MarkdownNote.Link]
  /// The front matter of the file, which searches and their excerpts leave out: its title and tags are
  /// fields.
  var frontMatter: String?
  /// The text of the file after the front matter; `nil` if it is too large for a document and the file is in
  /// Storage.
  var text: String?
  /// The size of the file in bytes.
  var size: Int
  /// The number of words in the text.
  var words: Int
  /// The digest by which changes of the file are detected.
  var digest: String

  init(_ note: MarkdownNote, path: String, size: Int, digest: String) {
    self.path = path
    title = note.title
    tags = note.tags
    headings = note.headings
    links = note.links
    frontMatter = note.frontMatter
    text = note.body
    self.size = size
    words = note.wordCount
    self.digest = digest
  }

  /// A size in bytes up to which the text of every note is in its document, which may have 1 MiB: a text that
  /// consists of short headings makes one twenty times as large.
  static let smallSize = 50_000

  /// The index by which notes are found.
  static let textIndex = TextIndex("notes", "title", "tags", "text")

  /// Returns the path in Storage of the text of a note that is too large.
  static func objectPath(_ path: String) -> String { "notes/\(path)" }
}

/// An attachment in Store. Its content is in Storage.
struct Attachment: Codable, Sendable {
  var path: String
  var size: Int
  var digest: String

  /// Returns the path of the content in Storage.
  static func objectPath(_ path: String) -> String { "attachments/\(path)" }
}

/// Document IDs for paths. IDs can't contain slashes, so the paths are percent-encoded.
enum DocumentID {
  static func make(_ path: String) -> String {
    var id = String.UnicodeScalarView()
    // Encoded by scalars, because a slash and an accent behind it are one `Character`.
    for scalar in path.unicodeScalars {
      switch scalar {
      case "%": id += "%25".unicodeScalars
      case "/": id += "%2F".unicodeScalars
      default: id.append(scalar)
      }
    }
    return String(id)
  }
}
