/// A defect that a check of a database has found; see ``StoreInspector/check(onProgress:_:)``.
package struct StoreDefect: Sendable, Hashable {
  /// The kinds of defects.
  package struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind as text, for example `document`.
    package let rawValue: String

    /// Creates a kind.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// A page, or how pages refer to one another, as SQLite reports it.
    package static let page = Kind(rawValue: "page")
    /// A document, or the last state of it that the remote sent.
    package static let document = Kind(rawValue: "document")
    /// An index, which has too many or too few entries.
    package static let index = Kind(rawValue: "index")
    /// A write that waits for the remote or was rejected.
    package static let queue = Kind(rawValue: "queue")
  }

  /// The damaged part of the database.
  package let kind: Kind
  /// A sentence that names the damaged thing and describes the damage.
  package let message: String

  /// Creates a defect.
  init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }
}
