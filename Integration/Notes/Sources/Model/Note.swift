import Foundation
import NotesText

/// A note as Store keeps it.
struct Note: Codable, Sendable {
  /// Relative to the folder that was imported.
  var path: String
  var title: String
  var tags: [String]
  var headings: [MarkdownNote.Heading]
  var links: [MarkdownNote.Link]
  /// The file's text; `nil` when it is too large for a document and lies in Storage.
  var text: String?
  /// The file's size in bytes.
  var size: Int
  /// The number of words in the text.
  var words: Int
  /// Tells whether the file has changed.
  var digest: String

  init(_ note: MarkdownNote, path: String, size: Int, digest: String) {
    self.path = path
    title = note.title
    tags = note.tags
    headings = note.headings
    links = note.links
    text = note.text
    self.size = size
    words = note.wordCount
    self.digest = digest
  }

  /// Where Storage keeps the text of a note that is too large.
  static func objectPath(_ path: String) -> String { "notes/\(path)" }
}

/// An attachment as Store knows it; its content lies in Storage.
struct Attachment: Codable, Sendable {
  var path: String
  var size: Int
  var digest: String

  /// Where Storage keeps the content.
  static func objectPath(_ path: String) -> String { "attachments/\(path)" }
}

/// Ids of documents may not hold slashes: paths are percent-encoded.
enum DocumentID {
  static func make(_ path: String) -> String {
    var id = String.UnicodeScalarView()
    // By scalars: a slash and an accent behind it are one `Character`.
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
