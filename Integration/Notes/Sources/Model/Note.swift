import Foundation
import NotesText

/// A note in Store.
struct Note: Codable, Sendable {
  /// The path of the file, relative to the imported folder.
  var path: String
  var title: String
  var tags: [String]
  var headings: [MarkdownNote.Heading]
  var links: [MarkdownNote.Link]
  /// The text of the file; `nil` if it is too large for a document and is in Storage.
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
    text = note.text
    self.size = size
    words = note.wordCount
    self.digest = digest
  }

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
