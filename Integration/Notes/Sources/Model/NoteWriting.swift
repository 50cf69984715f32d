import Foundation
import NotesText
import TenonStorage
import TenonStore

extension NotesApp {
  /// Returns a document as far as it is known: `nil` if it doesn't exist, and offline also if this device
  /// hasn't seen it.
  func known(_ reference: DocumentReference) async throws -> DocumentSnapshot? {
    do {
      let document = try await reference.getDocument()
      return document.exists ? document : nil
    } catch let error as StoreError where error.code == .unavailable && server != nil { return nil }
  }

  /// Returns the document of a note. A text that is too large for it is written to Storage.
  ///
  /// - Parameters:
  ///   - content: the bytes of the note.
  ///   - path: its path, whose last part without the extension is the title of a note that has no other.
  /// - Throws: `NoteError` if the content isn't a note; `StoreError` if the path is too long;
  ///   ``MissingStorage``; `StorageError`.
  func fields(of content: Data, at path: String) async throws -> Fields {
    let name = URL(filePath: path).deletingPathExtension().lastPathComponent
    let parsed = try MarkdownNote(content: content, fileName: name)
    var note = Note(parsed, path: path, size: content.count, digest: ContentDigest.text(of: content))
    var fields = try FieldsEncoder().encode(note)
    let document = try ResourcePath(document: notes.document(DocumentID.make(path)).path)
    if fields.documentSize(at: document) > Fields.maximumDocumentSize {
      // The object is written first, so that no document refers to an object that doesn't exist.
      try await requireStorage()
      try await storage.reference(withPath: Note.objectPath(path)).putDataAsync(content)
      (note.text, note.frontMatter) = (nil, nil)
      fields = try FieldsEncoder().encode(note)
    }
    try fields.checkDocument(at: document)
    return fields
  }

  /// - Throws: ``MissingStorage`` if contents can't be stored at the server of `--emulator`, or be read from
  ///   there.
  func requireStorage() async throws {
    guard let server else { return }
    if let reason = isOnline ? await contents.missing(at: server) : server.offlineReason {
      throw MissingStorage(reason: reason)
    }
  }
}

/// A content that isn't available, because it isn't in a document.
struct MissingStorage: Error, CustomStringConvertible {
  let reason: String
  var description: String { "its content isn't available: \(reason)" }
}

/// Whether the server of `--emulator` stores contents, which is asked once.
actor ContentsCheck {
  private var answer: Task<String?, Never>?

  /// Returns why it doesn't; `nil` if it does.
  func missing(at server: SyncServer) async -> String? {
    let answer = answer ?? Task { await server.missingStorage() }
    self.answer = answer
    return await answer.value
  }
}
